// MPI calls that throw, and handles that close themselves.
#pragma once

#include <mpi.h>

#include <utility>

namespace sortlast {

// Throws MpiError with the library's text unless `code` is MPI_SUCCESS; `what` names the call.
void check_mpi(int code, const char* what);

// A communicator of our own. It is freed with this object, unless messages may still be under way on it
// (abandon()) or MPI has been finalised.
class Communicator {
 public:
  Communicator() = default;
  explicit Communicator(MPI_Comm comm) : comm_(comm) {}
  Communicator(Communicator&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&& other) noexcept;
  ~Communicator();

  MPI_Comm get() const { return comm_; }
  int rank() const;
  int size() const;
  void abandon() { comm_ = MPI_COMM_NULL; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace sortlast
