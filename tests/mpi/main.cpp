// Runs every test on every rank; a failure on any rank fails the run.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <string>

#include "mpi/ranks.hpp"

namespace {

// Failures of all ranks with their rank in front; the rest is printed by rank 0 alone.
class FailurePrinter : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  // Called with gtest's lock held, so it must not ask gtest for anything.
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed()) return;
    std::printf("rank %d of %d: %s\n%s:%d: %s\n", sortlast::testing::world_rank(),
                sortlast::testing::world_size(), test_.c_str(),
                part.file_name() == nullptr ? "?" : part.file_name(), part.line_number(), part.message());
    std::fflush(stdout);
  }

  std::string test_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);

  // gtest owns the listeners.
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (sortlast::testing::world_rank() != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailurePrinter);

  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (failed != 0 && sortlast::testing::world_rank() == 0) std::printf("failed; see above on which ranks\n");
  MPI_Finalize();
  return failed;
}
