// Arguments that differ between ranks, or are wrong on one: every rank throws the same at once, and the
// compositor goes on, unless a rank had begun to exchange the frame.
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::expect_same_on_all_ranks;
using testing::Scene;

constexpr Size size{12, 8};

// One call of composite() and gather(), whose arguments a test changes on one rank.
struct Call {
  ImageView image;
  Composition composition;
  bool gather = false;  // instead of composite
  int root = 0;
  bool with_depth = true;
};

struct Change {
  std::string what;                   // for the failure's text
  std::function<void(Call&)> apply;   // on the odd rank
  std::vector<std::string> expected;  // parts of every rank's message, beside the odd rank's number
};

class Mismatch : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::mt19937 random_{81};
  Scene scene_{p_, {Scalar::float32, 4, true}, size, random_, false};

  void SetUp() override {
    if (p_ == 1) GTEST_SKIP() << "one rank agrees with itself";
  }

  Call usual() const { return {testing::image_of(scene_, rank_), {Op::over, {}, {}}, false, 0, true}; }

  void make(Compositor& compositor, const Tile& tile, const Call& call) const {
    if (call.gather) {
      compositor.gather(tile, call.root, call.with_depth);
    } else {
      compositor.composite(call.image, call.composition);
    }
  }

  void expect_works(Compositor& compositor) const {
    const Frame oracle = composite_serial(scene_.views(), size, scene_.format(), Op::over);
    const auto frame = compositor.gather(compositor.composite(testing::image_of(scene_, rank_)), 0, true);
    if (frame) scene_.expect_near(*frame, oracle, testing::tolerance(scene_.format(), Op::over, p_, false));
  }

  // Let rank `odd` make a changed call, and check what everybody gets.
  void check(Compositor& compositor, const Call& base, const Change& change, int odd) const {
    SCOPED_TRACE(change.what + " differs on rank " + std::to_string(odd));
    const Tile tile = compositor.composite(testing::image_of(scene_, rank_));
    Call call = base;
    if (rank_ == odd) change.apply(call);
    MPI_Barrier(MPI_COMM_WORLD);
    const std::string text = error_of<MismatchError>([&] { make(compositor, tile, call); });
    for (const std::string& part : change.expected) expect_contains(text, part);
    expect_contains(text, "on rank " + std::to_string(odd));
    expect_same_on_all_ranks(text);
    expect_works(compositor);
  }

  void check_all(const Call& base, const std::vector<Change>& changes) const {
    Compositor compositor(MPI_COMM_WORLD, {.timeout = 20});
    for (const int odd : {0, p_ - 1, p_ / 2}) {
      for (const Change& change : changes) check(compositor, base, change, odd);
    }
  }
};

std::vector<std::int32_t> reversed(int p) {
  std::vector<std::int32_t> ranks;
  for (int rank = p - 1; rank >= 0; --rank) ranks.push_back(rank);
  return ranks;
}

TEST_F(Mismatch, OfComposite) {
  check_all(usual(),
            {{"width", [](Call& c) { c.image.size.width = 6; }, {"size: ", "12x8 on rank", "6x8 on rank"}},
             {"scalar",
              [](Call& c) { c.image.format.scalar = Scalar::uint8; },
              {"format: ", "RGBA float32 + depth on rank", "RGBA uint8 + depth on rank"}},
             {"depth", [](Call& c) { c.image.format.depth = false; }, {"RGBA float32 on rank"}},
             {"operator",
              [](Call& c) { c.composition.op = Op::closest; },
              {"op: ", "over on rank", "closest on rank"}},
             {"order",
              [this](Call& c) { c.composition.order = reversed(p_); },
              {"order: ", "rank order on rank", "[" + std::to_string(p_ - 1) + ","}},
             {"background",
              [](Call& c) { c.composition.background = {0, 0.5, 1, 1}; },
              {"background: ", "(none) on rank", "0, 0.5, 1, 1 on rank"}},
             {"everything",
              [](Call& c) { c = {{{}, {1, 1}, {Scalar::uint8, 3, true}}, {Op::min, {}, {}}}; },
              {"size: ", "1x1 on rank", "RGB uint8 + depth on rank", "op: ", "min on rank"}}});
}

TEST_F(Mismatch, OfGather) {
  Call base = usual();
  base.gather = true;
  check_all(base,
            {{"root", [](Call& c) { c.root = 1; }, {"root: ", "0 on rank", "1 on rank"}},
             {"depth", [](Call& c) { c.with_depth = false; }, {"depth: ", "yes on rank", "no on rank"}},
             {"call", [](Call& c) { c.gather = false; }, {"call: ", "gather on rank", "composite on rank"}}});
}

TEST_F(Mismatch, WrongOnOneRank) {
  check_all(usual(),
            {{"order", [](Call& c) { c.composition.order = {0, 0}; }, {"order"}},
             {"background",
              [](Call& c) { c.composition.background = {1}; },
              {"background has 1 values; expected 4"}},
             {"operator", [](Call& c) { c.image.format.channels = 3; }, {"over needs an alpha channel"}},
             {"closest",
              [](Call& c) {
                c.image.format.depth = false;
                c.composition.op = Op::closest;
              },
              {"closest needs a depth plane"}},
             {"depth plane", [](Call& c) { c.image.pixels.depth = nullptr; }, {"the image has no depth"}},
             {"size", [](Call& c) { c.image.size.height = -1; }, {"image size is 12x-1"}}});
  Call base = usual();
  base.gather = true;
  check_all(base, {{"root",
                    [this](Call& c) { c.root = p_; },
                    {"root is " + std::to_string(p_) + "; expected a rank, 0.." + std::to_string(p_ - 1)}}});
}

TEST_F(Mismatch, OfConstructors) {
  for (const int odd : {0, p_ - 1}) {
    const auto with = [&](const Options& changed, const std::vector<std::string>& expected) {
      MPI_Barrier(MPI_COMM_WORLD);
      const std::string text = error_of<MismatchError>(
          [&] { Compositor(MPI_COMM_WORLD, rank_ == odd ? changed : Options{.algorithm = "shift"}); });
      for (const std::string& part : expected) expect_contains(text, part);
      expect_contains(text, "on rank " + std::to_string(odd));
      expect_same_on_all_ranks(text);
    };
    with({.algorithm = "direct-send"}, {"algorithm: ", "shift on rank", "direct-send on rank"});
    with({.algorithm = "shift", .ring = reversed(p_)}, {"ring: ", "rank order on rank"});
    with({.algorithm = "bubble"}, {"algorithm 'bubble' is not known", "radix-k"});
    with({.algorithm = "shift", .ring = {0, 0}}, {"ring"});
    with({.algorithm = "shift", .timeout = 0}, {"timeout is 0"});
  }
}

// Every two calls, one of them on one rank. However the ranks compare, it has to be in one way for all calls.
TEST_F(Mismatch, OfCalls) {
  const ImageView image = testing::image_of(scene_, rank_);
  using Make = std::function<void(Compositor&, const Tile&)>;
  const std::vector<std::pair<std::string, Make>> calls{
      {"image", [&](Compositor& on, const Tile&) { on.composite(image); }},
      {"gather", [](Compositor& on, const Tile& tile) { on.gather(tile, 0, true); }},
      {"boxes", [](Compositor& on, const Tile&) { on.composite(std::span<const BoxImage>{}, size); }},
      {"fragments", [](Compositor& on, const Tile&) { on.composite_fragments({size}); }},
  };
  for (const int node_ranks : {0, 1, 2}) {
    const auto made = [&] { return Compositor(MPI_COMM_WORLD, {.timeout = 20, .node_ranks = node_ranks}); };
    Compositor compositor = made();
    for (const auto& [name, usual] : calls) {
      for (const auto& [other_name, other] : calls) {
        for (const int odd : {0, p_ - 1, p_ / 2}) {
          if (name == other_name) continue;
          SCOPED_TRACE(::testing::Message() << name << ", but " << other_name << " on rank " << odd << "; "
                                            << node_ranks << " ranks a node");
          const Tile tile = compositor.composite(image);
          const Make& mine = rank_ == odd ? other : usual;
          MPI_Barrier(MPI_COMM_WORLD);
          const std::string text = error_of<MismatchError>([&] { mine(compositor, tile); });
          expect_contains(text, "on rank " + std::to_string(odd));
          expect_same_on_all_ranks(text);
          EXPECT_TRUE(compositor.usable() || node_ranks > 0);
          if (!compositor.usable()) compositor = made();
        }
      }
    }
    expect_works(compositor);
  }
}

TEST_F(Mismatch, TilesOfDifferentFrames) {
  Compositor compositor(MPI_COMM_WORLD, {.algorithm = "binary-swap", .timeout = 20});
  const Tile first = compositor.composite(testing::image_of(scene_, rank_));
  const Tile second = compositor.composite(testing::image_of(scene_, rank_), {Op::over, reversed(p_), {}});
  const std::string text = error_of<MismatchError>([&] { compositor.gather(rank_ == 0 ? first : second); });
  expect_contains(text, "frame: 1 on rank 0");
  expect_same_on_all_ranks(text);
  expect_works(compositor);
}

// Wrong in the same way on every rank: an ArgumentError, without ranks in it.
TEST(WrongEverywhere, IsAnArgumentError) {
  const int rank = testing::world_rank();
  const int p = testing::world_size();
  std::mt19937 random(82);
  const Scene scene(p, {}, size, random, false);
  Compositor compositor(MPI_COMM_WORLD);
  const ImageView image = testing::image_of(scene, rank);
  const std::vector<std::string> texts{
      error_of<ArgumentError>([&] { Compositor(MPI_COMM_WORLD, {.algorithm = "radix-k:1000,3"}); }),
      error_of<ArgumentError>([&] { Compositor(MPI_COMM_WORLD, {.timeout = -1}); }),
      error_of<ArgumentError>([&] { Compositor{MPI_COMM_NULL}; }),
      error_of<ArgumentError>([&] { compositor.composite(image, {Op::closest, {}, {}}); }),
      error_of<ArgumentError>([&] { compositor.composite(image, {Op::over, {p}, {}}); }),
      error_of<ArgumentError>([&] { compositor.gather(Tile{}); }),
      error_of<ArgumentError>([&] { compositor.gather(compositor.composite(image), -1); }),
      error_of<ArgumentError>([&] { compositor.gather(compositor.composite(image), 0, true); }),
  };
  for (const std::string& text : texts) {
    EXPECT_EQ(text.find("ranks disagree"), std::string::npos) << text;
    expect_same_on_all_ranks(text);
  }
  const Tile tile = compositor.composite(image);
  EXPECT_EQ(tile.size(), size);
}

}  // namespace
}  // namespace sortlast
