// The device kernels against blend_reference(), bit for bit: as host functions, and launched through the
// driver.
#include "device/cases.hpp"

namespace sortlast {
namespace {

using testing::Case;
using testing::expected;
using testing::Image;
using testing::Kernels;
using testing::launches_of;
using testing::make_case;
using testing::on_host;

class EachOp : public Kernels, public ::testing::WithParamInterface<Op> {};

// Every output that a chain of this format may have.
std::vector<Scalar> outputs_of(Op op, Scalar scalar) {
  if (op == Op::closest) return {scalar};
  return {Scalar::float32, Scalar::float16, Scalar::uint8};
}

TEST_P(EachOp, OneToSixteenImagesOfEveryFormat) {
  for (const Format& format : testing::formats_of(GetParam()))
    for (std::size_t k = 1; k <= 16; ++k)
      for (const Scalar out : outputs_of(GetParam(), format.scalar)) {
        const std::int64_t n = random_length();
        Case c = make_case(GetParam(), format, images(format, k, n), random_);
        c.out = out;
        c.n = n;
        expect_reference(c);
      }
}

// Partial results of several images are wider than the images (partial_scalar).
TEST_P(EachOp, ImagesOfMixedScalars) {
  if (GetParam() == Op::closest) return;
  for (const Format& format : testing::formats_of(GetParam()))
    for (const std::size_t k : {2U, 3U, 7U})
      for (const Scalar out : testing::all_scalars) {
        const std::int64_t n = random_length();
        Case c = make_case(GetParam(), format, images(format, k, n, true), random_);
        c.out = out;
        c.n = n;
        expect_reference(c);
      }
}

// Pieces of images begin at any pixel: aligned after some scalars, or never.
TEST_P(EachOp, PiecesThatBeginAtAnyPixel) {
  for (const Format& format : testing::formats_of(GetParam()))
    for (std::int64_t first = 1; first <= 17; ++first) {
      const std::int64_t n = random_length();
      Case c = make_case(GetParam(), format, images(format, 3, first + n), random_);
      c.n = n;
      c.first = first;
      expect_reference(c);
      // Images whose addresses differ.
      c.images[1] = testing::random_image(format, first + n, random_, 4);
      expect_reference(c);
    }
}

TEST_P(EachOp, PixelsOutsideOfARangeAreEmpty) {
  for (const Format& format : testing::formats_of(GetParam()))
    for (const std::size_t k : {1U, 4U}) {
      const std::int64_t n = 200;
      Case c = make_case(GetParam(), format, images(format, k, n), random_);
      c.n = n;
      for (std::size_t i = 0; i < k; ++i) {
        const auto begin = static_cast<std::int64_t>(random_() % 150);
        c.stored.emplace_back(begin, begin + static_cast<std::int64_t>(random_() % 100));
      }
      expect_reference(c);
    }
}

TEST_P(EachOp, ABackgroundBehindRoundedPixels) {
  for (const Format& format : testing::formats_of(GetParam()))
    for (const std::size_t k : {0U, 1U, 3U})
      for (const Scalar out : outputs_of(GetParam(), format.scalar)) {
        const std::int64_t n = 161;
        Case c = make_case(GetParam(), format, images(format, k, n), random_);
        c.out = out;
        c.n = n;
        if (k == 0) expect_reference(c);  // and none
        for (const auto& colour :
             {std::array{0.2f, 0.4f, 0.6f, 1.0f}, std::array{3.0f, -1.0f, 1e-41f, 0.3f}}) {
          c.background = DeviceBackground{colour};
          expect_reference(c);
        }
      }
}

TEST_P(EachOp, TheOutputMayBeTheFirstImage) {
  for (const Format& format : testing::formats_of(GetParam())) {
    Case c = make_case(GetParam(), format, images(format, 3, 500), random_);
    c.n = 500;
    const Image right = expected(c);
    std::vector<Pixels> places;
    for (Image& image : c.images) places.push_back(image.pixels());
    for (const DeviceLaunch& launch : launches_of(c, places, places.front()))
      for (std::int64_t thread = 0; thread < std::int64_t{launch.blocks} * launch.threads; ++thread)
        testing::host_kernel(launch.kernel)->run(launch.arguments, thread);
    EXPECT_TRUE(c.images.front() == right) << format_name(format);
  }
}

// Cut where ranks or launches cut a chain, and resumed from the partial result.
TEST_P(EachOp, CuttingAChainChangesNoBit) {
  for (const Format& format : testing::formats_of(GetParam())) {
    Case whole = make_case(GetParam(), format, images(format, 5, 100), random_);
    whole.n = 100;
    for (std::size_t cut = 1; cut < 5; ++cut) {
      const auto at = static_cast<std::ptrdiff_t>(cut);
      Case begin = whole;
      begin.images.erase(begin.images.begin() + at, begin.images.end());
      begin.out = accumulator_scalar(format.scalar, GetParam());
      Case end = whole;
      end.images.erase(end.images.begin(), end.images.begin() + at);
      end.sides.erase(end.sides.begin(), end.sides.begin() + at);
      end.images.insert(end.images.begin(), device_.run(begin));
      end.sides.insert(end.sides.begin(), Side::back);
      EXPECT_TRUE(device_.run(end) == expected(whole)) << format_name(format) << ", cut after " << cut;
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<Op>& op) { return std::string(op_name(op.param)); }
INSTANTIATE_TEST_SUITE_P(Kernels, EachOp, ::testing::ValuesIn(testing::all_ops), name_of);

// ---- Values ---------------------------------------------------------------------------------------

TEST_F(Kernels, ConvertEveryHalfAndTheirMidpoints) {
  const Format half{Scalar::float16, 4, false};
  Case c{Op::add, {Image(half, 65536 / 4)}, {Side::back}};
  c.n = 65536 / 4;
  for (std::int64_t i = 0; i < 65536; ++i)
    c.images[0].set(i / 4, static_cast<int>(i % 4), static_cast<std::uint16_t>(i));
  for (const Scalar out : testing::all_scalars) {
    c.out = out;
    expect_reference(c);
  }

  // Halves as floats, and floats just below, at and above the middle between two of them.
  c.out = Scalar::float32;
  const Image exact = on_host(c);
  const std::int64_t n = 65536;
  Case narrow{Op::add, {Image({Scalar::float32, 4, false}, n)}, {Side::back}};
  narrow.n = n;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto bits = exact.get<std::uint32_t>(i / 4, static_cast<int>(i % 4));
    const std::uint32_t values[] = {bits, bits + 0xfff, bits + 0x1000, bits + 0x1001};
    for (int v = 0; v < 4; ++v) narrow.images[0].set(i, v, values[v]);
  }
  for (const Scalar out : {Scalar::float16, Scalar::uint8}) {
    narrow.out = out;
    expect_reference(narrow);
  }
}

// Floats around the middle between two bytes, as far as rounding can differ.
TEST_F(Kernels, RoundToBytes) {
  constexpr std::int64_t n = 768;  // 12 values for each byte
  Case c{Op::add, {Image({Scalar::float32, 4, false}, n)}, {Side::back}, Scalar::uint8};
  c.n = n;
  for (std::int64_t i = 0; i < 256; ++i)
    for (int step = -6; step < 6; ++step) {
      float value = (static_cast<float>(i) + 0.5f) / 255;
      for (int s = 0; s < std::abs(step); ++s) value = std::nextafter(value, step < 0 ? 0.0f : 2.0f);
      c.images[0].set(i * 3 + (step + 6) / 4, (step + 6) % 4, value);
    }
  expect_reference(c);
}

// All pairs of bytes, three in a pixel, with many alphas.
TEST_F(Kernels, EveryPairOfBytes) {
  constexpr std::int64_t pairs = 65536, n = (pairs + 2) / 3;
  Case c{
      Op::over, std::vector(2, Image({Scalar::uint8, 4, false}, n)), {Side::back, Side::back}, Scalar::uint8};
  c.n = n;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    c.images[0].set(pair / 3, static_cast<int>(pair % 3), static_cast<std::uint8_t>(pair / 256));
    c.images[1].set(pair / 3, static_cast<int>(pair % 3), static_cast<std::uint8_t>(pair % 256));
  }
  for (int alpha = 0; alpha < 256; alpha += 17) {
    for (std::int64_t i = 0; i < n; ++i)
      for (Image& image : c.images) image.set(i, 3, static_cast<std::uint8_t>(alpha));
    EXPECT_TRUE(on_host(c) == expected(c)) << "alpha " << alpha;
  }
}

// The background of closest covers depths that are not in front of it.
TEST_F(Kernels, TheBackgroundOfClosestHasADepth) {
  const Format format{Scalar::uint8, 4, true};
  for (const float limit : {2.0f, std::numeric_limits<float>::quiet_NaN()}) {
    Case c = make_case(Op::closest, format, images(format, 2, 300), random_);
    c.n = 300;
    Image right = expected(c);
    c.background = DeviceBackground{{0.2f, 0.4f, 0.6f, 1.0f}, limit};
    Background(Op::closest, format, c.background->colour, limit).apply(right.pixels(), c.n);
    EXPECT_TRUE(on_host(c) == right);
    EXPECT_TRUE(device_.run(c) == right);
  }
}

}  // namespace
}  // namespace sortlast
