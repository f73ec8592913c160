// Probe: one measurement of a communicator's machine, and of messages between two ranks.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/tune.hpp"
#include "sortlast/tune/microbenchmark.hpp"

namespace sortlast {

// The measured members of Machine, by name.
struct MachineTime {
  std::string_view name;
  double Machine::* member;
};
inline constexpr std::array machine_times{MachineTime{"alpha", &Machine::alpha},
                                          MachineTime{"beta", &Machine::beta},
                                          MachineTime{"node_alpha", &Machine::node_alpha},
                                          MachineTime{"node_beta", &Machine::node_beta},
                                          MachineTime{"gamma_read", &Machine::gamma_read},
                                          MachineTime{"gamma_write", &Machine::gamma_write},
                                          MachineTime{"copy", &Machine::copy}};

// Measure the machine for about `seconds` [s]. Collective; returns the same bits on every rank. The nodes are
// the nodes of `node` or, if that gives every rank its own node, the machines. Figures that cannot be
// measured keep their defaults: messages within nodes of one rank each, messages between nodes if there is
// only one node, and both if other processes leave no time for a few of them.
//
// No message may be in flight on `comm`. Throws TimeoutError if a rank does not arrive; messages may then
// remain in flight permanently.
Machine probe(const Communicator& comm, const Alarm& alarm, const Node& node, double seconds);

// Times of messages between two ranks.
struct PairTimes {
  double latency = 0;  // of a small message [s]; 0: unknown
  double byte = 0;     // per byte, with both directions in use at once [s]
};

enum class PairClock { wall, processor };

// Called by both ranks at about the same time. Measures for about `seconds` (the lower rank's value), in wall
// time or in processor time, averaged over both ranks. Returns nothing if the time is too short for a few
// large messages. Messages are pieces of `memory`, which must stay valid if this throws a TimeoutError.
std::optional<PairTimes> probe_pair(const Communicator& comm, const Alarm& alarm, ColdBuffers& memory,
                                    int peer, PairClock clock, double seconds);

namespace detail {

// measure_machine() for the interfaces to other languages. `problem` describes an error in this rank's
// arguments that `options` does not show and that every rank must report; empty: none.
MachineReport measure_machine(MPI_Comm comm, const TuneOptions& options, const std::string& problem);

}  // namespace detail
}  // namespace sortlast
