// blend() against blend_reference(), bit for bit.
#include <gtest/gtest.h>

#include "image/images.hpp"

namespace sortlast {
namespace {

using testing::Image;

constexpr std::int64_t lengths[] = {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 1000, 4097};

// Blend with every target and compare with the reference.
void expect_reference(Op op, std::vector<Image>& images, const std::vector<Side>& sides, Scalar out_scalar,
                      std::int64_t n, std::size_t out_shift) {
  Format format = images.front().format();
  std::vector<Link> chain;
  for (std::size_t k = 0; k < images.size(); ++k) chain.push_back(images[k].link(sides[k]));
  format.scalar = out_scalar;

  Image expected(format, n, out_shift);
  blend_reference(op, format.channels, format.depth, chain, expected.pixels(), out_scalar, n);
  testing::for_each_target([&](const std::string& target) {
    for (Stores stores : {Stores::cached, Stores::streaming}) {
      Image out(format, n, out_shift);
      blend(op, format.channels, format.depth, chain, out.pixels(), out_scalar, n, nullptr, stores);
      EXPECT_TRUE(out == expected) << target << ", " << op_name(op) << ", "
                                   << format_name(images.front().format()) << " to " << format_name(format)
                                   << ", " << images.size() << " links, n = " << n;
    }
  });
}

// Two images of bytes are combined without floats: all pairs of colours, three in a pixel, with every alpha.
TEST(Bytes, EveryPairOfColours) {
  constexpr std::int64_t pairs = 65536, n = (pairs + 2) / 3;
  std::vector<Image> images(2, Image({Scalar::uint8, 4, false}, n));
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    images[0].set(pair / 3, static_cast<int>(pair % 3), static_cast<std::uint8_t>(pair / 256));
    images[1].set(pair / 3, static_cast<int>(pair % 3), static_cast<std::uint8_t>(pair % 256));
  }
  for (int alpha = 0; alpha < 256; ++alpha) {
    for (std::int64_t i = 0; i < n; ++i)
      for (Image& image : images) image.set(i, 3, static_cast<std::uint8_t>(alpha));
    for (Side side : {Side::front, Side::back})
      expect_reference(Op::over, images, {Side::back, side}, Scalar::uint8, n, 0);
  }
  for (Op op : {Op::add, Op::max, Op::min})
    expect_reference(op, images, {Side::back, Side::back}, Scalar::uint8, n, 0);
}

// Longer chains join some at a time: every length about a multiple of those.
TEST(Bytes, LongChains) {
  std::mt19937 random(10);
  for (const bool depth : {false, true})
    for (std::size_t links = 3; links <= 13; ++links)
      for (const std::int64_t n : {1, 9, 31, 1030})
        for (const bool faint : {false, true}) {
          const Format format{Scalar::uint8, 4, depth};
          std::vector<Image> images;
          std::vector<Side> sides;
          for (std::size_t k = 0; k < links; ++k) {
            images.push_back(faint ? testing::faint_image(format, n, random)
                                   : testing::random_image(format, n, random, random() % 16));
            sides.push_back(links % 2 ? testing::random_side(random) : n % 2 ? Side::front : Side::back);
          }
          for (Op op : {Op::over, Op::add, Op::max, Op::min})
            expect_reference(op, images, sides, Scalar::uint8, n, random() % 16);
        }
}

// Frames whose planes begin their lines together, as those of a compositor: whole lines are written at once,
// whatever pixel a part of the frame begins and ends with.
TEST(Streaming, PartsOfFrames) {
  constexpr std::int64_t n = 1500;
  const Format format{Scalar::uint8, 4, true};
  std::mt19937 random(9);
  std::vector<Image> images;
  for (int k = 0; k < 3; ++k) images.push_back(testing::random_image(format, n, random));
  const Background background(Op::closest, format, std::vector{0.2f, 0.4f, 0.6f, 1.0f}, 2.0f);
  struct alignas(64) Planes {
    std::array<std::byte, n * 4> colour{};
    std::array<float, 1504> depth{};
  };
  for (const std::size_t links : {1U, 2U, 3U})
    for (const Background* behind : {static_cast<const Background*>(nullptr), &background})
      for (std::int64_t begin = 0; begin < 40; ++begin)
        for (const std::int64_t end : {begin + 1, begin + 17, begin + 90, n}) {
          std::vector<Link> chain;
          for (std::size_t k = 0; k < links; ++k)
            chain.push_back({images[k].pixels(begin), format.scalar, k == 2 ? Side::front : Side::back});
          const auto into = [&](Planes& planes) {
            return Pixels{planes.colour.data() + begin * 4, planes.depth.data() + begin};
          };
          Planes expected;
          blend_reference(Op::closest, 4, true, chain, into(expected), format.scalar, end - begin);
          for (std::int64_t i = 0; behind != nullptr && i < end - begin; ++i) {
            const Pixels pixel = advance(into(expected), format, i);
            if (*pixel.depth < 2) continue;
            *pixel.depth = 2;
            const std::array colour{std::byte{51}, std::byte{102}, std::byte{153}, std::byte{255}};
            std::copy(colour.begin(), colour.end(), pixel.colour);
          }
          testing::for_each_target([&](const std::string& target) {
            for (Stores stores : {Stores::cached, Stores::streaming}) {
              Planes out;
              blend(Op::closest, 4, true, chain, into(out), format.scalar, end - begin, behind, stores);
              const bool same = std::memcmp(&out, &expected, sizeof out) == 0;
              EXPECT_TRUE(same) << target << ", " << links << " links, " << begin << " to " << end;
            }
          });
        }
}

class EachOp : public ::testing::TestWithParam<Op> {};

TEST_P(EachOp, TwoImagesOfEveryFormatAndLength) {
  std::mt19937 random(1);
  for (const Format& format : testing::formats_of(GetParam()))
    for (std::int64_t n : lengths)
      for (Side side : {Side::front, Side::back}) {
        std::vector<Image> images;
        for (int k = 0; k < 2; ++k) images.push_back(testing::random_image(format, n, random));
        for (Scalar out : testing::all_scalars)
          expect_reference(GetParam(), images, {Side::back, side}, out, n, 0);
      }
}

TEST_P(EachOp, MisalignedPointers) {
  std::mt19937 random(2);
  for (const Format& format : testing::formats_of(GetParam()))
    for (std::size_t shift = 1; shift < 16; ++shift) {
      const std::int64_t n = 130;
      std::vector<Image> images;
      for (int k = 0; k < 2; ++k) images.push_back(testing::random_image(format, n, random, random() % 16));
      expect_reference(GetParam(), images, {Side::back, testing::random_side(random)}, format.scalar, n,
                       shift);
    }
}

TEST_P(EachOp, ChainsOfOneToNineLinksOfMixedScalars) {
  std::mt19937 random(3);
  for (Format format : testing::formats_of(GetParam()))
    for (std::size_t links = 1; links <= 9; ++links)
      for (bool mixed : {false, true}) {
        const std::int64_t n = links % 2 ? 1025 : 131;
        std::vector<Image> images;
        std::vector<Side> sides;
        for (std::size_t k = 0; k < links; ++k) {
          if (mixed) format.scalar = testing::all_scalars[random() % 3];
          images.push_back(testing::random_image(format, n, random));
          sides.push_back(testing::random_side(random));
        }
        expect_reference(GetParam(), images, sides, testing::all_scalars[random() % 3], n, 0);
      }
}

TEST_P(EachOp, CuttingAChainChangesNoBit) {
  std::mt19937 random(4);
  for (const Format& format : testing::formats_of(GetParam())) {
    const std::int64_t n = 300;
    const Scalar between = accumulator_scalar(format.scalar, GetParam());
    std::vector<Image> images;
    std::vector<Link> chain;
    for (int k = 0; k < 5; ++k) images.push_back(testing::random_image(format, n, random));
    for (Image& image : images) chain.push_back(image.link(testing::random_side(random)));

    Image whole(format, n);
    blend(GetParam(), format.channels, format.depth, chain, whole.pixels(), format.scalar, n);
    for (std::size_t cut = 1; cut < chain.size(); ++cut) {
      Image partial({between, format.channels, format.depth}, n);
      const std::span<const Link> links(chain);
      blend(GetParam(), format.channels, format.depth, links.first(cut), partial.pixels(), between, n);
      std::vector<Link> rest{partial.link()};
      rest.insert(rest.end(), chain.begin() + static_cast<std::ptrdiff_t>(cut), chain.end());
      Image resumed(format, n);
      blend(GetParam(), format.channels, format.depth, rest, resumed.pixels(), format.scalar, n);
      EXPECT_TRUE(resumed == whole) << format_name(format) << ", cut after " << cut;
    }
  }
}

TEST_P(EachOp, OutMayBeTheFirstLink) {
  std::mt19937 random(5);
  testing::for_each_target([&](const std::string& target) {
    for (const Format& format : testing::formats_of(GetParam()))
      for (std::size_t links : {1u, 2u, 4u}) {
        const std::int64_t n = 1500;
        std::vector<Image> images;
        std::vector<Link> chain;
        for (std::size_t k = 0; k < links; ++k) images.push_back(testing::random_image(format, n, random, 3));
        for (Image& image : images) chain.push_back(image.link(testing::random_side(random)));
        // Another scalar of the same size, too.
        for (Scalar scalar : testing::all_scalars) {
          if (scalar_bytes(scalar) != scalar_bytes(format.scalar)) continue;
          Image expected({scalar, format.channels, format.depth}, n, 3);
          blend_reference(GetParam(), format.channels, format.depth, chain, expected.pixels(), scalar, n);
          Image first = images.front();
          chain.front().pixels = first.pixels();
          blend(GetParam(), format.channels, format.depth, chain, first.pixels(), scalar, n);
          EXPECT_TRUE(first == expected) << target << ", " << format_name(format) << ", " << links;
          chain.front().pixels = images.front().pixels();
        }
      }
  });
}

std::string name_of(const ::testing::TestParamInfo<Op>& op) { return std::string(op_name(op.param)); }
INSTANTIATE_TEST_SUITE_P(Blend, EachOp, ::testing::ValuesIn(testing::all_ops), name_of);

TEST(Blend, AChainOfOneCopiesEveryBit) {
  std::mt19937 random(6);
  for (Scalar scalar : testing::all_scalars) {
    const Format format{scalar, 4, true};
    Image image = testing::random_image(format, 500, random);
    for (Op op : testing::all_ops) {
      Image out(format, 500);
      const std::vector<Link> chain{image.link()};
      blend(op, 4, true, chain, out.pixels(), scalar, 500);
      EXPECT_TRUE(out == image) << op_name(op) << ", " << scalar_name(scalar);
    }
  }
}

}  // namespace
}  // namespace sortlast
