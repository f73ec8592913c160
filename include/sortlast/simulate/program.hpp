// Programs: what each rank sends, receives and computes, and what each of these actions waits for, as GOAL
// has it, the input of LogGOPSim; and the time that a program takes by the LogGOPS model.
//
// GOAL: Hoefler, Siebert and Lumsdaine, "Group Operation Assembly Language - A Flexible Way to Express
// Collective Communication" (ICPP 2009). LogGOPS: Hoefler, Schneider and Lumsdaine, "LogGOPSim - Simulating
// Large-Scale Applications in the LogGOPS Model" (LSAP 2010).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/progress.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

// Rank r does the actions first[r] .. first[r + 1] - 1, each as soon as what it requires lets it.
struct Program {
  static constexpr std::int32_t most_units = 256;  // CPUs, and NICs, of a rank
  static constexpr std::int32_t any = -1;          // peer or tag of a receive that takes any
  enum class Kind : std::uint8_t { send, receive, compute };
  struct Action {
    Kind kind = Kind::send;
    std::int32_t peer = 0;  // the rank that is sent to or received from; of a computation its own
    std::int64_t size = 0;  // bytes; of a computation: nanoseconds
    std::int64_t tag = 0;
    std::int32_t cpu = 0, nic = 0;  // which of its rank's it uses, from 0
    bool operator==(const Action&) const = default;
  };
  struct Requirement {
    std::int32_t action = 0;  // of the same rank
    bool start_only = false;  // it need only have started
    bool operator==(const Requirement&) const = default;
  };

  std::string name;
  std::int32_t ranks = 0;
  std::vector<std::int32_t> first;              // ranks + 1 entries
  std::vector<Action> actions;                  // rank by rank
  std::vector<std::int64_t> first_requirement;  // actions + 1 entries
  std::vector<Requirement> requirements;        // of action a: first_requirement[a] .. [a + 1] - 1

  bool operator==(const Program&) const = default;
};

// Throws ArgumentError: an array of a wrong length, a rank or an action that does not exist, one of another
// rank that is required, a size or tag below 0, a CPU or NIC outside 0 .. most_units - 1, a message to
// oneself; Error: actions that require each other in a circle, sends and receives of a pair and tag that do
// not match in number and size. A rank with receives that take any need only receive as many messages as it
// is sent.
SORTLAST_API void check(const Program& program);

// Reads GOAL text as read_goal() does. Throws Error, with the line, and what check() throws.
SORTLAST_API Program read_program(std::string_view text, std::string name = "GOAL");
SORTLAST_API void write_program(const Program& program, std::ostream& out);

// Traffic as a program, with its repetitions written out: every receive waits for nothing.
SORTLAST_API Program program_of(const Traffic& traffic);
// The messages and computations of a program, not in order. CPUs, NICs and the places of receives are lost.
// Receives that take any get the messages that they get in a run of the LogGOPS model with its usual
// parameters.
SORTLAST_API Traffic traffic_of(const Program& program);

// The parameters of the model, in nanoseconds and bytes; those of LogGOPSim unless told otherwise.
struct LogGops {
  std::int64_t L = 2500;   // latency: from the end of the sender's overhead to the first byte at the receiver
  std::int64_t o = 1500;   // overhead of a message: a CPU is busy with it at the sender, and at the receiver
  std::int64_t g = 1000;   // gap: from one message of a NIC to the next
  double G = 6;            // gap of each byte but the first
  double O = 0;            // overhead of each byte but the first
  std::int64_t S = 65535;  // bytes of the longest message that does not wait for its receive
};

struct LogGopsRank {
  std::int64_t end = 0;        // of its last action, and of its last message's overhead [ns]
  std::int64_t computing = 0;  // computations of all its CPUs [ns]
  std::int64_t overhead = 0;   // their work with messages [ns]
};

struct LogGopsResult {
  double seconds = 0;         // until the last rank has ended
  std::int64_t messages = 0;  // that arrived
  std::int64_t bytes = 0;     // of these
  std::vector<LogGopsRank> ranks;
};

// Runs a program by the LogGOPS model: every message takes L, whatever else is under way, as if the network
// were a full crossbar. A send needs its CPU for o + (bytes - 1) O and its NIC for g + (bytes - 1) G; its
// first byte arrives o + L after it began. There the CPU and the NIC of the same numbers take the message: o
// + (bytes - 1) max(O, G) and g + (bytes - 1) G. A send of up to S bytes is over when its CPU is free again;
// a longer one when its message has met its receive. A message and a receive that
// match meet in the order of their times.
//
// LogGOPSim gives the same times, but where a rank has several CPUs: there it lets an action begin before
// what it requires is over, if its own CPU is free.
//
// Equal programs give equal runs. Throws ArgumentError: a parameter below 0 or above 1e15, ends past 2^54
// nanoseconds, more than 2^63 - 1 bytes, what check() throws; Error: ranks that wait for each other for ever,
// and for what; "cancelled".
SORTLAST_API LogGopsResult simulate_loggops(const Program& program, const LogGops& parameters = {},
                                            const Progress& progress = {});

}  // namespace sortlast::simulate
