// Whose communicator: sub-communicators, several compositors at once, other traffic with the same tags.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "mpi/kept.hpp"
#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::Scene;

// Composite a scene of the compositor's ranks and compare this rank's tile and the root's frame.
void check(Compositor& compositor, unsigned seed, const Composition& composition = {}) {
  std::mt19937 random(seed);
  const Scene scene(compositor.size(), {}, {19, 7}, random, false);
  const Frame oracle = composite_serial(scene.views(), scene.size(), scene.format(), composition.op,
                                        composition.order, composition.background);
  const float allowed = testing::tolerance(scene.format(), composition.op, compositor.size(), false);
  const Tile tile = compositor.composite(testing::image_of(scene, compositor.rank()), composition);
  scene.expect_near(tile, oracle, allowed);
  const auto frame = compositor.gather(tile, 0);
  if (frame) scene.expect_near(*frame, oracle, allowed);
}

TEST(Communicators, TheCallersMayBeFreedAtOnce) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  Compositor compositor(comm);
  MPI_Comm_free(&comm);
  check(compositor, 31);
}

TEST(Communicators, PartsOfTheWorldCompositeByThemselves) {
  // Three groups in reverse rank order; group g composites g frames, so nothing may involve the world.
  const int group = testing::world_rank() % 3;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, group, -testing::world_rank(), &comm);
  {
    Compositor compositor(comm, {.algorithm = "2-3-swap"});
    EXPECT_EQ(compositor.size(), (testing::world_size() - group + 2) / 3);
    for (unsigned frame = 0; frame < static_cast<unsigned>(group); ++frame) check(compositor, 32 + frame);
  }
  MPI_Comm_free(&comm);
}

TEST(Communicators, ACompositorOfOneRankNeedsNoOther) {
  if (testing::world_rank() == 0) {
    Compositor compositor(MPI_COMM_SELF);
    check(compositor, 33);
  }
}

TEST(Communicators, SeveralCompositorsTakeTurns) {
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -testing::world_rank(), &reversed);
  std::vector<Compositor> compositors;
  for (const AlgorithmEntry& entry : algorithms()) {
    compositors.emplace_back(MPI_COMM_WORLD, Options{.algorithm = entry.name});
    compositors.emplace_back(reversed, Options{.algorithm = entry.name});
  }
  MPI_Comm_free(&reversed);
  for (unsigned frame = 0; frame < 3; ++frame) {
    for (Compositor& compositor : compositors) check(compositor, 34 + frame);
  }
}

TEST(Communicators, TwoThreadsWithACompositorEach) {
  int provided = 0;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI library has no MPI_THREAD_MULTIPLE";
  Compositor first(MPI_COMM_WORLD, {.algorithm = "shift"});
  Compositor second(MPI_COMM_WORLD, {.algorithm = "binary-swap"});
  std::thread thread([&] {
    for (unsigned frame = 0; frame < 5; ++frame) check(first, 40 + frame);
  });
  for (unsigned frame = 0; frame < 5; ++frame) check(second, 50 + frame);
  thread.join();
}

TEST(Communicators, TheCallersMessagesAreLeftAlone) {
  // Receives with any tag wait on the user's communicator while frames go by, and messages with the tags
  // that compositors use lie unreceived.
  constexpr int tags = 4;
  const int rank = testing::world_rank();
  const int p = testing::world_size();
  const int next = (rank + 1) % p;
  std::array<int, tags> sent{};
  std::array<MPI_Request, tags> sends{};
  int unexpected = -1;
  MPI_Request waiting = MPI_REQUEST_NULL;
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Irecv(&unexpected, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, &waiting);
  for (int tag = 0; tag < tags; ++tag) {
    const auto at = static_cast<std::size_t>(tag);
    sent[at] = 100 * rank + tag;
    MPI_Isend(&sent[at], 1, MPI_INT, next, tag, MPI_COMM_WORLD, &sends[at]);
  }

  for (const MPI_Comm comm : {MPI_COMM_WORLD, other}) {
    for (const AlgorithmEntry& entry : algorithms()) {
      Compositor compositor(comm, {.algorithm = entry.name});
      check(compositor, 60);
    }
  }

  int done = 0;
  MPI_Test(&waiting, &done, MPI_STATUS_IGNORE);
  EXPECT_EQ(done, 0) << "a receive of the caller took " << unexpected;
  for (int tag = tags - 1; tag >= 0; --tag) {
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, (rank + p - 1) % p, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, 100 * ((rank + p - 1) % p) + tag);
  }
  MPI_Waitall(tags, sends.data(), MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&rank, 1, MPI_INT, next, 7, other);
  MPI_Wait(&waiting, MPI_STATUS_IGNORE);
  EXPECT_EQ(unexpected, (rank + p - 1) % p);
  MPI_Comm_free(&other);
}

TEST(Communicators, AreFreedOnceAllRanksHaveLetThemGo) {
  const testing::Kept kept;
  for (unsigned frame = 0; frame < 10; ++frame) {
    Compositor compositor(MPI_COMM_WORLD);
    check(compositor, 64 + frame);
  }
  EXPECT_EQ(kept.count_after_another(), 0);
}

// As garbage collection destroys them, in another order on every rank.
TEST(Communicators, AreFreedInWhateverOrderTheyAreDestroyed) {
  const testing::Kept kept;
  std::vector<std::unique_ptr<Compositor>> all;
  for (int i = 0; i < 6; ++i) all.push_back(std::make_unique<Compositor>(MPI_COMM_WORLD));
  std::mt19937 random(static_cast<unsigned>(testing::world_rank()));
  std::shuffle(all.begin(), all.end(), random);
  for (auto& each : all) each.reset();
  EXPECT_EQ(kept.count_after_another(), 0);
}

TEST(Communicators, StayWhileOneRankHasNotLetThemGo) {
  if (testing::world_size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  const bool last = testing::world_rank() == testing::world_size() - 1;
  const testing::Kept kept;
  std::optional<Compositor> compositor(std::in_place, MPI_COMM_WORLD, Options{.node_ranks = 1});
  if (!last) compositor.reset();
  EXPECT_GT(kept.count_after_another(), 0);
  compositor.reset();
  EXPECT_EQ(kept.count_after_another(), 0);
}

// A copy of the world in which ranks make compositors late. All of it has to be usable in the end.
class LateConstructors : public ::testing::Test {
 protected:
  static constexpr double limit = 0.4;  // of those that fail [s]

  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  MPI_Comm comm_ = MPI_COMM_NULL;

  void SetUp() override {
    if (p_ == 1) GTEST_SKIP() << "one rank waits for nobody";
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  }
  void TearDown() override {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }

  // Every rank makes a compositor, one of them, for which `late`, after all others have given up.
  void fail(bool late) const {
    if (late) MPI_Barrier(MPI_COMM_WORLD);
    testing::error_of<TimeoutError>([&] { Compositor(comm_, {.timeout = limit}); });
    if (!late) MPI_Barrier(MPI_COMM_WORLD);
  }

  // Compositors work, and so do the caller's own collectives.
  void expect_all_is_well(unsigned seed) const {
    Compositor compositor(comm_);
    check(compositor, seed);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &request);
    const double until = MPI_Wtime() + 60;
    int done = 0;
    while (done == 0 && MPI_Wtime() < until) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      testing::sleep(1e-4);
    }
    EXPECT_EQ(done, 1) << "a barrier of the caller on the same communicator hangs";
    int sum = rank_;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm_);
    EXPECT_EQ(sum, p_ * (p_ - 1) / 2);
  }
};

TEST_F(LateConstructors, ThenAllMakeAnother) {
  fail(rank_ == p_ - 1);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_all_is_well(70);
  // Again, with another rank.
  fail(rank_ == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_all_is_well(71);
}

TEST_F(LateConstructors, OthersAreLateNextTime) {
  fail(rank_ == p_ - 1);
  MPI_Barrier(MPI_COMM_WORLD);
  fail(rank_ == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  fail(rank_ == p_ / 2);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_all_is_well(72);
}

TEST_F(LateConstructors, WhoKeepsTryingMeetsTheLateOne) {
  if (rank_ == p_ - 1) testing::sleep(2.5 * limit);
  std::unique_ptr<Compositor> compositor;
  for (int attempt = 0; attempt < 20 && !compositor; ++attempt) {
    try {
      compositor = std::make_unique<Compositor>(comm_, Options{.timeout = limit * (1 + attempt)});
    } catch (const TimeoutError&) {  // and again, more patiently: the machine may be busy
      continue;
    }
  }
  ASSERT_TRUE(compositor);
  detail::CompositorAccess::set_timeout(*compositor, 60);
  check(*compositor, 73);
  expect_all_is_well(74);
}

TEST_F(LateConstructors, TheCommunicatorMayBeFreedBeforeTheyCome) {
  MPI_Comm freed = MPI_COMM_NULL;
  MPI_Comm_dup(comm_, &freed);
  if (rank_ != p_ - 1) testing::error_of<TimeoutError>([&] { Compositor(freed, {.timeout = limit}); });
  MPI_Comm_free(&freed);
  expect_all_is_well(75);
}

}  // namespace
}  // namespace sortlast
