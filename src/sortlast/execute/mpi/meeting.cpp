// Meeting.
//
// Ranks of a node meet in its memory, those of several by one small reduction as well. That one is under way
// from the start, and a rank may begin before it ends: then ranks that arrive early need not wait for the
// last. If it shows that ranks disagree, messages may be under way that no other rank expects. All ranks then
// learn whether one of them has begun, and close the compositor together.
//
// Rejected: to cancel the receives, count what was sent, and receive the rest. It recovered a compositor from
// an error of the program, which ends there anyway, and took more code than the check itself.
#include "sortlast/execute/mpi/meeting.hpp"

#include <utility>

#include "sortlast/error.hpp"

namespace sortlast {

Meeting::Meeting(const Communicator& comm, const Alarm& alarm, Node& node, Brought mine, bool check)
    : comm_(comm),
      alarm_(alarm),
      node_(node),
      arguments_(std::move(mine.arguments)),
      problem_(std::move(mine.problem)) {
  const bool compares = check || node_.everybody();
  if (compares) {
    arguments_.add("problem", problem_);
    alarm_.join_if_raised([] { return std::string("nobody, it came late"); });
  } else if (!problem_.empty()) {
    throw ArgumentError(problem_);
  }
  if (compares && !node_.everybody())
    comparison_.emplace(comm_, alarm_, call(), arguments_.hash(), mine.numbers);
  mine.offer.hash = compares ? arguments_.hash() : 0;
  in_node_ = node_.meet(mine.offer, call());
  if (!node_.everybody()) return;
  if (!in_node_) throw_difference(false);
  if (!problem_.empty()) throw ArgumentError(problem_);
}

std::optional<Numbers> Meeting::numbers() const {
  if (!comparison_) return {};
  return comparison_->numbers();
}

void Meeting::settle() {
  if (!comparison_) return;
  comparison_->wait();
  if (!same()) throw_difference(false);
  if (!problem_.empty()) throw ArgumentError(problem_);
}

void Meeting::throw_difference(bool begun) const {
  sortlast::throw_difference(comm_, alarm_, arguments_, begun);
}

}  // namespace sortlast
