// Conversions between scalars, through chains of one link.
#include <gtest/gtest.h>

#include <cmath>

#include "image/images.hpp"

namespace sortlast {
namespace {

// Convert a plane of RGBA values; the length is a multiple of 4.
template <class To, class From>
std::vector<To> convert(const std::vector<From>& values, Scalar from, Scalar to) {
  std::vector<To> result(values.size());
  const Link link{{reinterpret_cast<const std::byte*>(values.data()), nullptr}, from, Side::back};
  blend(Op::add, 4, false, {&link, 1}, {reinterpret_cast<std::byte*>(result.data()), nullptr}, to,
        static_cast<std::int64_t>(values.size() / 4));
  return result;
}

std::vector<std::uint16_t> all_words() {
  std::vector<std::uint16_t> words(65536);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint16_t>(i);
  return words;
}

// The value of a finite half by the definition of binary16.
double half_value(unsigned half) {
  const int exponent = static_cast<int>(half >> 10) & 31;
  const int mantissa = static_cast<int>(half & 0x3ff);
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

TEST(Float16, EveryHalfBecomesItsValueAndComesBack) {
  testing::for_each_target([](const std::string& target) {
    const auto halves = all_words();
    const auto floats = convert<float>(halves, Scalar::float16, Scalar::float32);
    for (std::size_t i = 0; i < halves.size(); ++i) {
      const unsigned magnitude = halves[i] & 0x7fffu;
      ASSERT_EQ(std::signbit(floats[i]), halves[i] > 0x7fff) << target << ", half " << i;
      if (magnitude > 0x7c00)
        ASSERT_TRUE(std::isnan(floats[i])) << target << ", half " << i;
      else if (magnitude == 0x7c00)
        ASSERT_TRUE(std::isinf(floats[i])) << target << ", half " << i;
      else
        ASSERT_EQ(floats[i], half_value(halves[i])) << target << ", half " << i;
    }
    EXPECT_EQ(convert<std::uint16_t>(floats, Scalar::float32, Scalar::float16), halves) << target;
  });
}

TEST(Float16, RoundsToNearestEven) {
  // Around the middle of each pair of neighbours, infinity standing for 65536.
  std::vector<float> values;
  std::vector<std::uint16_t> expected;
  for (unsigned half = 0; half < 0x7c00; ++half) {
    const auto low = static_cast<std::uint16_t>(half);
    const auto high = static_cast<std::uint16_t>(half + 1);
    const auto middle =
        static_cast<float>((half_value(low) + (high == 0x7c00 ? 65536.0 : half_value(high))) / 2);
    for (float sign : {1.0f, -1.0f}) {
      const auto bit = static_cast<std::uint16_t>(sign < 0 ? 0x8000 : 0);
      const auto push = [&](float value, std::uint16_t result) {
        values.push_back(sign * value);
        expected.push_back(static_cast<std::uint16_t>(result | bit));
      };
      push(std::nextafter(middle, 0.0f), low);
      push(middle, low % 2 == 0 ? low : high);
      push(std::nextafter(middle, 1e9f), high);
      push(static_cast<float>(half_value(low)), low);
    }
  }
  testing::for_each_target([&](const std::string& target) {
    EXPECT_EQ(convert<std::uint16_t>(values, Scalar::float32, Scalar::float16), expected) << target;
  });
}

TEST(Float16, EdgesOfFloat32) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{
      std::numeric_limits<float>::max(),        -std::numeric_limits<float>::max(), infinity, -infinity,
      std::numeric_limits<float>::denorm_min(), -std::numeric_limits<float>::min(), 65504.0f, 65536.0f};
  const std::vector<std::uint16_t> expected{0x7c00, 0xfc00, 0x7c00, 0xfc00, 0, 0x8000, 0x7bff, 0x7c00};
  testing::for_each_target([&](const std::string& target) {
    EXPECT_EQ(convert<std::uint16_t>(values, Scalar::float32, Scalar::float16), expected) << target;
  });
}

TEST(Float16, EveryNanOfFloat32StaysNan) {
  for (std::uint32_t payload : {1u, 0x1fffu, 0x2000u, 0x3fffffu, 0x400000u, 0x7fffffu}) {
    const std::uint32_t bits = 0x7f800000u | payload;
    float nan;
    std::memcpy(&nan, &bits, sizeof nan);
    testing::for_each_target([&](const std::string& target) {
      const auto halves =
          convert<std::uint16_t>(std::vector<float>(64, nan), Scalar::float32, Scalar::float16);
      EXPECT_GT(halves[0] & 0x7fff, 0x7c00) << target << ", payload " << payload;
    });
  }
}

TEST(Bytes, EveryIntegerComesBack) {
  testing::for_each_target([](const std::string& target) {
    std::vector<std::uint8_t> bytes(256);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
    const auto byte_floats = convert<float>(bytes, Scalar::uint8, Scalar::float32);
    EXPECT_EQ(byte_floats.back(), 1.0f);
    EXPECT_EQ(convert<std::uint8_t>(byte_floats, Scalar::float32, Scalar::uint8), bytes) << target;
  });
}

TEST(Bytes, SaturatesAndTakesNanForZero) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{nan, -nan, infinity, -infinity, 1.5f, -1.5f, 1e30f, -1e-41f};
  testing::for_each_target([&](const std::string& target) {
    EXPECT_EQ(convert<std::uint8_t>(values, Scalar::float32, Scalar::uint8),
              (std::vector<std::uint8_t>{0, 0, 255, 0, 255, 0, 255, 0}))
        << target;
  });
}

TEST(Bytes, RoundingIsUnbiased) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  std::vector<float> values(1 << 18);
  for (float& value : values) value = unit(random);
  testing::for_each_target([&](const std::string& target) {
    const auto bytes = convert<std::uint8_t>(values, Scalar::float32, Scalar::uint8);
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double error = bytes[i] - 255.0 * static_cast<double>(values[i]);
      ASSERT_LE(std::abs(error), 0.5 + 1e-4) << target << ", value " << values[i];
      sum += error;
    }
    // The standard error of the mean is 0.29 / 512; truncation would give -0.5.
    EXPECT_LT(std::abs(sum / static_cast<double>(values.size())), 4 * 0.29 / 512) << target;
  });
}

// The error of over on uint8 in two halves that meet through partials, against double arithmetic.
TEST(Bytes, OverThroughPartialsIsWithinOneUnitAndUnbiased) {
  std::mt19937 random(8);
  const std::int64_t n = 20000;
  const int links = 9;
  std::vector<testing::Image> images;
  for (int k = 0; k < links; ++k) {
    images.emplace_back(Format{Scalar::uint8, 4, false}, n);
    for (std::int64_t i = 0; i < n; ++i) {
      const int alpha = static_cast<int>(random() % 256);
      for (int c = 0; c < 4; ++c)
        images.back().set(i, c,
                          static_cast<std::uint8_t>(c == 3 ? alpha : static_cast<int>(random()) & alpha));
    }
  }
  std::vector<Link> chain;
  for (auto& image : images) chain.push_back(image.link());

  const Scalar partial = partial_scalar(Scalar::uint8, Op::over);
  testing::Image halves[] = {{{partial, 4, false}, n}, {{partial, 4, false}, n}};
  const std::span<const Link> links_of(chain);
  blend(Op::over, 4, false, links_of.first(4), halves[0].pixels(), partial, n);
  blend(Op::over, 4, false, links_of.subspan(4), halves[1].pixels(), partial, n);
  testing::Image out({Scalar::uint8, 4, false}, n);
  const std::vector<Link> both{halves[0].link(), halves[1].link()};
  blend(Op::over, 4, false, both, out.pixels(), Scalar::uint8, n);

  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (int c = 0; c < 4; ++c) {
      double value = 0;
      for (int k = links - 1; k >= 0; --k) {
        const auto& image = images[static_cast<std::size_t>(k)];
        value = image.get<std::uint8_t>(i, c) + (1.0 - image.get<std::uint8_t>(i, 3) / 255.0) * value;
      }
      const double error = out.get<std::uint8_t>(i, c) - value;
      ASSERT_LE(std::abs(error), 0.51) << "pixel " << i << ", channel " << c;
      // Alpha crowds just below 255, where rounding goes up more often than down; colour does not.
      if (c < 3) sum += error;
    }
  EXPECT_LT(std::abs(sum / (3.0 * static_cast<double>(n))),
            4 * 0.29 / std::sqrt(3.0 * static_cast<double>(n)));
}

}  // namespace
}  // namespace sortlast
