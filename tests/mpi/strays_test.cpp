// Strays: what was sent and nobody else receives is taken in.
#include "sortlast/execute/mpi/strays.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "mpi/ranks.hpp"
#include "sortlast/execute/mpi/communicator.hpp"

namespace sortlast {
namespace {

// All that was sent is received, however much of it before.
TEST(Strays, AreTakenIn) {
  const Communicator comm = duplicate(MPI_COMM_WORLD, 20, "test");
  const Alarm alarm(comm, 20, {});
  const int p = testing::world_size();
  const int rank = testing::world_rank();
  std::mt19937 all(1202);  // the same on every rank
  std::mt19937 own(static_cast<unsigned>(rank));
  const auto count = static_cast<std::size_t>(p);
  for (int round = 0; round < 30; ++round) {
    // Sizes of the messages from each rank to each.
    std::vector<std::vector<int>> sizes(count * count);
    for (auto& pair : sizes)
      for (unsigned i = all() % 4; i-- > 0;) pair.push_back(static_cast<int>(all() % (1U << (all() % 20))));
    std::vector<std::vector<char>> memory;
    std::vector<MPI_Request> requests;
    Exchanged mine{std::vector<std::int32_t>(count), std::vector<std::int32_t>(count)};
    for (std::size_t peer = 0; peer < count; ++peer) {
      for (const int size : sizes[static_cast<std::size_t>(rank) * count + peer]) {
        memory.emplace_back(static_cast<std::size_t>(size));
        requests.push_back(MPI_REQUEST_NULL);
        PMPI_Isend(memory.back().data(), size, MPI_BYTE, static_cast<int>(peer), mine.sent[peer] * 7 % 3,
                   comm.get(), &requests.back());
        ++mine.sent[peer];
      }
    }
    for (std::size_t peer = 0; peer < count; ++peer) {
      const auto& from = sizes[peer * count + static_cast<std::size_t>(rank)];
      if (from.empty() || own() % 2 == 0) continue;
      std::vector<char> first(static_cast<std::size_t>(from.front()));
      MPI_Recv(first.data(), from.front(), MPI_BYTE, static_cast<int>(peer), MPI_ANY_TAG, comm.get(),
               MPI_STATUS_IGNORE);
      ++mine.received[peer];
    }
    const bool none = std::accumulate(mine.sent.begin(), mine.sent.end(), 0) == 0 && round % 2 == 0;
    take_in_strays(comm, alarm, none ? Exchanged{{}, mine.received} : mine);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_FALSE(has_messages(comm.get()));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace
}  // namespace sortlast
