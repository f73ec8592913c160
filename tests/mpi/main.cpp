// Runs every test on every rank; a failure on any rank fails the run.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "mpi/ranks.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"

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

// Whether calls after MPI_Finalize are errors, rather than the end of the process.
bool refuses(const std::function<void()>& call) {
  try {
    call();
  } catch (const sortlast::UsageError&) {
    return true;
  } catch (const std::exception& error) {
    std::printf("after MPI_Finalize: another exception than expected: %s\n", error.what());
    return false;
  }
  std::printf("after MPI_Finalize: no exception\n");
  return false;
}

bool refuses_all(sortlast::Compositor& compositor, const sortlast::Tile& tile) {
  return refuses([&] { compositor.composite({}); }) && refuses([&] { compositor.gather(tile); }) &&
         refuses([] { sortlast::Compositor another(MPI_COMM_WORLD); }) &&
         refuses([] { sortlast::visibility_order(MPI_COMM_WORLD, {}, {}); }) &&
         compositor.allocate(64).get() != nullptr;
}

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
  auto compositor = std::make_unique<sortlast::Compositor>(MPI_COMM_WORLD);
  const sortlast::Tile tile = compositor->composite({});
  MPI_Finalize();
  if (!refuses_all(*compositor, tile)) failed = 1;
  compositor.reset();
  return failed;
}
