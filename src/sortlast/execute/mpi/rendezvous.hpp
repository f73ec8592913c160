// Rendezvous: ranks arrive at a call and find out whether all passed the same arguments. It comprises all
// ranks of a communicator or, for a frame that does not wait, the ranks that arrive by a deadline.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sortlast/execute/mpi/arguments.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/execute/node/node.hpp"

namespace sortlast {

// Numbers reduced as ranks arrive: first a rank's own, then over all ranks.
struct Numbers {
  std::uint64_t least = 0;  // the minimum
};

// A rank's input to a call.
struct Proposal {
  Arguments arguments;
  std::string problem = {};  // an error in the arguments; empty: none
  Offer offer = {};          // for the ranks of its node; its hash is filled in
  Numbers numbers = {};      // for all ranks, if they compare by messages
  bool check = true;         // compare the arguments; ranks that all share a node always do
  Joining joining = {};      // used if the frame does not wait for all
};

// Compares the hashes of all ranks by one small reduction, which runs while they do other work.
class Comparison {
 public:
  // Collective. Begins to compare; an error names the `call` at which a rank does not arrive.
  Comparison(const Communicator& comm, const Alarm& alarm, const std::string& call, std::uint64_t hash,
             const Numbers& mine = {});
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  // A reduction under way is left alone.
  ~Comparison();

  // Whether all ranks have arrived and compared.
  bool finished();
  // Wait until they have. Throws TimeoutError.
  void wait();

  // Once finished: whether all ranks have the same hash, and the reduced numbers.
  bool same() const;
  Numbers numbers() const;

 private:
  struct Reduction;

  const Alarm& alarm_;
  std::string call_;
  std::shared_ptr<Reduction> reduction_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

// One rank's arrival at one call, together with the ranks of its node. Ranks of other nodes may have yet to
// arrive.
class CallArrival {
 public:
  // Whether this rank may begin the call before all have arrived, because it knows of no problem. It then has
  // to poll finished() during the call, and wait for it at the end.
  bool may_begin() const { return comparison_ && agreed_ && proposal_.problem.empty(); }
  // Hash of the arguments, which distinguishes messages of different calls; 0 if arguments are not compared.
  std::uint64_t hash() const { return comparison_ ? proposal_.arguments.hash() : 0; }
  const std::string& call() const { return proposal_.arguments.call(); }

  // Whether all have arrived and compared.
  bool finished() { return !comparison_ || comparison_->finished(); }
  // Once finished: whether all passed the same.
  bool same() const { return comparison_ ? comparison_->same() : agreed_; }
  // Once finished: the numbers of all ranks; none if they were not exchanged.
  std::optional<Numbers> numbers() const;
  // The ranks that make the call; empty: every rank of the communicator.
  const Attendance& attendance() const { return attendance_; }

  // Collective, on a rank that has begun nothing: wait until all have arrived. Returns if every rank passed
  // the same arguments and no problem. Otherwise all throw the same: an ArgumentError with the problem if all
  // have the same, else a MismatchError that names the arguments that differ, with their ranks and values. If
  // the call is not checked, a problem is an ArgumentError on this rank alone. Throws TimeoutError.
  void settle();
  // Collective, once finished and not the same: throws that MismatchError. If a rank has `begun` the call, it
  // closes the compositor on every rank.
  [[noreturn]] void throw_difference(bool begun) const;

 private:
  friend class Rendezvous;
  CallArrival(const Communicator& comm, const Alarm& alarm, Proposal proposal)
      : comm_(comm), alarm_(alarm), proposal_(std::move(proposal)) {}

  const Communicator& comm_;
  const Alarm& alarm_;
  Proposal proposal_;
  std::optional<Comparison> comparison_;
  std::optional<Numbers> numbers_;
  Attendance attendance_;
  bool agreed_ = true;  // of its node, or of the ranks that arrived by the deadline
};

class Rendezvous {
 public:
  // All arguments must outlive it. `by_deadline`: frames do not wait for late ranks.
  Rendezvous(const Communicator& comm, const Alarm& alarm, Node& node, bool by_deadline)
      : comm_(comm), alarm_(alarm), node_(node), by_deadline_(by_deadline) {}

  bool by_deadline() const { return by_deadline_; }

  // Collective: arrive, and wait for the other ranks of this node; their offers can then be read. With a
  // deadline, wait until it is known which ranks make the call. Throws TimeoutError, and the errors of
  // settle() if all ranks are on one node and disagree.
  std::unique_ptr<CallArrival> arrive(Proposal mine);

 private:
  void arrive_with_all(CallArrival& arrival, bool compares);
  void arrive_by_deadline(CallArrival& arrival);
  void join_in_node(CallArrival& arrival);
  void join_by_messages(CallArrival& arrival);
  void lead(CallArrival& arrival);
  void follow(CallArrival& arrival);
  bool take_request();
  void tell(int rank, const std::vector<std::uint64_t>& what, const std::string& call) const;
  void pass_on(const std::vector<std::uint64_t>& what, const std::vector<int>& ranks,
               const std::string& call) const;

  const Communicator& comm_;
  const Alarm& alarm_;
  Node& node_;
  const bool by_deadline_;
  // At rank 0.
  std::int64_t last_ = 0;                              // number of the last frame
  std::map<int, std::vector<std::uint64_t>> arrived_;  // at the next frame, by rank
};

// Collective over all ranks: returns if every rank passed the same arguments and no problem, which takes one
// small reduction; otherwise throws like CallArrival::settle().
void agree(const Communicator& comm, const Alarm& alarm, Arguments arguments, const std::string& problem);

// The same over `ranks` alone (ascending, including this one), which takes two messages per rank.
void agree_among(const Communicator& comm, const Alarm& alarm, const std::vector<int>& ranks,
                 Arguments arguments, const std::string& problem);

}  // namespace sortlast
