// Neighbours.
#include "sortlast/execute/mpi/neighbours.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/control.hpp"
#include "sortlast/execute/node/process_memory.hpp"

namespace sortlast {
namespace {

// Completes "rank r waits for ...".
std::string the_others() { return "all ranks to find who shares their machine"; }

// Collective: the ranks that can share memory according to MPI. The call cannot be abandoned, so all ranks
// meet first.
Communicator machine_of(const Communicator& all, const Alarm& alarm) {
  barrier(all, alarm, the_others);
  MPI_Comm made = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(all.get(), MPI_COMM_TYPE_SHARED, all.rank(), MPI_INFO_NULL, &made),
            "MPI_Comm_split_type");
  return Communicator(made);
}

// Splits into groups of at most `ranks`; 0: no limit.
Communicator split(const Communicator& machine, int ranks) {
  MPI_Comm made = MPI_COMM_NULL;
  const int part = ranks == 0 ? 0 : machine.rank() / ranks;
  check_mpi(MPI_Comm_split(machine.get(), part, machine.rank(), &made), "MPI_Comm_split");
  return Communicator(made);
}

// Collective: the number of ranks of the machine that may use the same cores as this one, including itself.
int ranks_on_my_cores(const Communicator& machine, const Alarm& alarm) {
  const std::uint64_t mine = core_mask_hash();
  const std::vector<std::uint64_t> all = all_gather(machine, alarm, the_others, mine);
  return static_cast<int>(std::count(all.begin(), all.end(), mine));
}

// Collective: whether a condition holds on all ranks.
bool all_of(const Communicator& comm, const Alarm& alarm, bool mine) {
  return all_least(comm, alarm, the_others, {mine ? 1U : 0U}).front() != 0;
}

// Collective: a segment that the lowest rank makes and the others map; none if one of them cannot map it, or
// finds another layout there, in which case it sets `fits` to false.
std::optional<Segment> share_control(const Communicator& node, const Alarm& alarm, std::uint64_t layout,
                                     bool& fits) {
  std::optional<Segment> control;
  const auto attempt = [&](const auto& argument) {
    try {
      control.emplace(argument);
    } catch (const Error&) {
      control.reset();
    }
  };
  SegmentName name;
  const auto slots = static_cast<std::size_t>(node.size());
  if (node.rank() == 0) attempt(Control::bytes(slots));
  if (control) {
    Control::make(*control, slots, layout);
    name = control->name();
  }
  name = broadcast(node, alarm, the_others, name);
  if (node.rank() != 0 && name.process != 0) attempt(name);
  fits = !control || Control::in(*control).layout == layout;
  if (!all_of(node, alarm, control.has_value() && fits)) control.reset();
  return control;
}

// Collective: whether every rank can read a number in the memory of every other.
bool probe_remote_reads(const Communicator& node, const Alarm& alarm, Control& control) {
  const auto me = static_cast<std::size_t>(node.rank());
  const std::uint64_t token = 0x746f6b656e000000 + me;
  RankSlot& mine = control.slot(me);
  mine.token = token;
  mine.token_address = reinterpret_cast<std::uint64_t>(&token);
  mine.process = this_process();
  barrier(node, alarm, the_others);
  bool readable = true;
  for (std::size_t other = 0; other < static_cast<std::size_t>(node.size()) && readable; ++other) {
    const RankSlot& slot = control.slot(other);
    std::uint64_t found = 0;
    RemoteCopy copy{reinterpret_cast<std::byte*>(&found), slot.token_address, sizeof found};
    try {
      read_remote(slot.process, {&copy, 1});
    } catch (const Error&) {
      readable = false;
    }
    readable = readable && found == slot.token;
  }
  const bool all = all_of(node, alarm, readable);
  mine.token_address = 0;
  return all;
}

// Information about a rank that all others receive.
struct NodeOfRank {
  std::int32_t lowest = 0;  // lowest rank of its node
  std::int32_t fits = 1;    // 0: its build and the build of the node's lowest rank differ
};

// Throws on every rank.
void check_builds(const std::vector<NodeOfRank>& all) {
  const auto other = [](const NodeOfRank& one) { return one.fits == 0; };
  const auto first = std::find_if(all.begin(), all.end(), other);
  if (first == all.end()) return;
  const auto more = std::count_if(first + 1, all.end(), other);
  throw SettledError<MismatchError>(
      "ranks disagree: another build of sortlast than on the first rank of the machine runs on rank " +
      std::to_string(first - all.begin()) + (more > 0 ? " and " + std::to_string(more) + " more" : "") +
      "; expected the same build on all ranks of a machine");
}

// Raises the alarm, and joins the alarms of others.
class AlarmWatch final : public Watch {
 public:
  explicit AlarmWatch(const Alarm& alarm) : alarm_(alarm) {}
  void check(double seconds_without_progress, const std::function<std::string()>& waits_for) const override {
    if (seconds_without_progress > alarm_.limit()) alarm_.raise(waits_for());
    alarm_.progress();
    alarm_.join_if_raised(waits_for);
    alarm_.interrupt();
  }

 private:
  const Alarm& alarm_;
};

// The same, with the communicators of the machine's and of the node's ranks.
Neighbours find_neighbours(const Communicator& all, const Alarm& alarm, int ranks, std::uint64_t layout,
                           Communicator& machine, Communicator& node) {
  const auto p = static_cast<std::size_t>(all.size());
  Neighbours found;
  found.rank = all.rank();
  found.nodes.resize(p);
  found.members = {all.rank()};
  machine = machine_of(all, alarm);
  const int sharing = ranks_on_my_cores(machine, alarm);
  found.cores = std::max(usable_cores() / sharing, 1);
  found.crowded = sharing > usable_cores();
  if (ranks == 1 || p == 1) {
    std::iota(found.nodes.begin(), found.nodes.end(), 0);
    return found;
  }

  // Find the ranks that share this machine, and whether they can all share memory.
  node = split(machine, ranks);
  bool fits = true;
  if (node.size() > 1) found.control = share_control(node, alarm, layout, fits);
  if (found.control) found.remote_reads = probe_remote_reads(node, alarm, Control::in(*found.control));

  // Number the nodes by their lowest ranks.
  NodeOfRank mine{all.rank(), fits ? 1 : 0};
  if (found.control) mine.lowest = broadcast(node, alarm, the_others, mine.lowest);
  const std::vector<NodeOfRank> node_of = all_gather(all, alarm, the_others, mine);
  check_builds(node_of);
  std::map<int, std::int32_t> numbers;
  found.members.clear();
  for (std::size_t rank = 0; rank < p; ++rank) {
    const auto next = static_cast<std::int32_t>(numbers.size());
    found.nodes[rank] = numbers.try_emplace(node_of[rank].lowest, next).first->second;
    if (node_of[rank].lowest == mine.lowest) found.members.push_back(static_cast<int>(rank));
  }
  return found;
}

}  // namespace

Neighbours find_neighbours(const Communicator& all, const Alarm& alarm, int ranks, std::uint64_t layout) {
  Communicator machine;
  Communicator node;
  const auto free_both = [&] {
    machine.free();
    node.free();
  };
  try {
    Neighbours found = find_neighbours(all, alarm, ranks, layout, machine, node);
    free_both();
    return found;
  } catch (const Settled&) {
    free_both();
    throw;
  } catch (...) {  // calls on them may be under way
    machine.abandon();
    node.abandon();
    throw;
  }
}

Node make_node(const Communicator& all, const Alarm& alarm, int ranks) {
  return {find_neighbours(all, alarm, ranks), std::make_unique<AlarmWatch>(alarm)};
}

CoreShares share_cores(const Communicator& comm, const Alarm& alarm, const Node& node,
                       const WaitsFor& waits_for) {
  return {all_gather(comm, alarm, waits_for, own_identity()), node.nodes()};
}

}  // namespace sortlast
