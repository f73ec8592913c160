// A message past 2^31 bytes: an image of 2.1 GB goes whole from rank 1 to rank 0. Takes 10 GB of memory, so
// it is disabled unless asked for (see tests/CMakeLists.txt).
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"

namespace sortlast {
namespace {

TEST(DISABLED_Large, AMessagePast2GiB) {
  ASSERT_EQ(testing::world_size(), 2);
  const Size size{1 << 15, (1 << 14) + 1};
  const Format format{Scalar::uint8, 4, false};
  const std::int64_t bytes = size.pixels() * 4;
  ASSERT_GT(bytes, std::int64_t{1} << 31);

  // Rank r holds the values that are r modulo 2, and 0 elsewhere; their maximum is the whole pattern.
  const auto value_at = [](std::int64_t byte) {
    return static_cast<unsigned>((byte * 2654435761) >> 13) & 255;
  };
  const int rank = testing::world_rank();
  std::vector<std::uint8_t> image(static_cast<std::size_t>(bytes));
  for (std::int64_t i = 0; i < bytes; ++i) {
    const unsigned value = value_at(i);
    image[static_cast<std::size_t>(i)] =
        static_cast<int>(value % 2) == rank ? static_cast<std::uint8_t>(value) : 0;
  }

  Compositor compositor = testing::compositor_with({.sparse = false}, {.algorithm = "tree", .node_ranks = 1});
  const Tile tile = compositor.composite(
      {{reinterpret_cast<const std::byte*>(image.data()), nullptr}, size, format}, {Op::max, {}, {}});
  EXPECT_EQ(tile.range().size(), rank == 0 ? size.pixels() : 0);
  EXPECT_EQ(rank == 0 ? compositor.timing().bytes_received : compositor.timing().bytes_sent, bytes);
  std::int64_t wrong = 0;
  const std::int64_t held = tile.range().size() * 4;
  for (std::int64_t i = 0; i < held; ++i) {
    if (std::to_integer<unsigned>(tile.pixels().view().colour[i]) != value_at(i)) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace sortlast
