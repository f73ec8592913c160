// Probe of a pair.
//
// Rounds in which both ranks send and receive, as in compositing, where every rank does both at once. A
// message begins with the size of the next round, and the lower rank's is the one that counts; so the ranks
// stop after the same round though their clocks differ. Large messages grow from 16 to 256 KiB as long as
// there is time for a few more of them: on a slow network shared by many pairs one may take longer than all
// there is.
//
// A round takes what it takes both ranks on average, which they tell each other in the next round: within a
// node one of them may copy for both. A rank that waits for another one that has no core polls, so processor
// time is disturbed too, but less.
#include "sortlast/tune/probe.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/execute/mpi/backoff.hpp"

namespace sortlast {
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
constexpr double rounds_to_come = 8;  // for which there must be time before messages grow
constexpr double undisturbed = 0.25;  // of the rounds; in others a rank may have waited for a core

// How a message begins.
struct Header {
  std::int64_t next = 0;  // bytes of the next round; 0: there is none
  double spent = 0;       // by the sender on the round before [s]
};
static_assert(sizeof(Header) <= small_bytes);

class Pair {
 public:
  Pair(const Communicator& comm, const Alarm& alarm, ColdBuffers& memory, int peer)
      : comm_(comm.get()),
        memory_(memory),
        peer_(peer),
        backoff_(alarm, [peer] { return "rank " + std::to_string(peer) + " to measure messages"; }) {}

  // Exchange messages of `bytes` bytes that begin with a header; returns the peer's.
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

// The lower rank's choice of what comes next.
class Rounds {
 public:
  explicit Rounds(double seconds) : seconds_(seconds) {}

  // Bytes of the round after one of `bytes` bytes that is about to start; 0: none.
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
  std::int64_t rounds_ = 0;  // of so many bytes
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

  // The first round waits for the peer to come, and is not timed.
  pair.exchange(small_bytes, {});
  Rounds rounds(seconds);
  std::vector<double> small_times;
  std::vector<double> times;  // of the largest messages
  std::int64_t largest = 0;
  std::int64_t before = 0;  // bytes of the round before
  double spent = 0;         // on it
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
  // Within a node, a small message that takes half as long as a large one has met a busier moment.
  const double small = quantile(std::move(small_times), undisturbed);
  const double large = quantile(std::move(times), undisturbed);
  const bool disturbed = clock == PairClock::processor && small > large / 2;
  const double latency = disturbed ? 0 : std::min(small, large);
  return PairTimes{latency, std::max(large - latency, large / 2) / static_cast<double>(largest)};
}

}  // namespace sortlast
