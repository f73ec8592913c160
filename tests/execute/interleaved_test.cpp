// Interleaved partitions in the serial executor: an image whose blocks are dealt out is composited as one
// that holds its pixels in that order is by contiguous pieces, to the bit.
#include <gtest/gtest.h>

#include "node_lists.hpp"
#include "scene.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"
#include "sparse_scene.hpp"

namespace sortlast {
namespace {

using testing::Scene;

// The planes of n pixels with their pixels in the schedule's order.
testing::TestImage dealt(const Interleaving& interleaving, const Format& format, ConstPixels from,
                         std::int64_t n) {
  testing::TestImage image;
  for (const Range lies : interleaving.ranges({0, n})) {
    const ConstPixels run = advance(from, format, lies.begin);
    const auto count = static_cast<std::size_t>(lies.size());
    image.colour.insert(image.colour.end(), run.colour, run.colour + count * format.colour_bytes());
    if (format.depth) image.depth.insert(image.depth.end(), run.depth, run.depth + count);
  }
  return image;
}

TEST(Interleaved, IsTheContiguousCompositeOfDealtImages) {
  std::mt19937 random(71);
  const std::int32_t counts[] = {2, 3, 5, 8, 12, 16};
  std::size_t turn = 0;
  for (const auto& [format, op] : testing::cases()) {
    for (const AlgorithmEntry& entry : algorithms()) {
      const std::int32_t p = counts[turn++ % std::size(counts)];
      const Size size{131, 9 + static_cast<std::int64_t>(random() % 91)};
      const auto lists = testing::node_lists(p, random);
      const auto& [kind, nodes] = lists[random() % lists.size()];
      SCOPED_TRACE(entry.name + " p=" + std::to_string(p) + " " + format_name(format) + " " +
                   std::string(op_name(op)) + ", " + std::to_string(size.height) + " rows, nodes: " + kind);
      Scene scene(p, format, size, random, random() % 2 == 0);
      for (std::size_t rank = 0; rank < static_cast<std::size_t>(p); ++rank) {
        draw_only(scene, rank, testing::all_drawn[random() % std::size(testing::all_drawn)], random);
        add_trouble(scene, rank, op != Op::over, random);
      }
      const std::int64_t n = size.pixels();
      const Interleaving interleaving(n, p);
      const Schedule schedule = make_schedule(
          entry.name,
          {p, n, testing::shuffled(p, random), testing::shuffled(p, random), commutes(op), nodes});

      // The same pixels, dealt beforehand.
      std::vector<testing::TestImage> images;
      std::vector<ConstPixels> views;
      for (const ConstPixels view : scene.views()) {
        images.push_back(view.colour == nullptr ? testing::TestImage{}
                                                : dealt(interleaving, format, view, n));
        views.push_back(view.colour == nullptr ? ConstPixels{} : images.back().view());
      }
      const Frame expected = execute_serial(schedule, views, size, format, op, 1, {.sparse = false});

      for (const bool sparse : {false, true}) {
        for (const std::int64_t chunk : {std::int64_t{4096}, std::int64_t{1} << 20}) {
          const Frame frame = execute_serial(schedule, scene.views(), size, format, op, 2,
                                             {.chunk_bytes = chunk, .sparse = sparse}, interleaving);
          const testing::TestImage found = dealt(interleaving, format, frame.pixels.view(), n);
          scene.expect_same_bits(found.view(), expected.pixels.view(), n);
        }
      }
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(Interleaved, GivesTheOraclesImage) {
  std::mt19937 random(72);
  for (std::int32_t p = 1; p <= 16; ++p) {
    // The most pixels that are not dealt out, one more, and many.
    const std::int64_t most = (2 * p - 1) * Interleaving::least_block;
    for (const std::int64_t n : {most, most + 1, 9 * most + 35}) {
      const Size size{n, 1};
      const Interleaving interleaving(n, p);
      EXPECT_EQ(interleaving.none(), p == 1 || n == most);
      const Format format{Scalar::uint8, 4, true};
      const Scene scene(p, format, size, random, p % 2 == 0);
      const auto order = testing::shuffled(p, random);
      for (const AlgorithmEntry& entry : algorithms()) {
        SCOPED_TRACE(entry.name + " p=" + std::to_string(p) + " n=" + std::to_string(n));
        const Schedule schedule = make_schedule(entry.name, {p, n, order, {}, false});
        const Frame frame =
            execute_serial(schedule, scene.views(), size, format, Op::over, 1, {}, interleaving);
        scene.expect_near(frame, composite_serial(scene.views(), size, format, Op::over, order), 2);
      }
    }
  }
}

}  // namespace
}  // namespace sortlast
