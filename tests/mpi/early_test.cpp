// Frames that begin before all ranks have come: what those that came send meanwhile, and that nothing of it
// is left when the last one turns out to have called something else.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "mpi/kept.hpp"
#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/execute/mpi/strays.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::Scene;

class Early : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::mt19937 random_{1201};

  void SetUp() override {
    if (p_ == 1) GTEST_SKIP() << "one rank waits for nobody";
  }

  Scene scene(Size size, const Format& format = {Scalar::float32, 4, true}) {
    return {p_, format, size, random_, false};
  }

  // Collective: composite, with one rank late. Returns whether any rank sent something before that one came.
  bool sends_early(Compositor& compositor, const Scene& scene, const Composition& composition,
                   int late) const {
    compositor.trace(true);
    compositor.clear_events();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == late) testing::sleep(0.1);
    double came = trace_clock();
    compositor.composite(testing::image_of(scene, rank_), composition);
    MPI_Bcast(&came, 1, MPI_DOUBLE, late, MPI_COMM_WORLD);
    const auto& events = compositor.events();
    int early = rank_ != late && std::any_of(events.begin(), events.end(), [&](const Event& event) {
                  return event.activity == Activity::send && event.begin < came;
                });
    MPI_Allreduce(MPI_IN_PLACE, &early, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return early != 0;
  }

  void expect_works(Compositor& compositor, const Scene& scene, const Composition& composition = {}) const {
    const Op op = composition.op;
    const Frame oracle = composite_serial(scene.views(), scene.size(), scene.format(), op, composition.order);
    scene.expect_near(compositor.composite(testing::image_of(scene, rank_), composition), oracle,
                      testing::tolerance(scene.format(), op, p_, false));
  }
};

TEST_F(Early, FramesOfTheLastOnesKind) {
  const Scene first = scene({60, 40});
  const Scene larger = scene({60, 50});
  const Composition other_order{Op::over, testing::shuffled(p_, random_), {}};
  for (const bool check : {true, false}) {
    SCOPED_TRACE(check ? "check" : "no check");
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send", .node_ranks = 1, .check = check});
    // Of a checked frame nothing is known before the first of its kind.
    for (const int late : {0, p_ - 1}) {
      EXPECT_EQ(sends_early(compositor, larger, {}, late), !check);
      EXPECT_EQ(sends_early(compositor, first, {}, late), !check);
      EXPECT_TRUE(sends_early(compositor, first, {}, late));
      EXPECT_TRUE(sends_early(compositor, first, other_order, late));
      EXPECT_EQ(sends_early(compositor, first, {Op::closest, {}, {}}, late), !check);
    }
    expect_works(compositor, first, other_order);
    expect_works(compositor, larger);
  }
}

// Ranks of a node wait for each other, and for no other.
TEST_F(Early, FramesOfSeveralNodes) {
  if (p_ < 4) GTEST_SKIP() << "there is one node of 2 ranks, or one rank on the other";
  const Scene first = scene({60, 40});
  Compositor compositor(MPI_COMM_WORLD, {.algorithm = "two-level", .node_ranks = 2});
  expect_works(compositor, first);
  EXPECT_TRUE(sends_early(compositor, first, {}, p_ - 1));
  expect_works(compositor, first);
}

// Late or not, what a frame shows is the same; so is what is chosen for it, as that comes from the last
// frame.
TEST_F(Early, ShowTheSameWhoeverIsLate) {
  for (const std::string& algorithm : testing::algorithm_names()) {
    for (const int node_ranks : {1, 2}) {
      SCOPED_TRACE(algorithm + ", " + std::to_string(node_ranks) + " ranks a node");
      Compositor compositor(MPI_COMM_WORLD,
                            {.algorithm = algorithm, .node_ranks = node_ranks, .chunk_bytes = 1 << 12});
      const Scene shown = scene({50, 30});
      for (int late = 0; late < p_; ++late) {
        const Composition composition{Op::over, testing::shuffled(p_, random_), {}};
        if (rank_ == late) testing::sleep(2e-3);
        expect_works(compositor, shown, composition);
      }
    }
  }
}

// ---- What the last one calls instead ----------------------------------------------------------------

struct Instead {
  std::string what;
  std::function<void(Compositor&, const Tile&, ImageView, Composition)> call;
};

std::vector<Instead> others(int p) {
  std::vector<std::int32_t> twice(static_cast<std::size_t>(p), 0);
  return {
      {"fewer pixels",
       [](Compositor& on, const Tile&, ImageView image, const Composition& with) {
         image.size.height /= 2;
         on.composite(image, with);
       }},
      {"another order",
       [p](Compositor& on, const Tile&, const ImageView& image, Composition with) {
         for (int rank = p - 1; rank >= 0; --rank) with.order.push_back(rank);
         on.composite(image, with);
       }},
      {"a background",
       [](Compositor& on, const Tile&, const ImageView& image, Composition with) {
         with.background = {0, 0.5, 1, 1};
         on.composite(image, with);
       }},
      {"without depth",
       [](Compositor& on, const Tile&, ImageView image, const Composition& with) {
         image.format.depth = false;
         on.composite(image, with);
       }},
      {"a wrong order",
       [twice](Compositor& on, const Tile&, const ImageView& image, Composition with) {
         with.order = twice;
         on.composite(image, with);
       }},
      {"gather",
       [](Compositor& on, const Tile& tile, const ImageView&, const Composition&) { on.gather(tile); }},
      {"boxes", [](Compositor& on, const Tile&, const ImageView& image,
                   const Composition&) { on.composite(std::span<const BoxImage>{}, image.size); }},
      {"fragments", [](Compositor& on, const Tile&, const ImageView& image,
                       const Composition&) { on.composite_fragments({image.size}); }},
  };
}

class EarlyMismatch : public Early {
 protected:
  // One rank calls something else, at any moment of the others' frame.
  void expect_error(Compositor& compositor, const Scene& shown, const Instead& instead) {
    const ImageView image = testing::image_of(shown, rank_);
    const int odd = static_cast<int>(random_() % static_cast<unsigned>(p_));
    const double late = 1e-3 * static_cast<double>(random_() % 6);
    SCOPED_TRACE(instead.what + " on rank " + std::to_string(odd));
    const Tile tile = compositor.composite(image);
    compositor.composite(image);
    if (rank_ == odd) testing::sleep(late);
    const std::string text = error_of<MismatchError>([&] {
      if (rank_ == odd) {
        instead.call(compositor, tile, image, {});
      } else {
        compositor.composite(image);
      }
    });
    expect_contains(text, "on rank " + std::to_string(odd));
    expect_works(compositor, shown);
  }
};

// Small messages leave at once, and large ones when they are asked for.
TEST_F(EarlyMismatch, LeavesNothing) {
  const testing::Kept kept;
  struct Cut {
    Size size;
    std::int64_t chunk_bytes;
    Scalar scalar = Scalar::float32;
  };
  // Of bytes merged pixels are larger than those of one image, so what is sent depends on the order.
  for (const auto& [size, chunk_bytes, scalar] :
       {Cut{{12, 8}, 1 << 20}, Cut{{400, 300}, 1 << 20}, Cut{{400, 300}, 1 << 16, Scalar::uint8}}) {
    const Scene shown = scene(size, {scalar, 4, true});
    for (const std::string algorithm : {"direct-send", "radix-k", "shift", "parallel-pipeline", "auto"}) {
      for (const int node_ranks : {1, 2}) {
        SCOPED_TRACE(algorithm + ", " + std::to_string(node_ranks) + " ranks a node, chunks of " +
                     std::to_string(chunk_bytes));
        Compositor compositor(
            MPI_COMM_WORLD,
            {.algorithm = algorithm, .timeout = 20, .node_ranks = node_ranks, .chunk_bytes = chunk_bytes});
        for (const Instead& instead : others(p_)) expect_error(compositor, shown, instead);
      }
    }
  }
  EXPECT_TRUE(kept.all_freed(60)) << kept.count() << " are not: messages lie on them";
  MPI_Barrier(MPI_COMM_WORLD);
}

// The error of an interrupt is no mismatch, whatever its type.
TEST_F(Early, AnInterruptIsNoMismatch) {
  const Scene shown = scene({60, 40});
  bool interrupts = false;
  Compositor compositor(MPI_COMM_WORLD, {.timeout = 20, .node_ranks = 1, .interrupt = [&] {
                                           if (interrupts) throw MismatchError("of one rank");
                                         }});
  expect_works(compositor, shown);
  interrupts = rank_ == 0;
  if (rank_ == p_ - 1) testing::sleep(0.3);
  const auto composite = [&] { compositor.composite(testing::image_of(shown, rank_)); };
  if (rank_ == 0) {
    error_of<MismatchError>(composite);
    error_of<TimeoutError>(composite);
  } else {
    expect_contains(error_of<RemoteError>(composite), "rank 0 gave up: of one rank");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// A rank whose last frame failed has begun it, another has not: what is chosen next may not depend on that.
TEST_F(Early, ChoicesAfterAMismatchAreThoseOfAllRanks) {
  Compositor compositor(MPI_COMM_WORLD, {.timeout = 20, .node_ranks = 1, .partition = Partition::automatic});
  const Scene dense = scene({120, 90});
  for (int odd = 0; odd < p_; ++odd) {
    const Tile tile = compositor.composite(testing::image_of(dense, rank_));
    error_of<MismatchError>([&] {
      if (rank_ == odd) {
        compositor.gather(tile);
      } else {
        compositor.composite(testing::image_of(dense, rank_), {Op::over, testing::shuffled(p_, random_), {}});
      }
    });
    expect_works(compositor, dense);
    testing::expect_same_on_all_ranks(compositor.algorithm());
    random_.seed(static_cast<unsigned>(odd));
  }
}

// A rank that does not come at all is named, as where nobody begins without it.
TEST_F(Early, WhoDoesNotComeIsNamed) {
  const Scene shown = scene({60, 40});
  const int missing = p_ - 1;
  Compositor compositor(MPI_COMM_WORLD, {.timeout = 0.4, .node_ranks = 1});
  compositor.composite(testing::image_of(shown, rank_));
  if (rank_ != missing) {
    const std::string text =
        error_of<TimeoutError>([&] { compositor.composite(testing::image_of(shown, rank_)); });
    expect_contains(text, "rank " + std::to_string(missing) + " has not come");
    expect_contains(text, "and for all ranks to call composite");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// ---- Strays -----------------------------------------------------------------------------------------

// All that was sent is received, however much of it before.
TEST_F(Early, StraysAreTakenIn) {
  const Communicator comm = duplicate(MPI_COMM_WORLD, 20, "test");
  const Alarm alarm(comm, 20, {});
  std::mt19937 all(1202);  // the same on every rank
  const auto count = static_cast<std::size_t>(p_);
  for (int round = 0; round < 30; ++round) {
    // Sizes of the messages from each rank to each.
    std::vector<std::vector<int>> sizes(count * count);
    for (auto& pair : sizes)
      for (unsigned i = all() % 4; i-- > 0;) pair.push_back(static_cast<int>(all() % (1U << (all() % 20))));
    std::vector<std::vector<char>> memory;
    std::vector<MPI_Request> requests;
    Exchanged mine{std::vector<std::int32_t>(count), std::vector<std::int32_t>(count)};
    for (std::size_t peer = 0; peer < count; ++peer) {
      for (const int size : sizes[static_cast<std::size_t>(rank_) * count + peer]) {
        memory.emplace_back(static_cast<std::size_t>(size));
        requests.push_back(MPI_REQUEST_NULL);
        PMPI_Isend(memory.back().data(), size, MPI_BYTE, static_cast<int>(peer), mine.sent[peer] * 7 % 3,
                   comm.get(), &requests.back());
        ++mine.sent[peer];
      }
    }
    for (std::size_t peer = 0; peer < count; ++peer) {
      const auto& from = sizes[peer * count + static_cast<std::size_t>(rank_)];
      if (from.empty() || random_() % 2 == 0) continue;
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
