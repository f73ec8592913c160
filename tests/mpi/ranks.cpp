// What tests on several ranks share.
#include "mpi/ranks.hpp"

#include <utility>
#include <vector>

namespace sortlast::testing {
namespace {

std::function<void()>& before_send() {
  static std::function<void()> action;
  return action;
}

}  // namespace

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void expect_same_on_all_ranks(const std::string& text) {
  std::vector<char> first(4096, '\0');
  text.copy(first.data(), first.size() - 1);
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(text, std::string(first.data())) << "(the second is rank 0's)";
}

BeforeSends::BeforeSends(std::function<void()> action) { before_send() = std::move(action); }
BeforeSends::~BeforeSends() { before_send() = nullptr; }

}  // namespace sortlast::testing

// MPI's profiling interface: the library's own is PMPI_Isend.
extern "C" int MPI_Isend(const void* memory, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  if (const auto& action = sortlast::testing::before_send()) action();
  return PMPI_Isend(memory, count, type, peer, tag, comm, request);
}
