// Rendezvous of all ranks, and the differences if they disagree.
//
// Ranks of a node meet in its memory. Ranks of several nodes also make one small reduction. It starts at
// once, and a rank may begin before it ends, so ranks that arrive early need not wait for the last. The
// minimum hash equals the complement of the minimum complement if and only if all hashes are equal.
//
// The arguments themselves are compared only if ranks disagree. The first rank receives the hash of every
// other rank, asks one rank of each of the first few groups for its text, and sends the difference to all. If
// messages of the call may be under way by then, because a rank has begun, all ranks close the compositor
// together.
//
// Rejected: cancelling the receives, counting the messages sent, and receiving the rest. It recovered a
// compositor from an error of the program, which ends there anyway, and took more code than the check itself.
#include "sortlast/execute/mpi/rendezvous.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast {

// ---- The comparison of hashes ---------------------------------------------------------------------

struct Comparison::Reduction {
  std::array<std::uint64_t, 3> mine;  // the hash, its complement, and another number
  std::array<std::uint64_t, 3> all;   // the minimum of each
};

Comparison::Comparison(const Communicator& comm, const Alarm& alarm, const std::string& call,
                       std::uint64_t hash, const Numbers& mine)
    : alarm_(alarm), call_(call), reduction_(std::make_shared<Reduction>()) {
  Reduction& it = *reduction_;
  it.mine = {hash, ~hash, mine.least};
  check_mpi(MPI_Iallreduce(it.mine.data(), it.all.data(), static_cast<int>(it.mine.size()), MPI_UINT64_T,
                           MPI_MIN, comm.get(), &request_),
            "MPI_Iallreduce");
}

Comparison::~Comparison() {
  if (request_ == MPI_REQUEST_NULL) return;
  try {
    keep_for_ever(reduction_);
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory to record it
  }
}

bool Comparison::finished() {
  int done = 1;
  if (request_ != MPI_REQUEST_NULL) check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void Comparison::wait() {
  Backoff backoff(alarm_, all_ranks_to_call(call_));
  while (!finished()) backoff.pause();
}

bool Comparison::same() const { return reduction_->all[0] == ~reduction_->all[1]; }

Numbers Comparison::numbers() const { return {reduction_->all[2]}; }

// ---- Differences ----------------------------------------------------------------------------------

namespace {

constexpr std::size_t groups_told = 8;  // maximum number of groups that are asked for their text

// A rank's message to the first rank, and the answer to it.
struct Introduction {
  std::uint64_t hash;
  std::uint64_t begun;
};
enum class Answer : char { agreed, tell, wait };

// One rank's part in a comparison of arguments at the first of `ranks`.
class Difference {
 public:
  Difference(const Communicator& comm, const Alarm& alarm, const std::vector<int>& ranks,
             const Arguments& arguments)
      : comm_(comm),
        alarm_(alarm),
        ranks_(ranks),
        arguments_(arguments),
        waits_for_(all_ranks_to_call(arguments.call())) {}

  // Collective: the difference, the same on all; empty: none. Sets `begun` if it is set on any of them.
  std::string find(bool& begun) {
    return comm_.rank() == ranks_.front() ? find_as_first(begun) : hear_from_first(begun);
  }

 private:
  std::string find_as_first(bool& begun) {
    std::vector<Group> groups = groups_by_hash(begun);
    if (groups.size() == 1) {
      for (const int rank : others()) send(rank, std::string(1, static_cast<char>(Answer::agreed)));
      return "";
    }
    std::vector<int> left;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::vector<int>& of = groups[i].ranks;
      for (const int rank : of) {
        const bool tells = i < groups_told && rank == of.front();
        if (rank != comm_.rank()) send(rank, {static_cast<char>(tells ? Answer::tell : Answer::wait)});
      }
      if (i >= groups_told) left.insert(left.end(), of.begin(), of.end());
    }
    groups.resize(std::min(groups.size(), groups_told));
    for (std::size_t i = 1; i < groups.size(); ++i) groups[i].text = receive(groups[i].ranks.front());
    std::sort(left.begin(), left.end());
    const std::string text = describe_difference(groups, left);
    for (const int rank : others()) send(rank, (begun ? "1" : "0") + text);
    return text;
  }

  // The groups ordered by their lowest ranks; only this rank's own group has its text.
  std::vector<Group> groups_by_hash(bool& begun) {
    std::vector<Group> groups{{arguments_.text(), {comm_.rank()}}};
    std::map<std::uint64_t, std::size_t> group_of{{arguments_.hash(), 0}};
    for (const int rank : others()) {
      const std::string bytes = receive(rank);
      Introduction other{};
      std::memcpy(&other, bytes.data(), std::min(bytes.size(), sizeof other));
      begun = begun || other.begun != 0;
      const auto [found, is_new] = group_of.try_emplace(other.hash, groups.size());
      if (is_new) groups.emplace_back();
      groups[found->second].ranks.push_back(rank);
    }
    return groups;
  }

  std::string hear_from_first(bool& begun) {
    const Introduction mine{arguments_.hash(), begun ? 1U : 0U};
    const int first = ranks_.front();
    send(first, std::string(reinterpret_cast<const char*>(&mine), sizeof mine));
    const std::string answer = receive(first);
    if (answer[0] == static_cast<char>(Answer::agreed)) return "";
    if (answer[0] == static_cast<char>(Answer::tell)) send(first, arguments_.text());
    const std::string text = receive(first);
    begun = text[0] == '1';
    return text.substr(1);
  }

  std::span<const int> others() const { return std::span(ranks_).subspan(1); }
  int tag(bool to_first) const { return rendezvous_tag(comm_.get(), to_first ? 0 : 1); }
  void send(int rank, const std::string& text) const {
    send_message(comm_, alarm_, rank, tag(rank == ranks_.front()), text.data(), text.size(), waits_for_);
  }
  std::string receive(int rank) const {
    std::vector<std::byte> bytes;
    receive_message(comm_, alarm_, rank, tag(rank != ranks_.front()), bytes, waits_for_);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  const Communicator& comm_;
  const Alarm& alarm_;
  const std::vector<int>& ranks_;
  const Arguments& arguments_;
  const WaitsFor waits_for_;
};

// Throws if the ranks disagree.
void compare_among(const Communicator& comm, const Alarm& alarm, const std::vector<int>& ranks,
                   const Arguments& arguments, bool begun) {
  const std::string text = Difference(comm, alarm, ranks, arguments).find(begun);
  if (text.empty()) return;
  const char* const advice = begun ? ". The compositor cannot be used any more; make a new one." : "";
  throw SettledError<MismatchError>(text + advice, {begun});
}

[[noreturn]] void throw_difference_of_all(const Communicator& comm, const Alarm& alarm,
                                          const Arguments& arguments, bool begun) {
  std::vector<int> all(static_cast<std::size_t>(comm.size()));
  std::iota(all.begin(), all.end(), 0);
  compare_among(comm, alarm, all, arguments, begun);
  throw SettledError<MismatchError>("ranks disagree: in nothing that their arguments show");
}

std::string nobody() { return "nobody, it was late"; }

}  // namespace

void agree_among(const Communicator& comm, const Alarm& alarm, const std::vector<int>& ranks,
                 Arguments arguments, const std::string& problem) {
  arguments.add("problem", problem);
  compare_among(comm, alarm, ranks, arguments, false);
  if (!problem.empty()) throw SettledError<ArgumentError>(problem);
}

void agree(const Communicator& comm, const Alarm& alarm, Arguments arguments, const std::string& problem) {
  arguments.add("problem", problem);
  alarm.join_if_raised(nobody);
  Comparison comparison(comm, alarm, arguments.call(), arguments.hash());
  comparison.wait();
  if (!comparison.same()) throw_difference_of_all(comm, alarm, arguments, false);
  if (!problem.empty()) throw SettledError<ArgumentError>(problem);
}

// ---- Arrivals -------------------------------------------------------------------------------------

std::optional<Numbers> CallArrival::numbers() const {
  if (comparison_) return comparison_->numbers();
  return numbers_;
}

void CallArrival::settle() {
  if (comparison_) comparison_->wait();
  const std::vector<int>& ranks = attendance_.ranks;
  if (ranks.empty() && !same()) throw_difference(false);
  // Also if all have the same problem: none may make another offer before all have compared.
  if (!ranks.empty() && (!same() || !proposal_.problem.empty()))
    compare_among(comm_, alarm_, ranks, proposal_.arguments, false);
  if (!proposal_.problem.empty()) throw SettledError<ArgumentError>(proposal_.problem);
}

void CallArrival::throw_difference(bool begun) const {
  throw_difference_of_all(comm_, alarm_, proposal_.arguments, begun);
}

std::unique_ptr<CallArrival> Rendezvous::arrive(Proposal mine) {
  const bool compares = mine.check || by_deadline_ || node_.everybody();
  if (compares) {
    mine.arguments.add("problem", mine.problem);
    alarm_.join_if_raised(nobody);
  } else if (!mine.problem.empty()) {
    throw SettledError<ArgumentError>(mine.problem);
  }
  mine.offer.hash = compares ? mine.arguments.hash() : 0;
  std::unique_ptr<CallArrival> arrival(new CallArrival(comm_, alarm_, std::move(mine)));
  if (by_deadline_) {
    arrive_by_deadline(*arrival);
  } else {
    arrive_with_all(*arrival, compares);
  }
  return arrival;
}

void Rendezvous::arrive_with_all(CallArrival& arrival, bool compares) {
  const Proposal& mine = arrival.proposal_;
  if (compares && !node_.everybody())
    arrival.comparison_.emplace(comm_, alarm_, arrival.call(), mine.arguments.hash(), mine.numbers);
  arrival.agreed_ = node_.meet(mine.offer, arrival.call());
  if (node_.everybody()) arrival.settle();
}

}  // namespace sortlast
