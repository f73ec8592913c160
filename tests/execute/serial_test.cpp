// Every algorithm, operator and format: the serial executor against the oracle, and the same bits whatever
// the order of arrival.
#include "sortlast/serial.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "node_lists.hpp"
#include "sanitized.hpp"
#include "scene.hpp"
#include "sortlast/content/pixels/pixel_content.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {
namespace {

using sortlast::testing::cases;
using sortlast::testing::rounds_once;
using sortlast::testing::Scene;
using sortlast::testing::shuffled;

TEST(Serial, EveryAlgorithmGivesTheOraclesImage) {
  std::mt19937 random(11);
  for (std::int32_t p = 1; p <= 33; p = sortlast::testing::next_number(p)) {
    for (const auto& [format, op] : cases()) {
      const Size size{std::uniform_int_distribution(0, 39)(random),
                      std::uniform_int_distribution(1, 7)(random)};
      const Scene scene(p, format, size, random, p % 2 == 0);
      const auto order = shuffled(p, random);
      const Frame oracle = composite_serial(scene.views(), size, format, op, order);
      for (const std::string& name : sortlast::testing::algorithm_names()) {
        SCOPED_TRACE(name + " p=" + std::to_string(p) + " " + format_name(format) + " " +
                     std::string(op_name(op)));
        const Schedule schedule =
            make_schedule(name, {p, size.pixels(), order, shuffled(p, random), commutes(op)});
        const Frame frame = execute_serial(schedule, scene.views(), size, format, op, 1);
        scene.expect_near(frame, oracle, sortlast::testing::tolerance(format, op, p, rounds_once(name)));
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

TEST(Serial, BitsDoNotDependOnTheOrderOfArrival) {
  std::mt19937 random(12);
  for (const std::int32_t p : {2, 3, 5, 8, 13}) {
    for (const auto& [format, op] : cases()) {
      const Size size{50, 7};
      const Scene scene(p, format, size, random, false);
      for (const std::string& name : sortlast::testing::algorithm_names()) {
        SCOPED_TRACE(name + " p=" + std::to_string(p) + " " + format_name(format) + " " +
                     std::string(op_name(op)));
        const Schedule schedule =
            make_schedule(name, {p, size.pixels(), shuffled(p, random), {}, commutes(op)});
        const Frame first = execute_serial(schedule, scene.views(), size, format, op, 1);
        for (std::uint32_t seed = 2; seed < 8; ++seed) {
          scene.expect_same_bits(execute_serial(schedule, scene.views(), size, format, op, seed), first);
        }
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

TEST(Serial, TwoLevelsGiveTheOraclesImage) {
  std::mt19937 random(16);
  for (const std::int32_t p : {2, 3, 6, 9, 14}) {
    for (const auto& [kind, nodes] : sortlast::testing::node_lists(p, random)) {
      for (const std::string& name : sortlast::testing::algorithm_names()) {
        if (name == "two-level") continue;
        for (const auto& [format, op] : cases()) {
          SCOPED_TRACE(::testing::Message() << name << " p=" << p << " nodes: " << kind << " "
                                            << format_name(format) << " " << op_name(op));
          const Size size{23, 3};
          const Scene scene(p, format, size, random, p % 2 == 0);
          const auto order = shuffled(p, random);
          const Frame oracle = composite_serial(scene.views(), size, format, op, order);
          const Schedule schedule = make_schedule(
              "two-level:" + name, {p, size.pixels(), order, shuffled(p, random), commutes(op), nodes});
          const Frame first = execute_serial(schedule, scene.views(), size, format, op, 1);
          scene.expect_near(first, oracle, sortlast::testing::tolerance(format, op, p, false));
          scene.expect_same_bits(execute_serial(schedule, scene.views(), size, format, op, 2), first);
          ASSERT_FALSE(HasFailure());
        }
      }
    }
  }
}

TEST(Serial, FragmentsThatNothingJoinsAreCopied) {
  // Nodes that interleave in depth, and an inner algorithm that fills values from several merges: there
  // are merges of a single input.
  std::mt19937 random(17);
  const std::int32_t p = 20;
  const Size size{31, 3};
  const Setting setting{p,  size.pixels(), shuffled(p, random),
                        {}, false,         sortlast::testing::cyclic_nodes(p, 10)};
  const Schedule schedule = make_schedule("two-level:2-3-swap", setting);
  std::size_t copies = 0;
  for (std::int32_t rank = 0; rank < p; ++rank) {
    for (const Merge& merge : schedule.program(rank).merges) copies += merge.inputs.size() == 1 ? 1 : 0;
  }
  ASSERT_GT(copies, 0u);
  for (const auto& [format, op] : cases()) {
    SCOPED_TRACE(format_name(format) + " " + std::string(op_name(op)));
    const Scene scene(p, format, size, random, true);
    const Frame oracle = composite_serial(scene.views(), size, format, op, setting.order);
    scene.expect_near(execute_serial(schedule, scene.views(), size, format, op, 1), oracle,
                      sortlast::testing::tolerance(format, op, p, false));
  }
}

TEST(Serial, PassesAreCutAtUnits) {
  // More pixels than one blend unit, so that messages arrive in the middle of a pass.
  std::mt19937 random(13);
  const Format format{Scalar::uint8, 4, true};
  const Size size{331, 3 * PixelContent::unit / 331};
  for (const std::string& name : sortlast::testing::algorithm_names()) {
    SCOPED_TRACE(name);
    const Scene scene(3, format, size, random, false);
    const Schedule schedule = make_schedule(name, {3, size.pixels(), {}, {}, false});
    const Frame first = execute_serial(schedule, scene.views(), size, format, Op::over, 1);
    scene.expect_near(first, composite_serial(scene.views(), size, format, Op::over), 2);
    scene.expect_same_bits(execute_serial(schedule, scene.views(), size, format, Op::over, 9), first);
  }
}

// Merges that lead into each other are blended in one pass or in several, as their chunks come.
TEST(Serial, TreesAreCutAtChunks) {
  std::mt19937 random(15);
  constexpr std::int32_t p = 8;
  constexpr Size size{256, 160};
  WireOptions wire;
  wire.chunk_bytes = 1024;  // five chunks a piece
  for (const Format format : {Format{}, Format{Scalar::uint8, 4, true}}) {
    const Scene scene(p, format, size, random, true);
    for (const std::string& name : sortlast::testing::algorithm_names()) {
      for (const std::vector<std::int32_t>& nodes : {std::vector<std::int32_t>{}, {0, 1, 1, 0, 0, 1, 0, 0}}) {
        SCOPED_TRACE(name + " " + format_name(format));
        const auto order = sortlast::testing::shuffled(p, random);
        const Schedule schedule = make_schedule(name, {p, size.pixels(), order, {}, false, nodes});
        const Frame first = execute_serial(schedule, scene.views(), size, format, Op::over, 1, wire);
        scene.expect_near(first, composite_serial(scene.views(), size, format, Op::over, order),
                          sortlast::testing::tolerance(format, Op::over, p, false));
        for (const std::uint32_t seed : {2U, 3U, 4U}) {
          scene.expect_same_bits(execute_serial(schedule, scene.views(), size, format, Op::over, seed, wire),
                                 first);
        }
      }
    }
  }
}

TEST(Serial, NanAndInfinityPassThrough) {
  std::mt19937 random(14);
  for (const std::int32_t p : {2, 3, 4, 7, 12}) {
    const Format format{};
    const Size size{20, 5};
    for (const Op op : {Op::over, Op::add, Op::max, Op::min}) {
      Scene scene(p, format, size, random, false);
      for (std::size_t rank = 0; rank < static_cast<std::size_t>(p); ++rank) {
        // A colour channel of a pixel of its own, so that no association turns an infinity into NaN.
        auto* const values = reinterpret_cast<float*>(scene.image(rank).colour.data());
        values[rank * 8] = std::numeric_limits<float>::quiet_NaN();
        values[rank * 8 + 1] = std::numeric_limits<float>::infinity();
        values[rank * 8 + 2] = -std::numeric_limits<float>::infinity();
      }
      // The rank behind must show: everything in front of it at those pixels is half transparent.
      for (std::size_t rank = 0; rank < static_cast<std::size_t>(p); ++rank) {
        auto* const values = reinterpret_cast<float*>(scene.image(rank).colour.data());
        for (std::size_t pixel = 0; pixel < 2 * static_cast<std::size_t>(p); ++pixel)
          values[pixel * 4 + 3] = 0.5F;
      }
      const Frame oracle = composite_serial(scene.views(), size, format, op);
      for (const std::string& name : sortlast::testing::algorithm_names()) {
        SCOPED_TRACE(name + " p=" + std::to_string(p) + " " + std::string(op_name(op)));
        const Schedule schedule = make_schedule(name, {p, size.pixels(), {}, {}, commutes(op)});
        scene.expect_near(execute_serial(schedule, scene.views(), size, format, op, 3), oracle,
                          sortlast::testing::tolerance(format, op, p, false));
      }
    }
  }
}

TEST(Serial, RanksWithoutImages) {
  std::mt19937 random(15);
  for (const std::int32_t p : {3, 5, 9, 14}) {
    for (const auto& [format, op] : cases()) {
      const Size size{9, 9};
      const std::vector<std::int32_t> going = shuffled(p, random);
      for (const std::string& name : sortlast::testing::algorithm_names()) {
        const Schedule schedule = make_schedule(name, {p, size.pixels(), {}, {}, commutes(op)});
        Scene scene(p, format, size, random, false);
        for (const std::int32_t rank : going) {
          SCOPED_TRACE(schedule.name() + " p=" + std::to_string(p) + " " + format_name(format) + " " +
                       std::string(op_name(op)) + ", without " + std::to_string(rank));
          scene.remove(static_cast<std::size_t>(rank));
          const Frame oracle = composite_serial(scene.views(), size, format, op);
          scene.expect_near(execute_serial(schedule, scene.views(), size, format, op, 5), oracle,
                            sortlast::testing::tolerance(format, op, p, rounds_once(name)));
        }
      }
    }
  }
}

TEST(Serial, WrongArgumentsAreExplained) {
  const Format format{};
  const std::vector<ConstPixels> images(3);
  EXPECT_THROW(composite_serial(images, {4, 4}, format, Op::closest), ArgumentError);
  EXPECT_THROW(composite_serial(images, {4, 4}, format, Op::over, {0, 1}), ArgumentError);
  EXPECT_THROW(composite_serial(images, {-4, 4}, format, Op::over), ArgumentError);
  const Schedule schedule = make_schedule("shift", {4, 16, {}, {}, false});
  EXPECT_THROW(execute_serial(schedule, images, {4, 4}, format, Op::over), ArgumentError);
}

}  // namespace
}  // namespace sortlast
