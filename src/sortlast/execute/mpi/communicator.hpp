// The library's own communicators: duplicates of the user's; and MPI calls that throw.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "sortlast/execute/node/process_memory.hpp"

namespace sortlast {

// Throws MpiError with the library's text unless `code` is MPI_SUCCESS; `what` names the call.
void check_mpi(int code, const char* what);

// Throws unless MPI can be used: ArgumentError before MPI_Init, UsageError after MPI_Finalize. `call` names
// the user's call.
void check_mpi_is_there(const char* call);

// A communicator owned by the library. Its destruction does not communicate, so ranks may destroy theirs in
// any order. A duplicate is freed when its ranks make the next one after all of them have destroyed it; the
// rest are freed when MPI is finalised.
class Communicator {
 public:
  Communicator() = default;
  // `id`: the same on all its ranks, and different from other communicators' ids; 0: none.
  explicit Communicator(MPI_Comm comm, std::uint64_t id = 0) : comm_(comm), id_(id) {}
  Communicator(Communicator&& other) noexcept
      : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), id_(other.id_), process_(other.process_) {}
  Communicator& operator=(Communicator&& other) noexcept;
  ~Communicator();

  MPI_Comm get() const { return comm_; }
  int rank() const;
  int size() const;
  // Collective, after all calls on it have ended: free it.
  void free();
  // Release the handle without freeing it, as messages may be under way on it. Returns the handle.
  MPI_Comm abandon() { return std::exchange(comm_, MPI_COMM_NULL); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::uint64_t id_ = 0;
  std::int32_t process_ = this_process();
};

// Collective over the user's `comm`: a copy of it, on which all ranks have met, and which returns errors.
// `call` is named in messages. Throws ArgumentError if `comm` is not an intracommunicator, TimeoutError if
// not all ranks arrive within `timeout` seconds, and any exception of `interrupt`. It may then be tried
// again, at any time and by any rank. The only call ever made on `comm` is one MPI_Comm_idup for each attempt
// that the ranks have made together.
Communicator duplicate(MPI_Comm comm, double timeout, const char* call,
                       const std::function<void()>& interrupt = {});

// Tags on the library's communicators. The largest are for alarms and for the four kinds of messages of a
// rendezvous; a frame's messages use the tags up to the limit.
int alarm_tag(MPI_Comm comm);
int rendezvous_tag(MPI_Comm comm, int kind);
int tag_limit(MPI_Comm comm);

}  // namespace sortlast
