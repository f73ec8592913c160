// Traffic in files: GOAL text and traces of FSIN.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

// GOAL text, the input of LogGOPSim (Hoefler, Schneider, Lumsdaine 2010). Understood: num_ranks, rank blocks,
// labels, send, recv, calc [ns], tag, requires, irequires; "cpu C" and "nic C" are read and have no effect.
// Computations of a rank run beside each other unless one requires the other. Throws Error, with the line,
// for anything else, for labels that are missing or require each other, sends and receives that do not match.
Traffic read_goal(std::string_view text, std::string name = "GOAL");
// Repetitions are written out.
void write_goal(const Traffic& traffic, std::ostream& out);

// Traces of FSIN: lines "s FROM TO TAG BYTES" and "r FROM TO TAG BYTES" in the order of each task's program,
// "c TASK NANOSECONDS", comments after #. Tasks are 0 .. the highest that occurs. Messages of a task to
// itself are left out, as FSIN does. Throws Error, with the line.
Traffic read_fsin(std::string_view text, std::string name = "FSIN trace");
// In-order traffic only: throws ArgumentError for other.
void write_fsin(const Traffic& traffic, std::ostream& out);

}  // namespace sortlast::simulate
