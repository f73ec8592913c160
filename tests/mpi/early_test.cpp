// Frames that begin before all ranks have arrived: what those that have send meanwhile, and what becomes of
// the compositor when the last one turns out to have called something else.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
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

constexpr double for_long = 20;  // [s]
constexpr double while_none_does = 0.1;

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

  // Collective: make a call, with one rank that makes its own when another has sent a message of the frame,
  // or after a while if none does (`patience` [s]). Returns whether one has.
  template <typename Call>
  bool sends_early(const Call& call, int late, double patience) const {
    constexpr int tag = 77;
    int early = 0;
    if (rank_ == late) {
      for (const double begin = MPI_Wtime(); early == 0 && MPI_Wtime() - begin < patience;
           testing::sleep(1e-3))
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &early, MPI_STATUS_IGNORE);
    }
    MPI_Request request = MPI_REQUEST_NULL;
    const auto tell = [&] {
      if (rank_ != late && request == MPI_REQUEST_NULL)
        PMPI_Isend(nullptr, 0, MPI_BYTE, late, tag, MPI_COMM_WORLD, &request);
    };
    {
      const testing::BeforeSends before(tell);
      call();
    }
    tell();  // those that sent nothing
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int rank = 1; rank_ == late && rank < p_; ++rank)
      MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&early, 1, MPI_INT, late, MPI_COMM_WORLD);
    return early != 0;
  }
  bool sends_early(Compositor& compositor, const Scene& scene, const Composition& composition, int late,
                   double patience) const {
    return sends_early([&] { compositor.composite(testing::image_of(scene, rank_), composition); }, late,
                       patience);
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
    const auto of_another_kind = [&](const Scene& shown, const Composition& composition, int late) {
      EXPECT_EQ(sends_early(compositor, shown, composition, late, check ? while_none_does : for_long),
                !check);
    };
    for (const int late : {0, p_ - 1}) {
      of_another_kind(larger, {}, late);
      of_another_kind(first, {}, late);
      EXPECT_TRUE(sends_early(compositor, first, {}, late, for_long));
      EXPECT_TRUE(sends_early(compositor, first, other_order, late, for_long));
      of_another_kind(first, {Op::closest, {}, {}}, late);
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
  EXPECT_TRUE(sends_early(compositor, first, {}, p_ - 1, for_long));
  expect_works(compositor, first);
}

// Late or not, what a frame shows is the same; so is what is chosen for it, as that comes from the last
// frame.
TEST_F(Early, ShowTheSameWhoeverIsLate) {
  for (const std::string& algorithm : testing::algorithm_names()) {
    for (const int node_ranks : {1, 2}) {
      SCOPED_TRACE(algorithm + ", " + std::to_string(node_ranks) + " ranks a node");
      Compositor compositor = testing::compositor_with({.chunk_bytes = 1 << 12},
                                                       {.algorithm = algorithm, .node_ranks = node_ranks});
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
  // One rank calls something else, at any moment of the others' frame. If one of them has begun it, a new
  // compositor takes the place of this one on all ranks.
  void expect_error(Compositor& compositor, const std::function<Compositor()>& made, const Scene& shown,
                    const Instead& instead) {
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
    testing::expect_same_on_all_ranks(text);
    EXPECT_EQ(compositor.usable(), text.find("make a new one") == std::string::npos);
    if (!compositor.usable()) compositor = made();
    expect_works(compositor, shown);
  }
};

// The odd rank waits until another has sent.
TEST_F(EarlyMismatch, AfterARankHasBegunClosesTheCompositorOnAll) {
  const Scene shown = scene({60, 40});
  for (const int odd : {0, p_ - 1}) {
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send", .timeout = 20, .node_ranks = 1});
    const ImageView image = testing::image_of(shown, rank_);
    const Tile tile = compositor.composite(image);
    std::string text;
    const auto call = [&] {
      text = error_of<MismatchError>([&] {
        if (rank_ == odd) {
          compositor.gather(tile);
        } else {
          compositor.composite(image);
        }
      });
    };
    EXPECT_TRUE(sends_early(call, odd, for_long));
    expect_contains(text, "gather on rank " + std::to_string(odd));
    expect_contains(text, "The compositor cannot be used any more; make a new one.");
    testing::expect_same_on_all_ranks(text);
    EXPECT_FALSE(compositor.usable());
    expect_contains(error_of<TimeoutError>([&] { compositor.composite(image); }), "make a new one");
    Compositor another(MPI_COMM_WORLD, {.algorithm = "direct-send", .timeout = 20, .node_ranks = 1});
    expect_works(another, shown);
  }
}

// Small messages leave at once, and large ones when they are asked for.
TEST_F(EarlyMismatch, IsTheSameErrorWheneverTheOddRankCalls) {
  struct Cut {
    Size size;
    std::int64_t chunk_bytes;
    Scalar scalar = Scalar::float32;
  };
  // Of bytes merged pixels are larger than those of one image, so what is sent depends on the order.
  for (const auto& [size, chunk_bytes, scalar] :
       {Cut{{12, 8}, 1 << 20}, Cut{{400, 300}, 1 << 20}, Cut{{400, 300}, 1 << 16, Scalar::uint8}}) {
    const Scene shown = scene(size, {scalar, 4, true});
    for (const auto& [algorithm, node_ranks] :
         {std::pair("direct-send", 1), std::pair("radix-k", 1), std::pair("shift", 2),
          std::pair("direct-send", 0), std::pair("binary-swap", 0)}) {
      SCOPED_TRACE(::testing::Message()
                   << algorithm << ", " << node_ranks << " ranks a node, chunks of " << chunk_bytes);
      const auto made = [&] {
        return testing::compositor_with({.chunk_bytes = chunk_bytes},
                                        {.algorithm = algorithm, .timeout = 20, .node_ranks = node_ranks});
      };
      Compositor compositor = made();
      for (const Instead& instead : others(p_)) expect_error(compositor, made, shown, instead);
    }
  }
}

// Images without pixels are read by nobody, and no rank waits for that.
TEST_F(EarlyMismatch, OfFramesWithoutPixels) {
  const Scene shown = scene({0, 0});
  for (const int node_ranks : {0, 1, 2}) {
    SCOPED_TRACE(std::to_string(node_ranks) + " ranks a node");
    const Options options{.algorithm = "direct-send", .timeout = 20, .node_ranks = node_ranks};
    const auto made = [&] { return Compositor(MPI_COMM_WORLD, options); };
    Compositor compositor = made();
    for (const Instead& instead : others(p_))
      if (instead.what != "fewer pixels") expect_error(compositor, made, shown, instead);
  }
}

// The error of an interrupt is no mismatch, whatever its type.
TEST_F(Early, AnInterruptIsNoMismatch) {
  const Scene shown = scene({60, 40});
  bool interrupts = false;
  Compositor compositor(MPI_COMM_WORLD, {.node_ranks = 1, .interrupt = [&] {
                                           if (interrupts) throw MismatchError("of one rank");
                                         }});
  expect_works(compositor, shown);
  interrupts = rank_ == 0;
  if (rank_ == p_ - 1) MPI_Barrier(MPI_COMM_WORLD);  // until rank 0 has been interrupted
  const auto composite = [&] { compositor.composite(testing::image_of(shown, rank_)); };
  if (rank_ == 0) {
    error_of<MismatchError>(composite);
    error_of<TimeoutError>(composite);
  } else {
    expect_contains(error_of<RemoteError>(composite), "rank 0 gave up: of one rank");
  }
  if (rank_ != p_ - 1) MPI_Barrier(MPI_COMM_WORLD);
}

// Ranks know other frames when their calls differ, and none begins the next by what it knows alone.
TEST_F(Early, ChoicesAfterAMismatchAreThoseOfAllRanks) {
  Compositor compositor(MPI_COMM_WORLD, {.timeout = 20, .node_ranks = 1});
  const Scene dense = scene({120, 90});
  for (int odd = 0; odd < p_; ++odd) {
    const Tile tile = compositor.composite(testing::image_of(dense, rank_), {Op::closest, {}, {}});
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

// Without a check a wrong argument is an error of one rank alone, which then chooses as the others do.
TEST_F(Early, AWrongArgumentOfOneRankChangesNoChoice) {
  const Scene shown = scene({64, 64}, {});
  if (p_ < 4) GTEST_SKIP() << "there is one node of 3 ranks, which compares at no cost";
  for (int turn = 0; turn < 60; ++turn) {
    SCOPED_TRACE("turn " + std::to_string(turn));
    Compositor compositor(MPI_COMM_WORLD, {.timeout = 20, .node_ranks = 3, .check = false});
    expect_works(compositor, shown, {Op::over, testing::shuffled(p_, random_), {}});
    const std::vector<std::int32_t> twice(static_cast<std::size_t>(p_), 0);
    if (rank_ == 0)
      error_of<ArgumentError>(
          [&] { compositor.composite(testing::image_of(shown, rank_), {Op::over, twice, {}}); });
    expect_works(compositor, shown, {Op::over, testing::shuffled(p_, random_), {}});
    testing::expect_same_on_all_ranks(compositor.algorithm());
  }
}

// A rank that does not come at all is named, as where nobody begins without it.
TEST_F(Early, WhoDoesNotComeIsNamed) {
  const Scene shown = scene({60, 40});
  const int missing = p_ - 1;
  for (const int node_ranks : {0, 1}) {
    Compositor compositor(MPI_COMM_WORLD, {.node_ranks = node_ranks});
    compositor.composite(testing::image_of(shown, rank_));
    detail::CompositorAccess::set_timeout(compositor, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ != missing) {
      const std::string text =
          error_of<TimeoutError>([&] { compositor.composite(testing::image_of(shown, rank_)); });
      expect_contains(text, "rank " + std::to_string(missing) + " has not arrived");
      expect_contains(
          text, (node_ranks == 1 ? "and for all ranks" : "all ranks") + std::string(" to call composite"));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace
}  // namespace sortlast
