// Communicators of our own: duplicates of the user's, and MPI calls that throw.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "sortlast/execute/node/process_memory.hpp"

namespace sortlast {

// Throws MpiError with the library's text unless `code` is MPI_SUCCESS; `what` names the call.
void check_mpi(int code, const char* what);

// Throws unless MPI can be used: ArgumentError before MPI_Init, UsageError after MPI_Finalize. `call` is what
// the user called.
void check_mpi_is_there(const char* call);

// A communicator of our own. Its destruction communicates nothing, so that ranks may destroy theirs in any
// order: MPI frees a duplicate when its ranks make the next one after all of them have destroyed it, and all
// others when it ends.
class Communicator {
 public:
  Communicator() = default;
  // `id`: the same on all of its ranks and of no other communicator; 0: it has none.
  explicit Communicator(MPI_Comm comm, std::uint64_t id = 0) : comm_(comm), id_(id) {}
  Communicator(Communicator&& other) noexcept
      : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), id_(other.id_), process_(other.process_) {}
  Communicator& operator=(Communicator&& other) noexcept;
  ~Communicator();

  MPI_Comm get() const { return comm_; }
  int rank() const;
  int size() const;
  // Collective, when all calls on it have ended: free it.
  void free();
  // Messages may be under way on it: leave it as it is; what it was.
  MPI_Comm abandon() { return std::exchange(comm_, MPI_COMM_NULL); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::uint64_t id_ = 0;
  std::int32_t process_ = this_process();
};

// Collective over the user's `comm`: a copy of it on which all ranks have met, whose errors are returned. For
// `call`, which a message names. Throws ArgumentError if `comm` is no intracommunicator, TimeoutError if not
// all ranks come within `timeout` seconds, and what `interrupt` throws; then it may be tried again, whenever
// and by whichever rank. All that is ever called on `comm` is one MPI_Comm_idup for each attempt that the
// ranks have made together.
Communicator duplicate(MPI_Comm comm, double timeout, const char* call,
                       const std::function<void()>& interrupt = {});

// Tags on a communicator of our own. The largest are for alarms and for the four kinds of messages of a
// rendezvous; those of a frame's messages go up to the limit.
int alarm_tag(MPI_Comm comm);
int rendezvous_tag(MPI_Comm comm, int kind);
int tag_limit(MPI_Comm comm);

}  // namespace sortlast
