// Probe.
//
// A figure is that of a rank that has a core to itself, while the other cores are busy too, for they share
// the memory and the network. So of each node's ranks as many as it has cores measure, all at once, and the
// others sleep. First each writes its memory, then it blends and copies, then pairs of a node's ranks
// exchange messages, then pairs of ranks of different nodes. These phases follow the clock from the moment
// when all ranks have come, so that no more than the gathering of the results has to wait for all again.
//
// What cores do is measured in processor time, because the wall clock also runs while another process has the
// core: blending, copying, and messages within a node, which are copies by the sender and by the receiver.
// With 17 processes on two cores, wall times of 0.03 s gave anything from 2 to 40 GB/s for the same blending.
// Between nodes it is the wall clock that counts, and the messages of all pairs share a link.
//
// Each rank takes medians or, of messages, which a busy peer delays, lower quartiles; rank 0 takes the
// medians over the ranks. Where the machine is so busy that messages cannot be measured in the time, their
// figures keep the defaults.
#include "sortlast/tune/probe.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "sortlast/cores.hpp"
#include "sortlast/execute/mpi/backoff.hpp"
#include "sortlast/execute/mpi/keep.hpp"
#include "sortlast/execute/mpi/machine_profile.hpp"

namespace sortlast {
namespace {

using Clock = std::chrono::steady_clock;

// Shares of the time at whose ends the phases end.
constexpr double written_by = 0.3;
constexpr double blended_by = 0.6;
constexpr double node_measured_by = 0.8;  // where there are messages between nodes too

// Memory that each rank measures with: more than its share of the caches.
constexpr std::size_t least_memory = std::size_t{16} << 20;
constexpr std::size_t most_memory = std::size_t{64} << 20;
constexpr std::size_t node_memory = std::size_t{512} << 20;

// What one rank has measured, as machine_times lists it; 0: nothing.
using Times = std::array<double, machine_times.size()>;

std::string the_others() { return "all ranks to measure the machine"; }

// Collective: the values of all ranks, on every rank.
template <typename Value>
std::vector<Value> gather_all(const Communicator& comm, const Alarm& alarm, const Value& mine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const auto p = static_cast<std::size_t>(comm.size());
  const auto values = std::make_shared<std::vector<Value>>(p + 1, mine);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(values->data() + p, sizeof mine, MPI_BYTE, values->data(), sizeof mine, MPI_BYTE,
                           comm.get(), &request),
            "MPI_Iallgather");
  wait(request, alarm, the_others, values);
  values->pop_back();
  return *values;
}

// Collective: rank 0's machine, on every rank.
Machine broadcast(const Communicator& comm, const Alarm& alarm, const Machine& machine) {
  static_assert(std::is_trivially_copyable_v<Machine>);
  const auto shared = std::make_shared<Machine>(machine);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibcast(shared.get(), sizeof machine, MPI_BYTE, 0, comm.get(), &request), "MPI_Ibcast");
  wait(request, alarm, the_others, shared);
  return *shared;
}

// What one rank measures, and with whom.
class Measurement {
 public:
  Measurement(const Communicator& comm, const Alarm& alarm, const CoreShares& shares, double seconds)
      : comm_(comm), alarm_(alarm), shares_(shares), seconds_(seconds), begin_(Clock::now()) {
    const std::int32_t rank = comm.rank();
    node_ = shares.node(rank);
    const auto& members = shares.members(node_);
    place_ =
        static_cast<std::int32_t>(std::lower_bound(members.begin(), members.end(), rank) - members.begin());
    size_ = static_cast<std::int32_t>(members.size());
    cores_ = shares.cores(node_);
    mate_ = find_mate();
    stranger_ = find_stranger();
  }

  Times run() {
    Times times;
    times.fill(0);
    const bool blends = place_ < cores_;
    if (blends || mate_) {
      auto memory = std::make_shared<ColdBuffers>(memory_bytes(), left_until(written_by));
      try {
        measure(*memory, blends, times);
      } catch (...) {
        keep_for_ever(memory);
        throw;
      }
    }
    sleep_until(1);
    return times;
  }

 private:
  void measure(ColdBuffers& memory, bool blends, Times& times) const {
    if (blends) {
      const CoreTimes core = measure_core(memory, left_until(blended_by));
      times[4] = core.gamma_read;
      times[5] = core.gamma_write;
      times[6] = core.copy;
    }
    sleep_until(blended_by);
    if (mate_) {
      const double until = shares_.count() > 1 ? node_measured_by : 1;
      const auto pair = probe_pair(comm_, alarm_, memory, *mate_, PairClock::processor, left_until(until));
      if (pair) {
        times[2] = pair->latency;
        times[3] = pair->byte;
      }
    }
    if (stranger_) {
      if (size_ > 1) sleep_until(node_measured_by);
      const auto pair = probe_pair(comm_, alarm_, memory, *stranger_, PairClock::wall, left_until(1));
      if (pair) {
        times[0] = pair->latency;
        times[1] = pair->byte / pairs_to_stranger_;
      }
    }
  }

  // The other rank of this node with which this one forms a pair: 0 and 1, 2 and 3, ... as many as there are
  // cores for.
  std::optional<int> find_mate() const {
    const std::int32_t pairs = std::min(std::max(cores_ / 2, 1), size_ / 2);
    if (place_ >= 2 * pairs) return std::nullopt;
    return shares_.members(node_)[static_cast<std::size_t>(place_ ^ 1)];
  }

  // The rank of another node with which this one forms a pair: nodes of the first half with those of the
  // second.
  std::optional<int> find_stranger() {
    const std::int32_t half = shares_.count() / 2;
    if (node_ >= 2 * half) return std::nullopt;
    const std::int32_t other = node_ < half ? node_ + half : node_ - half;
    const auto& members = shares_.members(other);
    pairs_to_stranger_ =
        std::min({size_, cores_, static_cast<std::int32_t>(members.size()), shares_.cores(other)});
    if (place_ >= pairs_to_stranger_) return std::nullopt;
    return members[static_cast<std::size_t>(place_)];
  }

  std::size_t memory_bytes() const {
    return std::clamp(node_memory / static_cast<std::size_t>(std::min(size_, cores_)), least_memory,
                      most_memory);
  }

  double left_until(double share) const {
    const double passed = std::chrono::duration<double>(Clock::now() - begin_).count();
    return std::max(share * seconds_ - passed, 0.0);
  }

  // Without polling, which would take a core from those that measure.
  void sleep_until(double share) const {
    constexpr double between_checks = 0.05;
    while (left_until(share) > 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left_until(share), between_checks)));
      alarm_.join_if_raised([] { return std::string("the others to measure the machine"); });
      alarm_.interrupt();
    }
  }

  const Communicator& comm_;
  const Alarm& alarm_;
  const CoreShares& shares_;
  double seconds_;
  Clock::time_point begin_;
  std::int32_t node_ = 0;
  std::int32_t place_ = 0;  // among the node's ranks
  std::int32_t size_ = 0;   // ranks of the node
  std::int32_t cores_ = 0;
  std::int32_t pairs_to_stranger_ = 1;
  std::optional<int> mate_;
  std::optional<int> stranger_;
};

// The medians over the ranks.
Machine machine_of(const std::vector<Times>& ranks, const CoreShares& shares) {
  Machine machine;
  for (std::size_t i = 0; i < machine_times.size(); ++i) {
    std::vector<double> measured;
    for (const Times& times : ranks)
      if (times[i] > 0) measured.push_back(times[i]);
    if (!measured.empty()) machine.*machine_times[i].member = quantile(std::move(measured), 0.5);
  }
  machine.cores = shares.least_cores();
  machine.ranks = shares.most_ranks();
  return machine;
}

}  // namespace

Machine probe(const Communicator& comm, const Alarm& alarm, const Node& node, double seconds) {
  alarm.interrupt();
  const CoreShares shares = share_cores(comm, alarm, node, the_others);
  const Times mine = Measurement(comm, alarm, shares, seconds).run();
  const std::vector<Times> ranks = gather_all(comm, alarm, mine);
  return broadcast(comm, alarm, comm.rank() == 0 ? machine_of(ranks, shares) : Machine{});
}

}  // namespace sortlast
