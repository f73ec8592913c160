// Meeting.
//
// Ranks of a node meet in its memory, those of several by one small reduction as well. That one is under way
// from the start, and a rank may begin before it ends: then the ranks that come early need not wait for the
// last. When it shows that ranks disagree, some may have sent what nobody else expects; all take in what was
// sent to them (strays.hpp) before anybody throws, so that the next call begins with nothing under way.
#include "sortlast/execute/mpi/meeting.hpp"

#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/strays.hpp"

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
  if (!in_node_) throw_difference();
  if (!problem_.empty()) throw ArgumentError(problem_);
}

std::optional<Numbers> Meeting::numbers() const {
  if (!comparison_) return {};
  return comparison_->numbers();
}

void Meeting::settle() {
  if (!comparison_) return;
  comparison_->wait();
  if (!same()) {
    take_in_strays(comm_, alarm_, {});
    throw_difference();
  }
  if (!problem_.empty()) throw ArgumentError(problem_);
}

void Meeting::throw_difference() const { sortlast::throw_difference(comm_, alarm_, arguments_); }

}  // namespace sortlast
