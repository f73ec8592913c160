// However pixels travel - in how small chunks, with or without their empty ones, between whichever ranks -
// the bits of the result are the same.
#include <gtest/gtest.h>

#include "node_lists.hpp"
#include "scene.hpp"
#include "sortlast/content/pixels/pixel_content.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"
#include "sparse_scene.hpp"

namespace sortlast {
namespace {

using testing::Scene;

constexpr std::int64_t least_chunk = 4096;  // bytes: 1024 pixels or fewer

std::vector<std::int32_t> some_nodes(std::int32_t p, std::mt19937& random) {
  const auto lists = testing::node_lists(p, random);
  return lists[random() % lists.size()].second;
}

// Every rank has drawn something else, and pixels that make trouble are among it.
Scene sparse_scene(std::int32_t p, const Format& format, Size size, bool infinities, std::mt19937& random) {
  Scene scene(p, format, size, random, random() % 2 == 0);
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(p); ++rank) {
    draw_only(scene, rank, testing::all_drawn[random() % std::size(testing::all_drawn)], random);
    add_trouble(scene, rank, infinities, random);
  }
  return scene;
}

TEST(Travel, ChunksAndEmptyPixelsChangeNoBit) {
  std::mt19937 random(41);
  const std::int32_t counts[] = {2, 3, 5, 8, 12};
  std::size_t turn = 0;
  for (const auto& [format, op] : testing::cases()) {
    for (const AlgorithmEntry& entry : algorithms()) {
      const std::int32_t p = counts[turn++ % std::size(counts)];
      const Size size{131, 1 + static_cast<std::int64_t>(random() % 151)};
      const auto nodes = some_nodes(p, random);
      SCOPED_TRACE(entry.name + " p=" + std::to_string(p) + " " + format_name(format) + " " +
                   std::string(op_name(op)) + ", " + std::to_string(size.height) + " rows");
      const Scene scene = sparse_scene(p, format, size, op != Op::over, random);
      const auto order = testing::shuffled(p, random);
      const Schedule schedule = make_schedule(
          entry.name, {p, size.pixels(), order, testing::shuffled(p, random), commutes(op), nodes});
      const Frame dense = execute_serial(schedule, scene.views(), size, format, op, 1,
                                         {.chunk_bytes = 1 << 30, .sparse = false});
      scene.expect_near(dense, composite_serial(scene.views(), size, format, op, order),
                        testing::tolerance(format, op, p, false));
      for (const bool sparse : {false, true}) {
        const WireOptions small{.chunk_bytes = least_chunk, .sparse = sparse};
        scene.expect_same_bits(execute_serial(schedule, scene.views(), size, format, op, 2, small), dense);
        scene.expect_same_bits(execute_serial(schedule, scene.views(), size, format, op, 3, small), dense);
      }
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(Travel, InfinityAndNanOfSparseImagesChangeNoBit) {
  std::mt19937 random(42);
  const Format format{Scalar::float32, 4, true};
  const Size size{64, 80};
  for (const std::int32_t p : {2, 3, 6, 9}) {
    for (const AlgorithmEntry& entry : algorithms()) {
      SCOPED_TRACE(entry.name + " p=" + std::to_string(p));
      const Scene scene = sparse_scene(p, format, size, true, random);
      const Schedule schedule =
          make_schedule(entry.name, {p, size.pixels(), testing::shuffled(p, random), {}, false});
      const auto run = [&](const WireOptions& wire) {
        return execute_serial(schedule, scene.views(), size, format, Op::over, 1, wire);
      };
      scene.expect_same_bits(run({.chunk_bytes = least_chunk}), run({.sparse = false}));
    }
  }
}

TEST(Travel, MoreChunksThanTheWindowAndUnitsAcrossThem) {
  // Pieces of many chunks; chunks that no unit of blending begins or ends with.
  std::mt19937 random(43);
  const Format format{Scalar::uint8, 4, true};
  const Size size{1201, 150};
  const std::int32_t p = 3;
  ASSERT_GT(size.pixels() / p, 5 * IndexedProgram::window *
                                   WireOptions{.chunk_bytes = least_chunk}.chunk_pixels(format, Op::over));
  ASSERT_NE(PixelContent::unit %
                WireOptions{.chunk_bytes = std::int64_t{7} * 1024 * 8}.chunk_pixels(format, Op::over),
            0);
  const Scene scene(p, format, size, random, false);
  const Frame oracle = composite_serial(scene.views(), size, format, Op::over);
  for (const AlgorithmEntry& entry : algorithms()) {
    SCOPED_TRACE(entry.name);
    const Schedule schedule = make_schedule(entry.name, {p, size.pixels(), {}, {}, false});
    const Frame whole = execute_serial(schedule, scene.views(), size, format, Op::over, 1, {.sparse = false});
    scene.expect_near(whole, oracle, 2);
    for (const std::int64_t chunk_bytes : {least_chunk, std::int64_t{7} * 1024 * 8}) {
      const WireOptions wire{.chunk_bytes = chunk_bytes};
      scene.expect_same_bits(execute_serial(schedule, scene.views(), size, format, Op::over, 4, wire), whole);
    }
  }
}

// Partial results of uint8 images travel as float32, four times as large as the images.
TEST(Travel, ChunksOfAnyPermittedSizeFitIntoMessages) {
  constexpr std::int64_t n = 1 << 28;
  for (const auto& [format, op] : testing::cases()) {
    const Schedule schedule = make_schedule("tree", {3, n, {}, {}, commutes(op)});
    for (const std::int64_t chunk_bytes : {std::int64_t{1} << 29, std::int64_t{1} << 30}) {
      SCOPED_TRACE(format_name(format) + " " + std::string(op_name(op)) + ", " + std::to_string(chunk_bytes));
      for (std::int32_t rank = 0; rank < 3; ++rank) {
        const IndexedProgram program(schedule, rank, format, op, {.chunk_bytes = chunk_bytes});
        for (const Send& send : program.program.sends) {
          const std::int64_t pixels = program.chunk_of(send.pixels, 0).size();
          EXPECT_GT(pixels, 0);
          EXPECT_LE(pixels, max_message_pixels(program.value(send.value).format));
        }
      }
    }
  }
}

}  // namespace
}  // namespace sortlast
