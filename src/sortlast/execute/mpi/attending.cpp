// Attending.
//
// The problem: ranks that have come shall not wait for those that have not, and yet all of them have to
// composite with the same set of ranks. Messages alone cannot decide that without a rank that is there: if
// the silent ones may be any, two groups that cannot tell a late rank from a slow message come to two sets
// (Fischer, Lynch and Paterson, 1985).
//
// On one machine the memory that the ranks share decides, whoever comes and whoever does not (node/roll.hpp).
// Between machines rank 0 does: each rank tells it that it has come, and once all have, or the deadline is
// over, it tells those who has not, down a binomial tree. So rank 0 cannot be left out there; a frame waits
// for it, up to the limit of all waits.
//
// Rejected: a vote of the majority, which with 2 ranks leaves nobody out, and needs more messages than the
// frame. Atomics on a window of MPI, which not every MPI carries out while the process that they aim at is
// outside MPI.
#include "sortlast/execute/mpi/attending.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

// Take a message of any length with a tag, if one has arrived: the bytes, and who sent it; -1: none has.
int take(const Communicator& comm, int source, int tag, std::vector<std::byte>& bytes) {
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check_mpi(MPI_Improbe(source, tag, comm.get(), &found, &message, &status), "MPI_Improbe");
  if (found == 0) return -1;
  int count = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  bytes.resize(static_cast<std::size_t>(count));
  check_mpi(MPI_Mrecv(bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  return status.MPI_SOURCE;
}

int wait_for(const Communicator& comm, const Alarm& alarm, int source, int tag, std::vector<std::byte>& bytes,
             const WaitsFor& waits_for) {
  Backoff backoff(alarm, waits_for);
  while (true) {
    const int from = take(comm, source, tag, bytes);
    if (from >= 0) return from;
    backoff.pause();
  }
}

void send(const Communicator& comm, const Alarm& alarm, int rank, int tag, const void* data, std::size_t size,
          const WaitsFor& waits_for) {
  const auto kept = std::make_shared<std::vector<std::byte>>(size);
  std::memcpy(kept->data(), data, size);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(kept->data(), static_cast<int>(size), MPI_BYTE, rank, tag, comm.get(), &request),
            "MPI_Isend");
  wait(request, alarm, waits_for, kept);
}

// What rank 0 tells: words of a header, then the ranks that are left out.
enum Told : std::size_t { frame_told, agreed_told, emptiness_told, gone_told, header };

std::vector<int> those_not_in(const std::vector<std::uint64_t>& told, int p) {
  std::vector<int> ranks;
  std::size_t next = header;
  for (int rank = 0; rank < p; ++rank) {
    if (next < told.size() && told[next] == static_cast<std::uint64_t>(rank)) {
      ++next;
    } else {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

}  // namespace

struct Attending::Message {
  std::uint64_t hash;
  std::uint64_t emptiness;
  std::uint64_t last;  // frame that the rank knows of
  std::uint64_t only_next;
};

Attended Attending::come(const Coming& mine, const std::string& call) {
  alarm_.join_if_raised([] { return std::string("nobody, it came late"); });
  node_.offer(mine.offer);
  return node_.everybody() ? come_in_node(mine, call) : come_by_messages(mine, call);
}

Attended Attending::come_in_node(const Coming& mine, const std::string& call) {
  const Roll::Count count = node_.join(mine.joining, call);
  Attended attended{{static_cast<std::int64_t>(count.frame), {}}, true, mine.emptiness};
  if (count.processes == 0) {
    --attended.who.frame;  // the last that is gone
    return attended;
  }
  attended.who.ranks = node_.attend(attended.who.frame, static_cast<int>(count.processes), call);
  attended.agreed = node_.agree_in(attended.who.ranks);
  return attended;
}

Attended Attending::come_by_messages(const Coming& mine, const std::string& call) {
  const Message message{mine.offer.hash, mine.emptiness, static_cast<std::uint64_t>(mine.joining.last),
                        mine.joining.only_next ? 1U : 0U};
  Attended attended = comm_.rank() == 0 ? lead(message, mine.joining.deadline, call) : follow(message, call);
  const std::vector<int>& ranks = attended.who.ranks;
  if (ranks.empty()) return attended;
  const auto here = 1 + std::count_if(ranks.begin(), ranks.end(), [&](int rank) { return node_.mate(rank); });
  node_.attend(attended.who.frame, static_cast<int>(here), call);
  return attended;
}

// ---- Rank 0 ---------------------------------------------------------------------------------------

// Take one message of a rank that has come. Whether there was one.
bool Attending::take_coming() {
  std::vector<std::byte> bytes;
  const int from = take(comm_, MPI_ANY_SOURCE, come_tag(), bytes);
  if (from < 0) return false;
  Message message{};
  std::memcpy(&message, bytes.data(), std::min(bytes.size(), sizeof message));
  const auto last = static_cast<std::uint64_t>(last_);
  if (message.only_next != 0 && message.last < last) {
    tell(from, {last, 1, 0, 1}, "composite");
  } else {
    come_[from] = {message.hash, message.emptiness};
  }
  return true;
}

Attended Attending::lead(const Message& mine, double deadline, const std::string& call) {
  const int p = comm_.size();
  come_[0] = {mine.hash, mine.emptiness};
  const double begin = trace_clock();
  Backoff backoff(alarm_, all_ranks_to_call(call));
  while (come_.size() < static_cast<std::size_t>(p)) {
    if (take_coming()) {
      backoff.progress();
    } else if (trace_clock() - begin >= deadline) {
      break;
    } else {
      backoff.pause();
    }
  }

  // Close the frame, and tell those who have come.
  Attended attended{{++last_, {}}, true, mine.emptiness};
  for (const auto& [rank, brought] : come_) {
    attended.who.ranks.push_back(rank);
    attended.agreed = attended.agreed && brought[0] == mine.hash;
    attended.emptiness = std::min(attended.emptiness, brought[1]);
  }
  std::vector<std::uint64_t> told{static_cast<std::uint64_t>(last_), attended.agreed ? 1U : 0U,
                                  attended.emptiness, 0};
  for (int rank = 0; rank < p; ++rank)
    if (come_.find(rank) == come_.end()) told.push_back(static_cast<std::uint64_t>(rank));
  come_.clear();
  pass_on(told, attended.who.ranks, call);
  return attended;
}

// ---- The others -----------------------------------------------------------------------------------

Attended Attending::follow(const Message& mine, const std::string& call) {
  const WaitsFor waits_for = [&call] { return "rank 0 to call " + call + " and say who is in the frame"; };
  send(comm_, alarm_, 0, come_tag(), &mine, sizeof mine, waits_for);
  std::vector<std::byte> bytes;
  wait_for(comm_, alarm_, MPI_ANY_SOURCE, told_tag(), bytes, waits_for);
  std::vector<std::uint64_t> told(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(told.data(), bytes.data(), told.size() * sizeof(std::uint64_t));
  Attended attended{
      {static_cast<std::int64_t>(told[frame_told]), {}}, told[agreed_told] != 0, told[emptiness_told]};
  if (told[gone_told] != 0) return attended;
  attended.who.ranks = those_not_in(told, comm_.size());
  pass_on(told, attended.who.ranks, call);
  return attended;
}

void Attending::tell(int rank, const std::vector<std::uint64_t>& what, const std::string& call) const {
  send(comm_, alarm_, rank, told_tag(), what.data(), what.size() * sizeof(std::uint64_t),
       [&] { return "rank " + std::to_string(rank) + " to hear who is in the frame in " + call; });
}

// Down a binomial tree of the ranks of the frame.
void Attending::pass_on(const std::vector<std::uint64_t>& what, const std::vector<int>& ranks,
                        const std::string& call) const {
  const auto place =
      static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), comm_.rank()) - ranks.begin());
  for (std::size_t distance = 1; place + distance < ranks.size(); distance *= 2)
    if (distance > place) tell(ranks[place + distance], what, call);
}

// ---- Arguments ------------------------------------------------------------------------------------

void Attending::agree(const std::vector<int>& ranks, Arguments arguments, const std::string& problem) const {
  arguments.add("problem", problem);
  const std::string call = arguments.call();
  const WaitsFor waits_for = [&] { return "the ranks of its frame to call " + call; };
  const std::string& own = arguments.text();
  std::string verdict;
  std::vector<std::byte> bytes;
  const auto text_of = [&bytes] {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (comm_.rank() != ranks.front()) {
    send(comm_, alarm_, ranks.front(), arguments_tag(), own.data(), own.size(), waits_for);
    wait_for(comm_, alarm_, ranks.front(), verdict_tag(), bytes, waits_for);
    verdict = text_of();
  } else {
    std::vector<Group> groups{{own, {comm_.rank()}}};
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      wait_for(comm_, alarm_, ranks[i], arguments_tag(), bytes, waits_for);
      const std::string text = text_of();
      const auto same =
          std::find_if(groups.begin(), groups.end(), [&](const Group& one) { return one.text == text; });
      if (same == groups.end()) {
        groups.push_back({text, {ranks[i]}});
      } else {
        same->ranks.push_back(ranks[i]);
      }
    }
    if (groups.size() > 1) verdict = describe_difference(groups, {});
    for (std::size_t i = 1; i < ranks.size(); ++i)
      send(comm_, alarm_, ranks[i], verdict_tag(), verdict.data(), verdict.size(), waits_for);
  }
  if (!verdict.empty()) throw MismatchError(verdict);
  if (!problem.empty()) throw ArgumentError(problem);
}

}  // namespace sortlast
