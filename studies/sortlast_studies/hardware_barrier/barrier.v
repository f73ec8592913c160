// Barrier of N nodes with one line to each node and one from it: released follows the lines once they agree.
//
// It goes high when all lines are high, low when all are low, and keeps its level in between, so that one
// barrier waits for high, the next for low, and no reset is needed. The delays, in picoseconds, are taken from
// Nonaka, Iwashita and Kanazawa (2004), section 3: T_Total = T_Internal + 3 T_Gates = 21.6 ns.
`timescale 1ps / 1ps

module barrier #(
    parameter N = 9,
    parameter T_INTERNAL = 11700,
    parameter T_GATE = 3300
) (
    input  wire [N-1:0] arrived,
    output wire         released
);
  wire [N-1:0] pin;
  wire set, reset, q_bar;

  // One buffer per line, each with its own delay; in one vector, a line would delay the others.
  genvar line;
  generate
    for (line = 0; line < N; line = line + 1) begin : pads
      buf #(T_INTERNAL) pad (pin[line], arrived[line]);
    end
  endgenerate

  assign #(T_GATE) set = &pin;
  assign #(T_GATE) reset = ~|pin;

  nor #(T_GATE) hold_low (q_bar, set, released);
  nor #(T_GATE) hold_high (released, reset, q_bar);
endmodule
