// Ranks that come too late or stop within a frame: the others say who, and nobody hangs.
#include <gtest/gtest.h>

#include <algorithm>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::Scene;

constexpr double limit = 1;  // while others wait for the late rank; 60 otherwise [s]

class Timeout : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  int late_ = p_ - 1;
  std::mt19937 random_{91};
  Scene scene_{p_, {}, {16, 16}, random_, false};

  void SetUp() override {
    if (p_ == 1) GTEST_SKIP() << "one rank waits for nobody";
    MPI_Barrier(MPI_COMM_WORLD);  // the last test may have kept some of them
  }

  ImageView image() const { return testing::image_of(scene_, rank_); }

  // The compositor refuses from now on; the communicator under it is as good as before.
  void expect_only_a_new_one_works(Compositor& compositor) const {
    expect_contains(error_of<TimeoutError>([&] { compositor.composite(image()); }), "make a new one");
    Compositor fresh(MPI_COMM_WORLD);
    const Frame oracle = composite_serial(scene_.views(), scene_.size(), scene_.format(), Op::over);
    scene_.expect_near(fresh.composite(image()), oracle,
                       testing::tolerance(scene_.format(), Op::over, p_, false));
  }
};

TEST_F(Timeout, ARankThatComesLate) {
  for (const std::string call : {"composite", "gather"}) {
    SCOPED_TRACE(call);
    Compositor compositor(MPI_COMM_WORLD);
    const Tile tile = compositor.composite(image());
    const auto make_call = [&] {
      if (call == "gather") {
        compositor.gather(tile);
      } else {
        compositor.composite(image());
      }
    };
    detail::CompositorAccess::set_timeout(compositor, limit);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == late_) MPI_Barrier(MPI_COMM_WORLD);  // until the others have given up
    const std::string text = error_of<TimeoutError>(make_call);
    if (rank_ != late_) MPI_Barrier(MPI_COMM_WORLD);
    expect_contains(text, "rank 0 waits for");
    expect_contains(text, call);
    if (rank_ != late_) expect_contains(text, "rank " + std::to_string(late_) + " has not arrived");
    if (rank_ == late_) expect_contains(text, "late");
    expect_only_a_new_one_works(compositor);
  }
}

TEST_F(Timeout, ARankThatStopsWithinAFrame) {
  // Each takes seconds, so each number of ranks tries its share of the algorithms, by messages alone and
  // with nodes of two ranks.
  for (std::size_t i = 0; i < algorithms().size(); ++i) {
    if ((i + static_cast<std::size_t>(p_)) % 3 != 0) continue;
    const AlgorithmEntry& entry = algorithms()[i];
    const int node_ranks = p_ == 2 || i % 2 == 0 ? 1 : 2;  // two ranks on a node send nothing
    SCOPED_TRACE(entry.name + ", " + std::to_string(node_ranks) + " ranks a node");
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = entry.name, .node_ranks = node_ranks});
    const Tile tile = compositor.composite(image());

    // A rank whose messages all go to its own node is read there, and stops nobody.
    const auto by_message = [&](std::int32_t a, std::int32_t b) { return a / node_ranks != b / node_ranks; };
    const std::vector<Send> sends = tile.schedule()->program(late_).sends;
    if (std::none_of(sends.begin(), sends.end(),
                     [&](const Send& send) { return by_message(late_, send.peer); }))
      continue;
    const Program program = tile.schedule()->program(rank_);

    bool stopped = false;
    const testing::BeforeSends stop([&] {
      if (rank_ != late_ || stopped) return;
      stopped = true;
      MPI_Barrier(MPI_COMM_WORLD);  // until the others have given up
    });
    detail::CompositorAccess::set_timeout(compositor, limit);
    MPI_Barrier(MPI_COMM_WORLD);
    std::string text;
    try {
      compositor.composite(image());
    } catch (const TimeoutError& error) {
      text = error.what();
    }
    bool waits_for_it = false;
    for (const Receive& receive : program.receives)
      waits_for_it |= receive.peer == late_ && by_message(rank_, late_);
    if (waits_for_it && rank_ != late_) {
      expect_contains(text, "rank " + std::to_string(late_) + " has not arrived");
      // The first eight are told one by one.
      if (rank_ < 8) expect_contains(text, "rank " + std::to_string(rank_) + " waits for rank ");
      expect_contains(text, " at stage ");
      expect_contains(text, " of " + tile.schedule()->name());
    }
    // Ranks that did not need the message learn of it in the next call.
    if (text.empty()) error_of<TimeoutError>([&] { compositor.composite(image()); });
    if (rank_ != late_) MPI_Barrier(MPI_COMM_WORLD);
    expect_only_a_new_one_works(compositor);
  }
}

TEST_F(Timeout, ARankThatMakesNoCompositor) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (rank_ != late_) {
    expect_contains(error_of<TimeoutError>([&] { Compositor(comm, {.timeout = limit}); }), "Compositor");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(Timeout, SlowButSteadyIsNoTimeout) {
  // Each message takes a part of the limit, and the frame as a whole passes it.
  if (p_ < 7) GTEST_SKIP() << "few messages: each would take about as long as the limit";
  constexpr double wide = 5;
  Compositor compositor(MPI_COMM_WORLD, {.algorithm = "parallel-pipeline", .node_ranks = 1});
  detail::CompositorAccess::set_timeout(compositor, wide);
  const testing::BeforeSends slow([this] { testing::sleep(1.2 * wide / (p_ - 1)); });
  const Frame oracle = composite_serial(scene_.views(), scene_.size(), scene_.format(), Op::over);
  scene_.expect_near(compositor.composite(image()), oracle,
                     testing::tolerance(scene_.format(), Op::over, p_, false));
}

}  // namespace
}  // namespace sortlast
