// Probe: measures the time of messages between two ranks, and from it a communicator's machine.
#include "sortlast/tune/probe.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/mpi/neighbours.hpp"
#include "sortlast/execute/mpi/wait.hpp"

namespace sortlast {

// ---- A pair of ranks ------------------------------------------------------------------------------
//
// In each round both ranks send and receive, as in compositing, where every rank does both at once. A message
// begins with the size of the next round. The lower rank's value counts, so that both ranks stop after the
// same round although their clocks differ. Large messages grow from 16 to 256 KiB while there is time for a
// few more of them: on a slow network shared by many pairs, one message may take longer than the whole
// measurement.
//
// The time of a round is the average of both ranks, which they exchange in the next round: within a node, one
// of them may copy for both. A rank polls while it waits for another that has no core, so processor time is
// disturbed as well, but less.

namespace {

using Clock = std::chrono::steady_clock;

constexpr int tag = 0;
constexpr std::int64_t small_bytes = 64;
constexpr std::int64_t first_large_bytes = 1 << 14;
constexpr std::int64_t most_bytes = 1 << 18;
constexpr std::int64_t growth = 4;
constexpr std::int64_t most_small = 500;
constexpr std::size_t least_large = 4;
constexpr double small_share = 0.25;  // of the time
constexpr double rounds_to_come = 8;  // messages grow only if there is time for this many
constexpr double undisturbed = 0.25;  // share of the rounds; in the others a rank may have waited for a core

// The start of a message.
struct Header {
  std::int64_t next = 0;  // bytes of the next round; 0: there is none
  double spent = 0;       // time of the sender in the previous round [s]
};
static_assert(sizeof(Header) <= small_bytes);

class Pair {
 public:
  Pair(const Communicator& comm, const Alarm& alarm, ColdBuffers& memory, int peer)
      : comm_(comm.get()),
        memory_(memory),
        peer_(peer),
        backoff_(alarm, [peer] { return "rank " + std::to_string(peer) + " to measure messages"; }) {}

  // Exchange messages of `bytes` bytes that begin with a header. Returns the peer's header.
  Header exchange(std::int64_t bytes, const Header& header) {
    std::byte* const out = memory_.next(static_cast<std::size_t>(bytes));
    std::byte* const in = memory_.next(static_cast<std::size_t>(bytes));
    std::memcpy(out, &header, sizeof header);
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const auto count = static_cast<int>(bytes);
    check_mpi(MPI_Irecv(in, count, MPI_BYTE, peer_, tag, comm_, &requests[0]), "MPI_Irecv");
    check_mpi(MPI_Isend(out, count, MPI_BYTE, peer_, tag, comm_, &requests[1]), "MPI_Isend");
    backoff_.progress();
    for (int done = 0; done == 0;) {
      check_mpi(MPI_Testall(2, requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done == 0) backoff_.pause();
    }
    Header theirs;
    std::memcpy(&theirs, in, sizeof theirs);
    return theirs;
  }

 private:
  MPI_Comm comm_;
  ColdBuffers& memory_;
  int peer_;
  Backoff backoff_;
};

// The lower rank's choice of the next round.
class Rounds {
 public:
  explicit Rounds(double seconds) : seconds_(seconds) {}

  // Size in bytes of the round after one of `bytes` bytes that is about to start; 0: none.
  std::int64_t after(std::int64_t bytes) {
    const auto now = Clock::now();
    const double last = std::chrono::duration<double>(now - std::exchange(last_, now)).count();
    const double left = seconds_ - std::chrono::duration<double>(now - begin_).count();
    const bool first = bytes != bytes_;
    if (first) rounds_ = 0;
    bytes_ = bytes;
    ++rounds_;
    if (bytes == small_bytes) {
      const bool enough = rounds_ >= most_small || left < (1 - small_share) * seconds_;
      return enough ? first_large_bytes : small_bytes;
    }
    if (first) return bytes;
    if (left < last) return 0;
    const bool grows = bytes < most_bytes && left > rounds_to_come * growth * last;
    return grows ? bytes * growth : bytes;
  }

 private:
  double seconds_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
  std::int64_t bytes_ = small_bytes;
  std::int64_t rounds_ = 0;  // number of rounds of this size
};

double seconds_of(PairClock clock) {
  if (clock == PairClock::processor) return thread_seconds();
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace

std::optional<PairTimes> probe_pair(const Communicator& comm, const Alarm& alarm, ColdBuffers& memory,
                                    int peer, PairClock clock, double seconds) {
  const bool leads = comm.rank() < peer;
  Pair pair(comm, alarm, memory, peer);

  // The first round waits for the peer to arrive, and is not timed.
  pair.exchange(small_bytes, {});
  Rounds rounds(seconds);
  std::vector<double> small_times;
  std::vector<double> times;  // times of the largest messages
  std::int64_t largest = 0;
  std::int64_t before = 0;  // size of the previous round in bytes
  double spent = 0;         // time of the previous round
  for (std::int64_t bytes = small_bytes; bytes > 0;) {
    const Header mine{rounds.after(bytes), spent};
    const double begin = seconds_of(clock);
    const Header theirs = pair.exchange(bytes, mine);
    const double end = seconds_of(clock);
    if (before > std::max(largest, small_bytes)) {
      largest = before;
      times.clear();
    }
    if (before > 0) (before == small_bytes ? small_times : times).push_back((mine.spent + theirs.spent) / 2);
    spent = end - begin;
    before = std::exchange(bytes, leads ? mine.next : theirs.next);
  }

  if (small_times.empty() || times.size() < least_large) return std::nullopt;
  // Within a node, a small message that takes more than half as long as a large one was disturbed.
  const double small = quantile(std::move(small_times), undisturbed);
  const double large = quantile(std::move(times), undisturbed);
  const bool disturbed = clock == PairClock::processor && small > large / 2;
  const double latency = disturbed ? 0 : std::min(small, large);
  return PairTimes{latency, std::max(large - latency, large / 2) / static_cast<double>(largest)};
}

// ---- The machine ----------------------------------------------------------------------------------
//
// A figure applies to a rank with a core of its own while the other cores are busy too, because they share
// the memory and the network. On each node, as many ranks as it has cores measure at the same time, and the
// others sleep. First each writes its memory, then it blends and copies, then pairs of ranks of one node
// exchange messages, then pairs of ranks of different nodes. These phases follow the clock from the moment
// when all ranks have arrived, so that only gathering the results waits for all ranks again.
//
// Work of cores is measured in processor time, because the wall clock also runs while another process has the
// core: blending, copying, and messages within a node, which are copies by the sender and by the receiver.
// With 17 processes on two cores, wall times of 0.03 s gave between 2 and 40 GB/s for the same blending.
// Between nodes the wall clock counts, and the messages of all pairs share a link.
//
// Each rank takes medians, except for messages, which a busy peer delays: for them it takes lower quartiles.
// Rank 0 takes the medians over the ranks. If the machine is too busy to measure messages in time, their
// figures keep the defaults.

namespace {

// Ends of the phases, as shares of the time.
constexpr double written_by = 0.3;
constexpr double blended_by = 0.6;
constexpr double node_measured_by = 0.8;  // if there are also messages between nodes

// Memory that each rank measures with: more than its share of the caches.
constexpr std::size_t least_memory = std::size_t{16} << 20;
constexpr std::size_t most_memory = std::size_t{64} << 20;
constexpr std::size_t node_memory = std::size_t{512} << 20;

// The measurements of one rank, in the order of machine_times; 0: not measured.
using Times = std::array<double, machine_times.size()>;

std::string the_others() { return "all ranks to measure the machine"; }

// The measurements of one rank, and its partners.
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

  // The other rank of this node with which this one forms a pair: 0 and 1, 2 and 3, ..., as long as there are
  // cores.
  std::optional<int> find_mate() const {
    const std::int32_t pairs = std::min(std::max(cores_ / 2, 1), size_ / 2);
    if (place_ >= 2 * pairs) return std::nullopt;
    return shares_.members(node_)[static_cast<std::size_t>(place_ ^ 1)];
  }

  // The rank of another node with which this one forms a pair: nodes of the first half pair with nodes of the
  // second half.
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

  // Sleeps instead of polling, which would take a core from the measuring ranks.
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
  const std::vector<Times> ranks = all_gather(comm, alarm, the_others, mine);
  return broadcast(comm, alarm, the_others, comm.rank() == 0 ? machine_of(ranks, shares) : Machine{});
}

}  // namespace sortlast
