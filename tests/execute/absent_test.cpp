// Ranks without an image are as if they were not there, also where pixels have no finite depth.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

TEST(Absent, PrefixesHideNothing) {
  std::mt19937 random(31);
  const Format format{Scalar::float32, 4, true};
  const Size size{17, 3};
  for (std::int32_t p = 2; p <= 33; ++p) {
    testing::Scene scene(p, format, size, random, false);
    for (std::int32_t rank = 0; rank < p; ++rank) {
      for (float& depth : scene.image(static_cast<std::size_t>(rank)).depth) {
        if (random() % 3 == 0) depth = std::numeric_limits<float>::infinity();
        if (random() % 7 == 0) depth = std::numeric_limits<float>::quiet_NaN();
      }
    }
    for (std::int32_t absent = 1; absent < p; absent += 1 + p / 5) {
      for (std::int32_t rank = 0; rank < absent; ++rank) scene.remove(static_cast<std::size_t>(rank));
      const Frame oracle = composite_serial(scene.views(), size, format, Op::closest);
      for (const AlgorithmEntry& entry : algorithms()) {
        SCOPED_TRACE(entry.name + " p=" + std::to_string(p) + " absent=" + std::to_string(absent));
        const Schedule schedule = make_schedule(entry.name, {p, size.pixels(), {}, {}, false});
        const Frame frame = execute_serial(schedule, scene.views(), size, format, Op::closest, 3);
        const auto bytes = static_cast<std::size_t>(size.pixels()) * format.colour_bytes();
        ASSERT_EQ(std::memcmp(frame.pixels.view().colour, oracle.pixels.view().colour, bytes), 0);
      }
    }
  }
}

TEST(Absent, OnlyTheBackgroundIsLeft) {
  const Format format{};
  const Size size{4, 2};
  const std::vector<ConstPixels> nobody(3);
  const std::vector<float> background{-0.5F, 0.25F, 2.0F, 1.0F};
  for (const Op op : {Op::over, Op::add, Op::max, Op::min}) {
    const Frame frame = composite_serial(nobody, size, format, op, {}, background);
    const auto found = testing::channels_of(format, frame.pixels.view().colour, size.pixels());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], background[i % 4]) << op_name(op);
  }
}

TEST(Absent, SizesThatCannotBeCountedAreRefused) {
  const Format format{};
  const std::vector<ConstPixels> nobody(2);
  const std::int64_t large = std::int64_t{1} << 32;
  EXPECT_THROW(composite_serial(nobody, {large, large}, format, Op::over), ArgumentError);
  EXPECT_THROW(composite_serial(nobody, {large, large / 4}, format, Op::over), ArgumentError);
  EXPECT_NO_THROW(check_size({large, 0}, format));
  EXPECT_NO_THROW(check_size({1 << 20, 1 << 20}, format));
}

TEST(Absent, ACommutingScheduleIsForOperatorsThatCommute) {
  const std::vector<ConstPixels> nobody(2);
  const Schedule schedule = make_schedule("shift", {2, 8, {}, {}, true});
  EXPECT_THROW(execute_serial(schedule, nobody, {4, 2}, {}, Op::over), ArgumentError);
  EXPECT_NO_THROW(execute_serial(schedule, nobody, {4, 2}, {}, Op::add));
}

}  // namespace
}  // namespace sortlast
