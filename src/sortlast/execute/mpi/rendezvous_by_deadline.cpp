// Rendezvous with a deadline.
//
// Problem: ranks that have arrived must not wait for ranks that have not, and yet all must composite with the
// same set of ranks. Messages alone cannot decide that without a rank that is certain to arrive: if any rank
// may be silent, two groups that cannot distinguish a late rank from a slow message arrive at different sets
// (Fischer, Lynch and Paterson, 1985).
//
// On one machine the memory shared by the ranks decides, whichever of them arrive (node/roll.hpp). Between
// machines rank 0 decides: each rank notifies it on arrival. Once all have arrived, or the deadline has
// passed, it sends the list of missing ranks to those present, down a binomial tree. Rank 0 therefore cannot
// be left out there; a frame waits for it, up to the timeout of all waits.
//
// Rejected: a majority vote, which with 2 ranks never leaves anyone out, and needs more messages than the
// frame itself. Also rejected: atomics on an MPI window, which some MPI libraries do not execute while the
// target process is outside MPI.
#include <algorithm>
#include <cstring>

#include "sortlast/execute/mpi/rendezvous.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

// A message from rank 0: the words of a header, then the ranks that are left out.
enum Word : std::size_t { frame_word, agreed_word, least_word, header };

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

// A message from a rank to rank 0.
struct Request {
  std::uint64_t hash;
  std::uint64_t least;
};

int request_tag(const Communicator& comm) { return rendezvous_tag(comm.get(), 2); }
int roster_tag(const Communicator& comm) { return rendezvous_tag(comm.get(), 3); }

}  // namespace

void Rendezvous::arrive_by_deadline(CallArrival& arrival) {
  arrival.numbers_ = arrival.proposal_.numbers;
  node_.offer(arrival.proposal_.offer);
  if (node_.everybody()) {
    join_in_node(arrival);
  } else {
    join_by_messages(arrival);
  }
}

void Rendezvous::join_in_node(CallArrival& arrival) {
  const Roll::Count count = node_.join(arrival.proposal_.joining, arrival.call());
  Attendance& who = arrival.attendance_;
  who.frame = static_cast<std::int64_t>(count.frame);
  who.ranks = node_.attend(who.frame, static_cast<int>(count.processes), arrival.call());
  arrival.agreed_ = node_.agree_in(who.ranks);
}

void Rendezvous::join_by_messages(CallArrival& arrival) {
  if (comm_.rank() == 0) {
    lead(arrival);
  } else {
    follow(arrival);
  }
  const std::vector<int>& ranks = arrival.attendance_.ranks;
  const auto here = 1 + std::count_if(ranks.begin(), ranks.end(), [&](int rank) { return node_.mate(rank); });
  node_.attend(arrival.attendance_.frame, static_cast<int>(here), arrival.call());
}

// ---- Rank 0 ---------------------------------------------------------------------------------------

// Take one message of a rank that has arrived. Returns whether there was one.
bool Rendezvous::take_request() {
  std::vector<std::byte> bytes;
  const int from = take_message(comm_, MPI_ANY_SOURCE, request_tag(comm_), bytes);
  if (from < 0) return false;
  Request request{};
  std::memcpy(&request, bytes.data(), std::min(bytes.size(), sizeof request));
  arrived_[from] = {request.hash, request.least};
  return true;
}

void Rendezvous::lead(CallArrival& arrival) {
  const Proposal& mine = arrival.proposal_;
  const std::uint64_t hash = mine.arguments.hash();
  const int p = comm_.size();
  arrived_[0] = {hash, mine.numbers.least};
  const double begin = trace_clock();
  Backoff backoff(alarm_, all_ranks_to_call(arrival.call()));
  while (arrived_.size() < static_cast<std::size_t>(p)) {
    if (take_request()) {
      backoff.progress();
    } else if (trace_clock() - begin >= mine.joining.deadline) {
      break;
    } else {
      backoff.pause();
    }
  }

  // Close the frame, and notify the ranks that have arrived.
  Attendance& who = arrival.attendance_;
  who.frame = ++last_;
  for (const auto& [rank, brought] : arrived_) {
    who.ranks.push_back(rank);
    arrival.agreed_ = arrival.agreed_ && brought[0] == hash;
    arrival.numbers_->least = std::min(arrival.numbers_->least, brought[1]);
  }
  std::vector<std::uint64_t> told{static_cast<std::uint64_t>(last_), arrival.agreed_ ? 1U : 0U,
                                  arrival.numbers_->least};
  for (int rank = 0; rank < p; ++rank)
    if (arrived_.find(rank) == arrived_.end()) told.push_back(static_cast<std::uint64_t>(rank));
  arrived_.clear();
  pass_on(told, who.ranks, arrival.call());
}

// ---- The others -----------------------------------------------------------------------------------

void Rendezvous::follow(CallArrival& arrival) {
  const std::string& call = arrival.call();
  const Proposal& mine = arrival.proposal_;
  const WaitsFor waits_for = [&call] {
    return "rank 0 to call " + call + " and announce the ranks of the frame";
  };
  const Request request{mine.arguments.hash(), mine.numbers.least};
  send_message(comm_, alarm_, 0, request_tag(comm_), &request, sizeof request, waits_for);
  std::vector<std::byte> bytes;
  receive_message(comm_, alarm_, MPI_ANY_SOURCE, roster_tag(comm_), bytes, waits_for);
  std::vector<std::uint64_t> told(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(told.data(), bytes.data(), told.size() * sizeof(std::uint64_t));
  arrival.attendance_.frame = static_cast<std::int64_t>(told[frame_word]);
  arrival.agreed_ = told[agreed_word] != 0;
  arrival.numbers_->least = told[least_word];
  arrival.attendance_.ranks = those_not_in(told, comm_.size());
  pass_on(told, arrival.attendance_.ranks, call);
}

void Rendezvous::tell(int rank, const std::vector<std::uint64_t>& what, const std::string& call) const {
  send_message(comm_, alarm_, rank, roster_tag(comm_), what.data(), what.size() * sizeof(std::uint64_t), [&] {
    return "rank " + std::to_string(rank) + " to learn which ranks are in the frame in " + call;
  });
}

// Send down a binomial tree of the ranks of the frame.
void Rendezvous::pass_on(const std::vector<std::uint64_t>& what, const std::vector<int>& ranks,
                         const std::string& call) const {
  const auto place =
      static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), comm_.rank()) - ranks.begin());
  for (std::size_t distance = 1; place + distance < ranks.size(); distance *= 2)
    if (distance > place) tell(ranks[place + distance], what, call);
}

}  // namespace sortlast
