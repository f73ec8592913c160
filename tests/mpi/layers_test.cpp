// Contents of varying size over MPI: every algorithm, on nodes and by messages; and ranks that fail.
#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layer_pairs.hpp"
#include "mpi/calls.hpp"
#include "mpi/ranks.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/content/strings/string_content.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/layer_frames.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"

namespace sortlast {
namespace {

using detail::CompositorAccess;
using testing::error_of;
using testing::expect_contains;

constexpr Size size{61, 50};
constexpr int most = 3;  // pairs of a rank in a pixel

LayerCall call_of(std::vector<Pair> pairs, Size of = size) {
  return {of, PairCodec::format, {{"content", "pairs"}}, "", [pairs = std::move(pairs)](const FrameContext&) {
            return std::make_unique<const PairCodec>(pairs);
          }};
}

class MpiLayers : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();

  std::vector<Pair> mine(std::uint32_t seed, Size of = size) const {
    return random_pairs(of.pixels(), rank_, most, seed);
  }

  // Composite random pairs, gather frame and strings at a root, and compare them with all pairs at once.
  void expect_right(Compositor& compositor, std::uint32_t seed, Size of = size, int root = 0) const {
    expect_right(compositor, call_of(mine(seed, of), of), all_pairs(of.pixels(), p_, most, seed), root);
  }
  void expect_right(Compositor& compositor, const LayerCall& call, const std::vector<Pair>& all,
                    int root) const {
    const std::int64_t n = call.size.pixels();
    std::vector<std::byte> expected(static_cast<std::size_t>(n) * 4);
    PairCodec::flatten(all, {0, n}, expected.data());

    const Tile tile = CompositorAccess::composite_layers(compositor, call, {});
    const Range range = tile.range();
    const std::byte* pixels = tile.pixels().view().colour;
    EXPECT_TRUE(std::equal(pixels, pixels + range.size() * 4, expected.data() + range.begin * 4));

    const std::optional<Frame> frame = compositor.gather(tile, root);
    const auto strings = CompositorAccess::gather_layers(compositor, tile, root, "");
    ASSERT_EQ(frame.has_value(), compositor.rank() == root);
    ASSERT_EQ(strings.has_value(), compositor.rank() == root);
    if (!frame) return;
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), frame->pixels.view().colour));
    std::vector<Pair> gathered;
    for (const LayerString& string : *strings) {
      const std::vector<Pair> some = PairCodec::decoded(string.bytes, string.pixels);
      gathered.insert(gathered.end(), some.begin(), some.end());
    }
    std::sort(gathered.begin(), gathered.end());
    EXPECT_EQ(gathered, all);
  }
};

TEST_F(MpiLayers, EveryAlgorithmOnNodesAndByMessages) {
  for (const AlgorithmEntry& algorithm : algorithms()) {
    for (const int node_ranks : {0, 1, 2}) {
      SCOPED_TRACE(algorithm.name + ", " + std::to_string(node_ranks) + " ranks a node");
      Compositor compositor(MPI_COMM_WORLD, {.algorithm = algorithm.name, .node_ranks = node_ranks});
      for (std::uint32_t seed = 1; seed <= 3; ++seed) expect_right(compositor, seed);
      expect_contains(compositor.algorithm(), algorithm.name);
    }
  }
}

TEST_F(MpiLayers, TheChoiceIsExplained) {
  Compositor compositor(MPI_COMM_WORLD);
  expect_right(compositor, 4);
  expect_contains(compositor.explain(), compositor.algorithm());
  expect_contains(compositor.explain(), "moves each contribution once");
}

TEST_F(MpiLayers, StringsOfManyMessages) {
  for (const int node_ranks : {0, 1}) {
    Compositor compositor = testing::compositor_with({.chunk_bytes = 4096}, {.node_ranks = node_ranks});
    expect_right(compositor, 5, {300, 200}, p_ - 1);
    expect_right(compositor, 6, {300, 200});
  }
}

// More than is encoded at once.
TEST_F(MpiLayers, ManyBytesUnderWay) {
  Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send", .node_ranks = 1});
  const Size large{600, 500};
  std::vector<Pair> pairs;
  for (std::int64_t pixel = 0; pixel < large.pixels(); ++pixel)
    for (std::int64_t i = 0; i < 5; ++i) pairs.emplace_back(pixel, std::int64_t{rank_} * 1000 + i);
  const Tile tile = CompositorAccess::composite_layers(compositor, call_of(pairs, large), {});
  std::vector<Pair> all;
  for (std::int64_t pixel = tile.range().begin; pixel < tile.range().end; ++pixel)
    for (int rank = 0; rank < p_; ++rank)
      for (std::int64_t i = 0; i < 5; ++i) all.emplace_back(pixel, std::int64_t{rank} * 1000 + i);
  std::vector<std::byte> expected(static_cast<std::size_t>(tile.range().size()) * 4);
  PairCodec::flatten(all, tile.range(), expected.data());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), tile.pixels().view().colour));
}

TEST_F(MpiLayers, NothingAtAllAndSizesThatChange) {
  for (const int node_ranks : {0, 1}) {
    Compositor compositor(MPI_COMM_WORLD, {.node_ranks = node_ranks});
    expect_right(compositor, call_of({}), {}, 0);
    expect_right(compositor, call_of({}, {0, 0}), {}, 0);
    expect_right(compositor, 7, {3, 1});
    // One rank alone has something.
    const std::vector<Pair> one{{2, 5}, {2, 6}, {40, 7}};
    expect_right(compositor, call_of(rank_ == p_ - 1 ? one : std::vector<Pair>{}), one, 0);
    expect_right(compositor, 8, {100, 90});
  }
}

TEST_F(MpiLayers, AmongDenseFrames) {
  for (const int node_ranks : {0, 1}) {
    Compositor compositor(MPI_COMM_WORLD, {.node_ranks = node_ranks});
    const std::vector<float> colour(static_cast<std::size_t>(size.pixels()) * 4, 0.25F);
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
      const Tile dense = compositor.composite(image_view<float>(colour, size));
      expect_right(compositor, seed);
      const std::optional<Frame> frame = compositor.gather(dense);
      EXPECT_TRUE(!frame || frame->colour<float>()[0] >= 0.25F);
    }
  }
}

// Without a check nothing keeps a rank from being frames ahead of another.
TEST_F(MpiLayers, RanksThatAreFramesAhead) {
  Compositor compositor(MPI_COMM_WORLD, {.node_ranks = 1, .check = false});
  std::vector<Tile> tiles;
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    if (static_cast<int>(seed) % p_ == rank_) testing::sleep(0.02);
    tiles.push_back(CompositorAccess::composite_layers(compositor, call_of(mine(seed)), {}));
  }
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    std::vector<std::byte> expected(static_cast<std::size_t>(size.pixels()) * 4);
    PairCodec::flatten(all_pairs(size.pixels(), p_, most, seed), {0, size.pixels()}, expected.data());
    const Tile& tile = tiles[seed - 1];
    const std::byte* pixels = tile.pixels().view().colour;
    EXPECT_TRUE(
        std::equal(pixels, pixels + tile.range().size() * 4, expected.data() + tile.range().begin * 4));
  }
}

// Each rank reduces p numbers: it would gather 80 GB of them among 10^5 ranks.
TEST_F(MpiLayers, AByteLimitTakesOneReduction) {
  Compositor compositor(MPI_COMM_WORLD, {.node_ranks = 1});
  const auto calls_with = [&](std::int64_t max_bytes) {
    const testing::Calls before = testing::calls_so_far();
    compositor.composite_fragments({size}, {.keep_lists = true, .max_bytes = max_bytes});
    const testing::Calls after = testing::calls_so_far();
    return std::pair(after.collectives - before.collectives, after.reduced_bytes - before.reduced_bytes);
  };
  calls_with(1 << 20);
  const auto [unlimited_collectives, unlimited_bytes] = calls_with(0);
  const auto [collectives, bytes] = calls_with(1 << 20);
  EXPECT_EQ(collectives, unlimited_collectives);
  EXPECT_EQ(bytes - unlimited_bytes, 8 * p_);
}

TEST_F(MpiLayers, SubCommunicators) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_ % 2, -rank_, &half);
  Compositor compositor(half);
  MPI_Comm_free(&half);
  const std::int64_t n = size.pixels();
  const Tile tile = CompositorAccess::composite_layers(compositor, call_of(mine(9)), {});
  const auto strings = CompositorAccess::gather_layers(compositor, tile, 0, "");
  if (!strings) return;
  std::vector<Pair> all;
  for (int rank = rank_ % 2; rank < p_; rank += 2) {
    const std::vector<Pair> pairs = random_pairs(n, rank, most, 9);
    all.insert(all.end(), pairs.begin(), pairs.end());
  }
  std::sort(all.begin(), all.end());
  std::vector<Pair> gathered;
  for (const LayerString& string : *strings) {
    const std::vector<Pair> some = PairCodec::decoded(string.bytes, string.pixels);
    gathered.insert(gathered.end(), some.begin(), some.end());
  }
  std::sort(gathered.begin(), gathered.end());
  EXPECT_EQ(gathered, all);
}

TEST_F(MpiLayers, IntoMemoryOfTheCaller) {
  Compositor compositor(MPI_COMM_WORLD);
  std::vector<std::byte> out(static_cast<std::size_t>(size.pixels()) * 4);
  const Tile tile =
      CompositorAccess::composite_layers(compositor, call_of(mine(10)), PixelBuffer({out.data(), nullptr}));
  std::vector<std::byte> expected(out.size());
  PairCodec::flatten(all_pairs(size.pixels(), p_, most, 10), {0, size.pixels()}, expected.data());
  const Range bytes{tile.range().begin * 4, tile.range().end * 4};
  EXPECT_TRUE(std::equal(out.begin() + bytes.begin, out.begin() + bytes.end, expected.begin() + bytes.begin));
}

TEST_F(MpiLayers, ArgumentsThatDiffer) {
  if (p_ == 1) GTEST_SKIP() << "one rank agrees with itself";
  for (const int node_ranks : {0, 1}) {
    Compositor compositor(MPI_COMM_WORLD, {.node_ranks = node_ranks});
    const bool odd = rank_ == p_ - 1;
    const auto expect_refused = [&](const LayerCall& call, const std::string& part) {
      const std::string text =
          error_of<MismatchError>([&] { CompositorAccess::composite_layers(compositor, call, {}); });
      expect_contains(text, part);
      testing::expect_same_on_all_ranks(text);
    };
    LayerCall other = call_of(mine(1));
    if (odd) other.arguments.front().second = "images";
    expect_refused(other, "content");
    expect_refused(call_of(mine(1), odd ? Size{5, 5} : size), "size");
    LayerCall wrong = call_of(mine(1));
    if (odd) wrong.problem = "depth has a NaN";
    expect_refused(wrong, "depth has a NaN");
    // A dense image on one rank.
    const std::vector<float> colour(static_cast<std::size_t>(size.pixels()) * 4);
    const std::string text = error_of<MismatchError>([&] {
      if (odd) {
        compositor.composite(image_view<float>(colour, size));
      } else {
        CompositorAccess::composite_layers(compositor, call_of(mine(1)), {});
      }
    });
    testing::expect_same_on_all_ranks(text);
    expect_right(compositor, 11);
  }
}

// Fails in a function of its choice.
class FailingCodec : public PairCodec {
 public:
  FailingCodec(std::vector<Pair> pairs, std::string where)
      : PairCodec(std::move(pairs)), where_(std::move(where)) {}

  void encode_own(Range pixels, Bytes& out) const override {
    fail("encode_own");
    PairCodec::encode_own(pixels, out);
  }
  void join(std::span<const String> strings, Range pixels, Bytes& out) const override {
    fail("join");
    PairCodec::join(strings, pixels, out);
  }
  void finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
              Bytes* kept) const override {
    fail("finish");
    PairCodec::finish(strings, own, pixels, out, kept);
  }

 private:
  // Even as an ArgumentError, which otherwise all ranks throw.
  void fail(const std::string& here) const {
    if (here == where_) throw ArgumentError("no " + here);
  }

  std::string where_;
};

TEST_F(MpiLayers, ARankThatFailsOnTheWay) {
  if (p_ == 1) GTEST_SKIP() << "one rank has no others";
  for (const int node_ranks : {0, 1}) {
    for (const std::string where : {"encode_own", "join", "finish"}) {
      SCOPED_TRACE(where);
      // The pipeline joins what it passes on, if there are three ranks or more.
      if (where == "join" && p_ < 3) continue;
      Compositor compositor(
          MPI_COMM_WORLD,
          {.algorithm = where == "join" ? "parallel-pipeline" : "direct-send", .node_ranks = node_ranks});
      LayerCall call = call_of(mine(1));
      if (rank_ == p_ - 1)
        call.content = [&](const FrameContext&) {
          return std::make_unique<const FailingCodec>(mine(1), where);
        };
      if (rank_ == p_ - 1) {
        expect_contains(error_of<Error>([&] { CompositorAccess::composite_layers(compositor, call, {}); }),
                        "no " + where);
      } else {
        // Who needs nothing more from the failed rank hears of it in the next call.
        const std::string text = error_of<RemoteError>([&] {
          CompositorAccess::composite_layers(compositor, call, {});
          CompositorAccess::composite_layers(compositor, call, {});
        });
        expect_contains(text, "rank " + std::to_string(p_ - 1) + " gave up: no " + where);
      }
      MPI_Barrier(MPI_COMM_WORLD);
      Compositor fresh(MPI_COMM_WORLD, {.node_ranks = node_ranks});
      expect_right(fresh, 12);
    }
  }
}

TEST_F(MpiLayers, ALateRank) {
  if (p_ == 1) GTEST_SKIP() << "one rank waits for nobody";
  for (const int node_ranks : {0, 1}) {
    MPI_Barrier(MPI_COMM_WORLD);  // the last test may have kept some of them
    Compositor compositor(MPI_COMM_WORLD, {.node_ranks = node_ranks});
    // In time.
    if (rank_ == 0) testing::sleep(0.2);
    expect_right(compositor, 13);
    // Too late, in the middle of the frame.
    CompositorAccess::set_timeout(compositor, 1);
    LayerCall call = call_of(mine(1));
    call.content = [&](const FrameContext&) {
      if (rank_ == 0) MPI_Barrier(MPI_COMM_WORLD);  // until the others have given up
      return std::make_unique<const PairCodec>(mine(1));
    };
    const auto composite = [&] { CompositorAccess::composite_layers(compositor, call, {}); };
    if (rank_ != 0) {
      expect_contains(error_of<TimeoutError>(composite), "rank 0 has not arrived");
      MPI_Barrier(MPI_COMM_WORLD);
      continue;
    }
    // Rank 0 may need nothing more from the others; if it does, they have given up.
    try {
      composite();
    } catch (const TimeoutError& error) {
      expect_contains(error.what(), "rank ");
    }
  }
}

// Encodes what cannot be decoded.
class DamagedCodec : public PairCodec {
 public:
  using PairCodec::PairCodec;
  void encode_own(Range, Bytes& out) const override { out.append_value(std::uint8_t{7}); }
};

TEST_F(MpiLayers, DamagedStrings) {
  if (p_ == 1) GTEST_SKIP() << "one rank receives nothing";
  for (const int node_ranks : {0, 1}) {
    Compositor compositor(MPI_COMM_WORLD, {.node_ranks = node_ranks});
    LayerCall call = call_of(mine(1));
    if (rank_ == 0)
      call.content = [](const FrameContext&) {
        return std::make_unique<const DamagedCodec>(std::vector<Pair>{});
      };
    const std::string text = error_of<Error>([&] {
      CompositorAccess::composite_layers(compositor, call, {});
      CompositorAccess::composite_layers(compositor, call, {});
    });
    expect_contains(text, "a string of pairs ends within one");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace
}  // namespace sortlast
