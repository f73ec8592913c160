// Release.
//
// A rank that has closed its compositor may still be waited for by others, which have not. Their alarms, and
// the messages of the collective in which they wait, then travel to it for ever. Had it freed its copy of the
// communicator, MPI could have given the number of that copy to a later one, for which these messages would
// be taken: an alarm would end a call in which nobody is missing, and a number from one collective would be
// added up in another. So a rank keeps its copy until it knows that all ranks have let theirs go.
//
// It learns that along a binary tree of the ranks. Once a rank and all below it have let go, it tells the one
// above; the topmost then tells those below it, and whoever hears that frees its copy. It is the last message
// that a rank gets on that communicator. These empty messages have a tag of their own, so that nothing else
// is taken for them, and they are looked for when a communicator is made or let go: then a loop that makes
// communicators keeps about 2 log2(p) of them. A rank that has given up tells nothing, so all keep theirs.
//
// Rejected: a barrier on the communicator when it is let go. Ranks that have not let go may be in another
// collective call on it, which the barrier's messages answer.
#include "sortlast/execute/mpi/release.hpp"

#include <cstdint>
#include <list>
#include <mutex>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/communicator.hpp"

namespace sortlast {
namespace {

// A copy of a communicator that this rank has let go.
class Released {
 public:
  explicit Released(MPI_Comm comm) : comm_(comm), tag_(release_tag(comm)) {
    check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
    for (int child = 1; child <= 2; ++child) missing_ += child_rank(child) < size_ ? 1 : 0;
  }

  // Hear who has let go, and tell it on. Returns whether there is nothing more to do: all have, and MPI has
  // freed it, or messages lie on it that nobody will read, and it stays.
  bool advance() {
    while (true) {
      if (!told_ && missing_ == 0) {
        told_ = true;
        if (rank_ == 0) return finish();
        tell((rank_ - 1) / 2);
      }
      int found = 0;
      MPI_Status status;
      check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, &status), "MPI_Iprobe");
      if (found == 0) return false;
      if (status.MPI_TAG != tag_) return true;
      const int source = status.MPI_SOURCE;
      check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, source, tag_, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
      if (source < rank_) return finish();
      --missing_;
    }
  }

 private:
  std::int64_t child_rank(int child) const { return std::int64_t{2} * rank_ + child; }

  // Nobody waits for an empty message, which leaves at once.
  void tell(int rank) const {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, rank, tag_, comm_, &request), "MPI_Isend");
    check_mpi(MPI_Request_free(&request), "MPI_Request_free");
  }

  bool finish() {
    for (int child = 1; child <= 2; ++child) {
      if (child_rank(child) < size_) tell(static_cast<int>(child_rank(child)));
    }
    // An MPI may end the process that frees what messages lie on.
    if (!has_messages(comm_)) MPI_Comm_free(&comm_);
    return true;
  }

  MPI_Comm comm_;
  int tag_;
  int rank_ = 0;
  int size_ = 0;
  int missing_ = 0;    // ranks directly below this one that have not let go with all below them
  bool told_ = false;  // that all from this one down have
};

// Those of this process.
class AllReleased {
 public:
  void add(MPI_Comm comm) {
    const std::scoped_lock lock(mutex_);
    all_.emplace_back(comm);
    advance();
  }

  void free_some() {
    const std::scoped_lock lock(mutex_);
    advance();
  }

 private:
  void advance() {
    all_.remove_if([](Released& each) {
      try {
        return each.advance();
      } catch (const MpiError&) {  // it stays
        return true;
      }
    });
  }

  std::mutex mutex_;
  std::list<Released> all_;
};

AllReleased& all_released() {
  static auto* const all = new AllReleased;  // objects that end with the process may still release theirs
  return *all;
}

}  // namespace

void release(MPI_Comm comm) noexcept {
  try {
    all_released().add(comm);
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory, or an error of MPI: it stays
  }
}

void free_released() noexcept {
  try {
    all_released().free_some();
  } catch (...) {  // NOLINT(bugprone-empty-catch): as above
  }
}

}  // namespace sortlast
