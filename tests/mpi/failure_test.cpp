// Calls that fail on one rank alone: the others hear at once whose, and why.
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::Scene;

class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Failure : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  int failing_ = p_ - 1;
  std::mt19937 random_{101};
  Scene scene_{p_, {}, {32, 16}, random_, false};

  void SetUp() override {
    if (p_ == 1) GTEST_SKIP() << "one rank has no others";
  }

  ImageView image() const { return testing::image_of(scene_, rank_); }

  void expect_told(const std::string& cause, const std::function<void()>& action) const {
    const std::string text = error_of<RemoteError>(action);
    expect_contains(text, "rank " + std::to_string(failing_) + " gave up: " + cause);
    testing::expect_same_on_all_ranks(text);
  }
  void expect_only_a_new_one_works(Compositor& compositor) const {
    expect_contains(error_of<TimeoutError>([&] { compositor.composite(image()); }), "make a new one");
    Compositor fresh(MPI_COMM_WORLD);
    const Frame oracle = composite_serial(scene_.views(), scene_.size(), scene_.format(), Op::over);
    scene_.expect_near(fresh.composite(image()), oracle,
                       testing::tolerance(scene_.format(), Op::over, p_, false));
  }
  // The others' messages, and the text of rank 0 for the one that has none.
  void join_comparison() const {
    std::vector<char> first(4096, '\0');
    MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  }
};

// Anything that is thrown between the agreement and the end of the exchange.
TEST_F(Failure, WithinAFrame) {
  for (const std::string cause : {"out of memory", "the disk is full", "wrong pixels", "other pixels"}) {
    SCOPED_TRACE(cause);
    // Messages alone. The failing rank sends some; all others need it.
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send", .node_ranks = 1});
    compositor.composite(image());
    bool failed = false;
    const testing::BeforeSends fail([&] {
      if (rank_ != failing_ || std::exchange(failed, true)) return;
      if (cause == "out of memory") throw std::bad_alloc();
      if (cause == "wrong pixels") throw ArgumentError(cause);  // types of errors that all ranks throw
      if (cause == "other pixels") throw MismatchError(cause);
      throw std::runtime_error(cause);
    });
    if (rank_ == failing_) {
      EXPECT_ANY_THROW(compositor.composite(image()));
      join_comparison();
      expect_contains(error_of<TimeoutError>([&] { compositor.composite(image()); }), "make a new one");
    } else {
      expect_told(cause, [&] { compositor.composite(image()); });
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_F(Failure, WithinAGather) {
  Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send", .node_ranks = 1});
  const Tile tile = compositor.composite(image());
  bool failed = false;
  const testing::BeforeSends fail([&] {
    if (rank_ == failing_ && !std::exchange(failed, true)) throw ArgumentError("wrong pixels");
  });
  if (rank_ == failing_) {
    EXPECT_ANY_THROW(compositor.gather(tile));
  } else if (rank_ == 0) {
    expect_contains(error_of<RemoteError>([&] { compositor.gather(tile); }), "gave up: wrong pixels");
  } else {
    try {
      compositor.gather(tile);
    } catch (const RemoteError&) {  // NOLINT(bugprone-empty-catch): it had yet to send its tile
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// An interrupt callback that throws while its rank waits, on a node and with messages.
TEST_F(Failure, AnInterrupt) {
  for (const int node_ranks : {0, 1, 2}) {
    SCOPED_TRACE(std::to_string(node_ranks) + " ranks a node");
    bool now = false;
    Compositor compositor(MPI_COMM_WORLD, {.node_ranks = node_ranks, .interrupt = [&now] {
                                             if (now) throw Interrupted("a signal");
                                           }});
    compositor.composite(image());
    // Rank 0 keeps the others waiting until one of them is interrupted.
    if (rank_ == failing_) {
      now = true;
      EXPECT_THROW(compositor.composite(image()), Interrupted);
      now = false;
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      join_comparison();
    } else {
      if (rank_ == 0) MPI_Recv(nullptr, 0, MPI_BYTE, failing_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect_told("a signal", [&] { compositor.composite(image()); });
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect_only_a_new_one_works(compositor);
  }
}

// What other languages' interfaces do before they can pass a call on.
TEST_F(Failure, BeforeACall) {
  Compositor compositor(MPI_COMM_WORLD);
  if (rank_ == failing_) {
    detail::CompositorAccess::give_up(compositor, "out of memory");
    join_comparison();
  } else {
    expect_told("out of memory", [&] { compositor.composite(image()); });
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_only_a_new_one_works(compositor);
}

TEST_F(Failure, InAConstructor) {
  // The callback throws while the rank waits for rank 0.
  if (rank_ == failing_) {
    int calls = 0;
    EXPECT_THROW(Compositor(MPI_COMM_WORLD, {.interrupt =
                                                 [&calls] {
                                                   if (++calls == 3) throw Interrupted("a signal");
                                                 }}),
                 Interrupted);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  // It takes up what it had begun.
  Compositor compositor(MPI_COMM_WORLD, {.timeout = 20});
  EXPECT_EQ(compositor.composite(image()).size(), scene_.size());
}

// One call at a time.
TEST(Usage, ACallFromTheInterruptCallbackIsRefused) {
  const int p = testing::world_size();
  if (p == 1) GTEST_SKIP() << "one rank waits for nobody";
  const int rank = testing::world_rank();
  std::mt19937 random(102);
  const Scene scene(p, {}, {16, 16}, random, false);
  Compositor* inner = nullptr;
  std::string refused;
  Compositor compositor(MPI_COMM_WORLD, {.interrupt = [&] {
                          if (inner == nullptr) return;
                          try {
                            std::exchange(inner, nullptr)->composite(testing::image_of(scene, rank));
                          } catch (const UsageError& error) {
                            refused = error.what();
                          }
                          MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
                        }});
  if (rank != 0) inner = &compositor;
  for (int other = 1; rank == 0 && other < p; ++other)
    MPI_Recv(nullptr, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const Frame oracle = composite_serial(scene.views(), scene.size(), scene.format(), Op::over);
  const Tile tile = compositor.composite(testing::image_of(scene, rank));
  scene.expect_near(tile, oracle, testing::tolerance(scene.format(), Op::over, p, false));
  if (rank != 0) expect_contains(refused, "while another call");
}

TEST(Usage, ASecondThreadIsRefused) {
  const int p = testing::world_size();
  if (p == 1) GTEST_SKIP() << "one rank waits for nobody";
  const int rank = testing::world_rank();
  std::mt19937 random(103);
  const Scene scene(p, {}, {16, 16}, random, false);
  // Rank 0 comes when the second threads of all others have been refused in the midst of the first one's
  // call.
  std::atomic<bool> within = false;
  std::atomic<bool> refused = false;
  bool told = false;
  Compositor compositor(MPI_COMM_WORLD, {.interrupt = [&] {
                          within = true;
                          if (refused && !std::exchange(told, true))
                            MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
                        }});
  within = false;
  std::thread second([&] {
    if (rank == 0) return;
    while (!within) testing::sleep(1e-3);
    expect_contains(error_of<UsageError>([&] { compositor.composite(testing::image_of(scene, rank)); }),
                    "in another thread");
    expect_contains(error_of<UsageError>([&] { compositor.close(); }), "under way");
    refused = true;
  });
  for (int other = 1; rank == 0 && other < p; ++other)
    MPI_Recv(nullptr, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(compositor.composite(testing::image_of(scene, rank)).size(), scene.size());
  second.join();
}

TEST(Usage, AClosedCompositorSaysSo) {
  std::mt19937 random(104);
  const Scene scene(testing::world_size(), {}, {16, 16}, random, false);
  const ImageView image = testing::image_of(scene, testing::world_rank());
  Compositor compositor(MPI_COMM_WORLD);
  const Memory memory = compositor.allocate(100);
  const Tile tile = compositor.composite(image);
  compositor.close();
  compositor.close();
  for (const std::string& text :
       {error_of<UsageError>([&] { compositor.composite(image); }),
        error_of<UsageError>([&] { compositor.gather(tile); }),
        error_of<UsageError>([&] { compositor.allocate(1); }),
        error_of<UsageError>([&] { compositor.timing(); }), error_of<UsageError>([&] { compositor.rank(); })})
    expect_contains(text, "closed");
  EXPECT_EQ(memory.get()[99], std::byte{0});
  const Frame oracle = composite_serial(scene.views(), scene.size(), scene.format(), Op::over);
  scene.expect_near(tile, oracle, testing::tolerance(scene.format(), Op::over, testing::world_size(), false));
}

}  // namespace
}  // namespace sortlast
