// Probe: one measurement of a communicator's machine, and of what messages between two ranks take.
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

// The members of Machine that are measured, by name.
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

// Collective. Measures for about `seconds` [s], and returns the same on every rank, bit for bit. Nodes are
// those of `node` or, where that puts every rank on a node of its own, machines. What cannot be measured
// keeps its default: messages within nodes that hold one rank each, messages between nodes where there is
// only one, and both where other processes leave no time for a few of them.
//
// No message may be under way on `comm`. Throws TimeoutError if a rank does not come, and then messages may
// be under way for ever.
Machine probe(const Communicator& comm, const Alarm& alarm, const Node& node, double seconds);

// What messages between two ranks take.
struct PairTimes {
  double latency = 0;  // of a small message [s]; 0: not known
  double byte = 0;     // each way, both ways at once [s]
};

enum class PairClock { wall, processor };

// Called by both ranks at about the same time. Measures for about `seconds`, those of the lower rank, in wall
// time or in processor time, the mean of both ranks; nothing if that is too short for a few large
// messages. Messages are pieces of `memory`, which must stay if this throws (TimeoutError).
std::optional<PairTimes> probe_pair(const Communicator& comm, const Alarm& alarm, ColdBuffers& memory,
                                    int peer, PairClock clock, double seconds);

namespace detail {

// measure_machine() for the interfaces to other languages. `problem`: what is wrong with this rank's
// arguments beyond what `options` shows, which every rank has to hear of; empty: nothing.
MachineReport measure_machine(MPI_Comm comm, const TuneOptions& options, const std::string& problem);

}  // namespace detail
}  // namespace sortlast
