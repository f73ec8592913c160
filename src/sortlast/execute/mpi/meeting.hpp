// Meeting: all ranks come to a call, and find out whether all passed the same arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sortlast/execute/mpi/agreement.hpp"
#include "sortlast/execute/mpi/comparison.hpp"
#include "sortlast/execute/node/node.hpp"

namespace sortlast {

// What a rank brings to a meeting.
struct Brought {
  Arguments arguments;
  std::string problem;   // what is wrong with them; or empty
  Offer offer;           // to the ranks of its node; its hash is filled in
  Numbers numbers = {};  // for all ranks, if they compare by messages
};

class Meeting {
 public:
  // Collective: come, and wait for the other ranks of this one's node, but not for those of others. Without
  // `check` arguments are compared only where all ranks share a node. Throws what settle() throws if it is
  // known already; a problem without `check` is an ArgumentError on this rank alone.
  Meeting(const Communicator& comm, const Alarm& alarm, Node& node, Brought mine, bool check);

  // Whether this rank may begin what the call does while others have yet to come: as far as it knows,
  // nothing is wrong. It has to look at through() on the way, and at the end wait for it.
  bool may_begin() const { return problem_.empty() && in_node_; }
  // Of the arguments, for telling messages of different calls apart; 0 if they are not compared.
  std::uint64_t hash() const { return comparison_ ? arguments_.hash() : 0; }
  const std::string& call() const { return arguments_.call(); }

  // Whether all have come, and compared.
  bool through() { return !comparison_ || comparison_->through(); }
  // Once through: whether all passed the same.
  bool same() const { return !comparison_ || comparison_->same(); }
  // Once through: those of all ranks; none if they do not compare by messages.
  std::optional<Numbers> numbers() const;

  // Collective, on a rank that has begun nothing: wait until all have come. Returns if every rank passed the
  // same arguments and no problem; otherwise throws the same on every rank: an ArgumentError with the problem
  // if all have the same, else a MismatchError that names the arguments that differ, with the ranks and their
  // values. Throws TimeoutError.
  void settle();
  // Collective, once through and not the same: throws that MismatchError. If a rank has `begun` what the call
  // does, it closes the compositor on every rank.
  [[noreturn]] void throw_difference(bool begun) const;

 private:
  const Communicator& comm_;
  const Alarm& alarm_;
  Node& node_;
  Arguments arguments_;  // and the problem
  std::string problem_;
  std::optional<Comparison> comparison_;
  bool in_node_ = true;  // the ranks of this one's node agree
};

}  // namespace sortlast
