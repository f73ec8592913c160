// Colours that travel as float16: within the stated error, depth as it was, and nothing else touched.
#include <gtest/gtest.h>

#include <limits>

#include "half_bound.hpp"
#include "scene.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"
#include "sparse_scene.hpp"

namespace sortlast {
namespace {

using testing::Scene;

constexpr WireOptions half{.chunk_bytes = 4096, .half = true};

TEST(Half, ErrorIsWithinTheBound) {
  std::mt19937 random(51);
  for (const std::int32_t p : {2, 3, 5, 8, 13, 16}) {
    for (const auto& [format, op] : testing::cases()) {
      if (format.scalar != Scalar::float32) continue;
      const Size size{50, 43};
      Scene scene(p, format, size, random, p % 2 == 0);
      premultiply(scene, p);
      const auto order = testing::shuffled(p, random);
      const Frame oracle = composite_serial(scene.views(), size, format, op, order);
      for (const AlgorithmEntry& entry : algorithms()) {
        const Schedule schedule = make_schedule(entry.name, {p, size.pixels(), order, {}, commutes(op)});
        const int t = testing::most_transfers(schedule);
        SCOPED_TRACE(entry.name + " p=" + std::to_string(p) + " " + format_name(format) + " " +
                     std::string(op_name(op)) + ", transfers: " + std::to_string(t));
        EXPECT_TRUE(t == 1 || !testing::rounds_once(entry.name));
        const Frame frame = execute_serial(schedule, scene.views(), size, format, op, 1, half);
        scene.expect_near(frame, oracle, testing::half_bound(op, p, t));
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

TEST(Half, IsForFloat32Alone) {
  std::mt19937 random(52);
  const std::int32_t p = 5;
  const Size size{31, 40};
  for (const auto& [format, op] : testing::cases()) {
    const Scene scene(p, format, size, random, false);
    for (const AlgorithmEntry& entry : algorithms()) {
      SCOPED_TRACE(entry.name + " " + format_name(format) + " " + std::string(op_name(op)));
      const Schedule schedule = make_schedule(entry.name, {p, size.pixels(), {}, {}, commutes(op)});
      const Frame exact = execute_serial(schedule, scene.views(), size, format, op, 1);
      const Frame rounded = execute_serial(schedule, scene.views(), size, format, op, 1, half);
      if (format.scalar != Scalar::float32) {
        scene.expect_same_bits(rounded, exact);
      } else {
        const auto bytes = static_cast<std::size_t>(size.pixels()) * format.colour_bytes();
        EXPECT_NE(std::memcmp(rounded.pixels.view().colour, exact.pixels.view().colour, bytes), 0)
            << "nothing was rounded";
      }
    }
  }
}

TEST(Half, EmptyPixelsAndTheOrderOfArrivalChangeNoBit) {
  std::mt19937 random(53);
  const Format format{Scalar::float32, 4, true};
  const Size size{77, 61};
  for (const std::int32_t p : {2, 5, 8}) {
    for (const Op op : {Op::over, Op::closest, Op::add}) {
      for (const AlgorithmEntry& entry : algorithms()) {
        SCOPED_TRACE(entry.name + " p=" + std::to_string(p) + " " + std::string(op_name(op)));
        Scene scene(p, format, size, random, false);
        for (std::size_t rank = 0; rank < static_cast<std::size_t>(p); ++rank)
          draw_only(scene, rank, testing::all_drawn[random() % 4], random);
        const Schedule schedule = make_schedule(entry.name, {p, size.pixels(), {}, {}, commutes(op)});
        const auto run = [&](std::uint32_t seed, bool sparse) {
          return execute_serial(schedule, scene.views(), size, format, op, seed,
                                {.chunk_bytes = 4096, .sparse = sparse, .half = true});
        };
        const Frame first = run(1, true);
        scene.expect_same_bits(run(2, true), first);
        scene.expect_same_bits(run(3, false), first);
      }
    }
  }
}

TEST(Half, WhatFloat16CannotHoldBecomesInfinity) {
  // Rank 1's image goes to rank 0, which owns the first half of the pixels.
  const Format format{};
  std::vector<float> front(32, 0.0F);
  std::vector<float> back(32, 0.0F);
  back[0] = 65519.0F;  // rounds to 65504, the largest
  back[1] = 65520.0F;
  back[2] = -1e30F;
  back[3] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<ConstPixels> images{{reinterpret_cast<const std::byte*>(front.data()), nullptr},
                                        {reinterpret_cast<const std::byte*>(back.data()), nullptr}};
  const Schedule schedule = make_schedule("shift", {2, 8, {}, {}, true});
  const Frame frame = execute_serial(schedule, images, {8, 1}, format, Op::add, 1, half);
  const auto found = testing::channels_of(format, frame.pixels.view().colour, 1);
  EXPECT_EQ(found[0], 65504.0F);
  EXPECT_EQ(found[1], std::numeric_limits<float>::infinity());
  EXPECT_EQ(found[2], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(found[3]));
}

}  // namespace
}  // namespace sortlast
