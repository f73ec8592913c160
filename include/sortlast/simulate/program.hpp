// Programs: the sends, receives and computations of each rank with their requirements, as in GOAL, the input
// of LogGOPSim; and the time of a program under the LogGOPS model.
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

// Rank r performs the actions first[r] .. first[r + 1] - 1, each as soon as its requirements are met.
struct Program {
  static constexpr std::int32_t most_units = 256;  // maximum number of CPUs, and of NICs, per rank
  static constexpr std::int32_t any = -1;          // peer or tag of a receive that accepts any
  enum class Kind : std::uint8_t { send, receive, compute };
  struct Action {
    Kind kind = Kind::send;
    std::int32_t peer = 0;  // rank at the other end; for a computation, its own rank
    std::int64_t size = 0;  // bytes; for a computation, nanoseconds
    std::int64_t tag = 0;
    std::int32_t cpu = 0, nic = 0;  // numbers of the CPU and NIC of the rank, from 0
    bool operator==(const Action&) const = default;
  };
  struct Requirement {
    std::int32_t action = 0;  // of the same rank
    bool start_only = false;  // it only has to have started
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

// Throws ArgumentError for an array of the wrong length, a rank or action that does not exist, a required
// action of another rank, a negative size or tag, a CPU or NIC outside 0 .. most_units - 1, and a message to
// oneself; Error for actions that require each other in a circle, and for sends and receives of a pair and
// tag that do not match in number and size. A rank with receives from any peer or tag only has to receive as
// many messages as it is sent.
SORTLAST_API void check(const Program& program);

// Reads GOAL text as read_goal() does. Throws Error, with the line, and what check() throws.
SORTLAST_API Program read_program(std::string_view text, std::string name = "GOAL");
SORTLAST_API void write_program(const Program& program, std::ostream& out);

// Traffic as a program, with its repetitions written out; receives have no requirements.
SORTLAST_API Program program_of(const Traffic& traffic);
// The messages and computations of a program, not in order. CPUs, NICs and the positions of receives are
// lost. Receives from any peer or tag get the messages that they get in a run of the LogGOPS model with its
// default parameters.
SORTLAST_API Traffic traffic_of(const Program& program);

// Parameters of the model, in nanoseconds and bytes; the defaults are LogGOPSim's.
struct LogGops {
  std::int64_t L = 2500;   // latency: from the end of the sender's overhead to the first byte at the receiver
  std::int64_t o = 1500;   // overhead of a message: occupies a CPU at the sender, and at the receiver
  std::int64_t g = 1000;   // gap: from one message of a NIC to the next
  double G = 6;            // gap per byte after the first
  double O = 0;            // overhead per byte after the first
  std::int64_t S = 65535;  // longest message that does not wait for its receive
};

struct LogGopsRank {
  std::int64_t end = 0;        // end of its last action and of its last message's overhead [ns]
  std::int64_t computing = 0;  // computations of all its CPUs [ns]
  std::int64_t overhead = 0;   // message overhead of all its CPUs [ns]
};

struct LogGopsResult {
  double seconds = 0;         // end of the last rank
  std::int64_t messages = 0;  // arrived
  std::int64_t bytes = 0;     // arrived
  std::vector<LogGopsRank> ranks;
};

// Runs a program under the LogGOPS model: every message takes L regardless of other traffic, as if the
// network were a full crossbar. A send needs its CPU for o + (bytes - 1) O and its NIC for g + (bytes - 1) G;
// its first byte arrives o + L after the send began. At the receiver the CPU and NIC of the same numbers
// handle the message, for o + (bytes - 1) max(O, G) and g + (bytes - 1) G. A send of up to S bytes ends when
// its CPU is free again, a longer one when its message has met its receive. Matching messages and receives
// meet in the order of their times.
//
// LogGOPSim gives the same times except for ranks with several CPUs, where it lets an action begin before its
// requirements have ended if the action's own CPU is free.
//
// Equal programs give equal runs. Throws ArgumentError for a parameter below 0 or above 1e15, ends beyond
// 2^54 nanoseconds, more than 2^63 - 1 bytes, and as check() does; Error for ranks in a deadlock, with the
// awaited actions, and if "cancelled".
SORTLAST_API LogGopsResult simulate_loggops(const Program& program, const LogGops& parameters = {},
                                            const Progress& progress = {});

}  // namespace sortlast::simulate
