// Memory beyond the image and the result: what docs/explanation/compositing.md promises of each algorithm,
// and images of many chunks, more than are under way at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::Scene;

constexpr Size size{512, 256};
constexpr Format format{};
constexpr std::int64_t chunk_bytes = 1 << 14;
constexpr std::int64_t image_bytes = std::int64_t{16} * 512 * 256;
static_assert(image_bytes == 128 * chunk_bytes);
constexpr std::int64_t rounding = 4096;                     // of blocks to whole cache lines
constexpr std::int64_t made = std::int64_t{4} * 16 * 1024;  // blocks of what a pass makes on its way

class Memory : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::mt19937 random_{121};
  // Every rank has the same image, so that 16 of them fit.
  Scene scene_{1, format, size, random_, false};

  static Compositor dense(const std::string& algorithm, int node_ranks) {
    return testing::compositor_with({.chunk_bytes = chunk_bytes, .sparse = false},
                                    {.algorithm = algorithm, .timeout = 30, .node_ranks = node_ranks});
  }

  ImageView image_in(Compositor& compositor, sortlast::Memory& memory) const {
    memory = compositor.allocate(static_cast<std::size_t>(image_bytes));
    std::memcpy(memory.get(), scene_.views()[0].colour, static_cast<std::size_t>(image_bytes));
    return {{memory.get(), nullptr}, size, format};
  }
};

TEST_F(Memory, IsAtMostAnImageAndTheChunksUnderWay) {
  for (const AlgorithmEntry& entry : algorithms()) {
    for (const int node_ranks : {1, 2, 0}) {
      SCOPED_TRACE(entry.name + ", " + std::to_string(node_ranks) + " ranks a node");
      Compositor compositor = dense(entry.name, node_ranks);
      sortlast::Memory memory;
      const ImageView image = image_in(compositor, memory);
      for (int frame = 0; frame < 5; ++frame) {
        const Tile tile = compositor.composite(image);
        const std::size_t receives = tile.schedule()->program(rank_).receives.size();
        const auto under_way = static_cast<std::int64_t>(receives) * IndexedProgram::window * chunk_bytes;
        // Inner ranks of a tree merge whole images; so do, in two levels, ranks of nodes of different sizes,
        // who also hold what comes from other nodes before it can be joined. Leaders of multi-step hold the
        // image of their group while half of another comes.
        const bool uneven = entry.name == "multi-step" ||
                            (entry.name == "two-level" && node_ranks > 1 && p_ % node_ranks != 0);
        const bool whole = entry.name == "tree" || entry.name == "multi-step" || entry.name == "two-level";
        // Whoever begins before all have come keeps what it has of its piece elsewhere until that has a
        // place.
        const std::int64_t early = node_ranks == 0 ? image_bytes / p_ : 0;
        EXPECT_LE(
            compositor.timing().peak_bytes,
            image_bytes + (whole ? under_way : 0) + (uneven ? image_bytes / 2 : 0) + early + made + rounding);
      }
    }
  }
}

TEST_F(Memory, OfPiecesThatGoRoundIsThatOfChunks) {
  for (const char* const algorithm : {"direct-send", "shift", "radix-k"}) {
    for (const int node_ranks : {1, 2}) {
      SCOPED_TRACE(algorithm);
      Compositor compositor = dense(algorithm, node_ranks);
      sortlast::Memory memory;
      const ImageView image = image_in(compositor, memory);
      for (int frame = 0; frame < 5; ++frame) {
        const Tile tile = compositor.composite(image);
        if (compositor.algorithm().find(',') != std::string::npos) break;  // radix-k with more rounds
        const auto receives = static_cast<std::int64_t>(tile.schedule()->program(rank_).receives.size());
        const std::int64_t piece = image_bytes / p_ + 64;
        // A second run of images that begins behind the ring's end, and what of it arrives too early.
        EXPECT_LE(compositor.timing().peak_bytes,
                  receives * IndexedProgram::window * chunk_bytes + 2 * piece);
      }
    }
  }
}

// Pieces of more chunks than may be under way, in orders in which much arrives before it can be used.
TEST_F(Memory, ThatIsBoundedStopsNoFrame) {
  Scene scene(p_, {Scalar::uint8, 4, true}, {256, std::int64_t{16} * p_}, random_, true);
  for (const AlgorithmEntry& entry : algorithms()) {
    for (const int node_ranks : {1, 2, 3}) {
      SCOPED_TRACE(entry.name + ", " + std::to_string(node_ranks) + " ranks a node");
      Compositor compositor = testing::compositor_with({.chunk_bytes = 4096, .sparse = false},
                                                       {.algorithm = entry.name,
                                                        .ring = testing::shuffled(p_, random_),
                                                        .timeout = 30,
                                                        .node_ranks = node_ranks});
      for (int frame = 0; frame < 2; ++frame) {
        const auto order = testing::shuffled(p_, random_);
        const Frame oracle = composite_serial(scene.views(), scene.size(), scene.format(), Op::over, order);
        const Tile tile = compositor.composite(testing::image_of(scene, rank_), {Op::over, order, {}});
        scene.expect_near(tile, oracle, testing::tolerance(scene.format(), Op::over, p_, false));
      }
      ASSERT_FALSE(HasFailure());
    }
  }
}

}  // namespace
}  // namespace sortlast
