// Sparse links: the bits of the dense images' blend, whatever the pixels hold.
#include <gtest/gtest.h>

#include <memory>

#include "image/sparse_images.hpp"

namespace sortlast {
namespace {

using testing::Image;
using testing::Pattern;

// A dense image, its runs, and what a link needs of them: the pixels where they lie, or packed.
class SparseImage {
 public:
  SparseImage(Image image, std::int64_t n, std::int64_t origin, bool packed)
      : image_(std::move(image)), origin_(origin) {
    const Format& format = image_.format();
    append_active(format, image_.pixels(), 0, n, runs_);
    stored_ = image_.pixels();
    if (packed) {
      bytes_.resize(packed_bytes(format, format.scalar, runs_) + 64);
      std::byte* const data = bytes_.data() + (64 - reinterpret_cast<std::uintptr_t>(bytes_.data()) % 64);
      pack(format, image_.pixels(), runs_, 0, format.scalar, data);
      const Packed result = unpack(format, data, packed_bytes(format, format.scalar, runs_), n);
      stored_ = result.pixels;
      runs_.assign(result.runs.begin(), result.runs.end());
    }
    for (ActiveRun& run : runs_) run.begin += static_cast<std::uint32_t>(origin);
  }

  Link dense(Side side, std::int64_t begin = 0) {
    return {image_.pixels(begin), image_.format().scalar, side};
  }
  Link sparse(Side side, std::int64_t begin = 0) const {
    return {stored_, image_.format().scalar, side, true, runs_, origin_ + begin};
  }

 private:
  Image image_;
  std::int64_t origin_;
  ConstPixels stored_;
  std::vector<ActiveRun> runs_;
  std::vector<std::byte> bytes_;
};

// Values at which an empty pixel is not neutral: zeros of both signs, alphas above 1, infinities, NaNs with
// payloads, depths at infinity and no depth; few in number, so that they meet.
Image trouble(const Format& format, std::int64_t n, std::mt19937& random) {
  static const std::uint32_t words[] = {0x00000000, 0x80000000, 0x3f000000, 0x3f800000,
                                        0xbf800000, 0x40000000, 0x40400000, 0x7f800000,
                                        0xff800000, 0x7fc00000, 0xffc12345, 0x00000001};
  static const std::uint16_t halves[] = {0x0000, 0x8000, 0x3800, 0x3c00, 0xbc00, 0x4000,
                                         0x4200, 0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x0001};
  Image image(format, n, random() % 16);
  for (std::int64_t i = 0; i < n; ++i) {
    // Most without the last four, which make whole pixels NaN.
    const unsigned kinds = random() % 4 == 0 ? 12 : 7;
    for (int c = 0; c < format.channels; ++c) {
      if (format.scalar == Scalar::float32) image.set(i, c, words[random() % kinds]);
      if (format.scalar == Scalar::float16) image.set(i, c, halves[random() % kinds]);
      if (format.scalar == Scalar::uint8) image.set(i, c, static_cast<std::uint8_t>(random() % 3 * 127));
    }
    if (format.depth) {
      float depth;
      std::memcpy(&depth, &words[random() % 12], sizeof depth);
      image.set_depth(i, random() % 2 ? depth : std::numeric_limits<float>::infinity());
    }
  }
  return image;
}

// Blend dense by the reference, and sparse by every target and by the reference.
void expect_dense_bits(Op op, std::vector<SparseImage>& images, const Format& format, std::int64_t n,
                       std::mt19937& random) {
  std::vector<Link> dense;
  std::vector<Link> chain;
  for (SparseImage& image : images) {
    const Side side = testing::random_side(random);
    dense.push_back(image.dense(side));
    chain.push_back(random() % 5 == 0 ? dense.back() : image.sparse(side));
  }
  const std::size_t shift = random() % 16;
  Image expected(format, n, shift);
  blend_reference(op, format.channels, format.depth, dense, expected.pixels(), format.scalar, n);
  Image plain(format, n, shift);
  blend_reference(op, format.channels, format.depth, chain, plain.pixels(), format.scalar, n);
  EXPECT_TRUE(plain == expected) << "reference, " << op_name(op) << ", " << format_name(format);
  testing::for_each_target([&](const std::string& target) {
    Image out(format, n, shift);
    blend(op, format.channels, format.depth, chain, out.pixels(), format.scalar, n);
    EXPECT_TRUE(out == expected) << target << ", " << op_name(op) << ", " << format_name(format) << ", "
                                 << images.size() << " links, n = " << n;
  });
}

Pattern random_pattern(std::mt19937& random) { return testing::all_patterns[random() % 6]; }

class EachOpSparse : public ::testing::TestWithParam<Op> {};

TEST_P(EachOpSparse, ChainsOfOneToNineImages) {
  std::mt19937 random(21);
  for (Format format : testing::formats_of(GetParam()))
    for (std::size_t links = 1; links <= 9; ++links)
      for (bool mixed : {false, true}) {
        const auto n = static_cast<std::int64_t>(random() % 5000 + 1);
        std::vector<SparseImage> images;
        for (std::size_t k = 0; k < links; ++k) {
          if (mixed) format.scalar = testing::all_scalars[random() % 3];
          Image image = testing::random_image(format, n, random, random() % 16);
          testing::keep_pattern(image, n, random_pattern(random), random);
          images.emplace_back(std::move(image), n, random() % 3000, random() % 2 == 0);
        }
        if (mixed) format.scalar = testing::all_scalars[random() % 3];
        expect_dense_bits(GetParam(), images, format, n, random);
      }
}

// Blocks are a pixel or a few here, so that nearly all links of a block can be left out.
TEST_P(EachOpSparse, EmptyPixelsAmongTroublesomeOnes) {
  std::mt19937 random(22);
  for (const Format& format : testing::formats_of(GetParam()))
    for (int round = 0; round < 150; ++round) {
      const std::int64_t n = random() % 4 == 0 ? 1100 : static_cast<std::int64_t>(random() % 40 + 1);
      const std::size_t links = random() % 9 + 2;
      std::vector<SparseImage> images;
      for (std::size_t k = 0; k < links; ++k) {
        Image image = trouble(format, n, random);
        testing::keep_pattern(image, n, random() % 2 ? Pattern::none : Pattern::all, random);
        images.emplace_back(std::move(image), n, 0, random() % 2 == 0);
      }
      expect_dense_bits(GetParam(), images, format, n, random);
    }
}

// Calls for units of pixels with a growing `first` give the bits of one call.
TEST_P(EachOpSparse, UnitsOfACall) {
  std::mt19937 random(23);
  for (const Format& format : testing::formats_of(GetParam())) {
    const std::int64_t n = 20000;
    std::vector<SparseImage> images;
    for (int k = 0; k < 5; ++k) {
      Image image = testing::random_image(format, n, random);
      testing::keep_pattern(image, n, random_pattern(random), random);
      images.emplace_back(std::move(image), n, 100 * k, k % 2 == 0);
    }
    std::vector<Link> dense;
    for (SparseImage& image : images) dense.push_back(image.dense(Side::back));
    Image expected(format, n);
    blend_reference(GetParam(), format.channels, format.depth, dense, expected.pixels(), format.scalar, n);

    Image out(format, n);
    for (std::int64_t begin = 0; begin < n; begin += 3001) {
      std::vector<Link> chain;
      for (SparseImage& image : images) chain.push_back(image.sparse(Side::back, begin));
      blend(GetParam(), format.channels, format.depth, chain, out.pixels(begin), format.scalar,
            std::min<std::int64_t>(3001, n - begin));
    }
    EXPECT_TRUE(out == expected) << format_name(format);
  }
}

// The output in place of a dense first link.
TEST_P(EachOpSparse, OutMayBeTheDenseFirstLink) {
  std::mt19937 random(24);
  for (const Format& format : testing::formats_of(GetParam())) {
    const std::int64_t n = 3000;
    Image first = testing::random_image(format, n, random, 3);
    testing::keep_pattern(first, n, Pattern::boxes, random);
    std::vector<SparseImage> images;
    for (int k = 0; k < 3; ++k) {
      Image image = testing::random_image(format, n, random);
      testing::keep_pattern(image, n, random_pattern(random), random);
      images.emplace_back(std::move(image), n, 0, true);
    }
    std::vector<Link> dense{first.link()};
    std::vector<Link> chain{first.link()};
    for (SparseImage& image : images) {
      const Side side = testing::random_side(random);
      dense.push_back(image.dense(side));
      chain.push_back(image.sparse(side));
    }
    Image expected(format, n, 3);
    blend_reference(GetParam(), format.channels, format.depth, dense, expected.pixels(), format.scalar, n);
    blend(GetParam(), format.channels, format.depth, chain, first.pixels(), format.scalar, n);
    EXPECT_TRUE(first == expected) << format_name(format);
  }
}

std::string name_of(const ::testing::TestParamInfo<Op>& op) { return std::string(op_name(op.param)); }
INSTANTIATE_TEST_SUITE_P(Sparse, EachOpSparse, ::testing::ValuesIn(testing::all_ops), name_of);

TEST(Sparse, AChainOfOneCopiesEveryBit) {
  std::mt19937 random(25);
  for (Scalar scalar : testing::all_scalars)
    for (Op op : testing::all_ops) {
      const Format format{scalar, 4, true};
      const std::int64_t n = 5000;
      Image image = trouble(format, n, random);
      testing::keep_pattern(image, n, Pattern::boxes, random);
      SparseImage sparse(image, n, 7, true);
      Image out(format, n);
      const std::vector<Link> chain{sparse.sparse(Side::back)};
      blend(op, 4, true, chain, out.pixels(), scalar, n);
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(std::memcmp(out.pixels(i).colour, image.pixels(i).colour, format.colour_bytes()), 0) << i;
        ASSERT_EQ(std::memcmp(out.pixels(i).depth, image.pixels(i).depth, sizeof(float)), 0) << i;
      }
    }
}

// Blocks that runs cover in part, of more images than join at once: each has to stay opened until it has
// joined.
TEST(Sparse, LongChainsOfOpenedBlocks) {
  std::mt19937 random(26);
  for (const bool depth : {false, true})
    for (std::size_t links = 2; links <= 14; ++links)
      for (int round = 0; round < 6; ++round) {
        const Format format{Scalar::uint8, 4, depth};
        const auto n = static_cast<std::int64_t>(random() % 3000 + 300);
        std::vector<SparseImage> images;
        for (std::size_t k = 0; k < links; ++k) {
          Image image = testing::faint_image(format, n, random);
          testing::keep_pattern(image, n, Pattern::scattered, random);
          images.emplace_back(std::move(image), n, 0, round % 2 == 0);
        }
        expect_dense_bits(Op::over, images, format, n, random);
      }
}

TEST(Sparse, ALinkWithoutRunsNeedsNoPixels) {
  const Format format{Scalar::float32, 4, true};
  Image out(format, 2000);
  const std::vector<Link> chain{{{}, Scalar::float32, Side::back, true, {}, 0},
                                {{}, Scalar::uint8, Side::front, true, {}, 0}};
  for (Op op : testing::all_ops) {
    blend(op, 4, true, chain, out.pixels(), Scalar::float32, 2000);
    for (std::int64_t i = 0; i < 2000; ++i)
      ASSERT_TRUE(testing::is_empty(out, i)) << op_name(op) << ", " << i;
  }
}

}  // namespace
}  // namespace sortlast
