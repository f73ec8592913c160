// Packed pixels: they come back, and no bytes whatever make unpack() read or accept what is not there.
#include <gtest/gtest.h>

#include <memory>
#include <new>

#include "image/sparse_images.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

using testing::Image;
using testing::Pattern;

// Bytes at an address that is a multiple of 64, and of their exact number, for the sanitizers.
class Bytes {
 public:
  explicit Bytes(std::size_t count)
      : count_(count), data_(static_cast<std::byte*>(::operator new(count, std::align_val_t{64}))) {
    std::memset(data_.get(), 0xab, count);
  }
  std::byte* data() { return data_.get(); }
  std::size_t size() const { return count_; }

 private:
  struct Free {
    void operator()(std::byte* data) const { ::operator delete(data, std::align_val_t{64}); }
  };
  std::size_t count_;
  std::unique_ptr<std::byte, Free> data_;
};

Bytes packed(Image& image, std::span<const ActiveRun> runs, std::int64_t origin, Scalar scalar) {
  Bytes bytes(packed_bytes(image.format(), scalar, runs));
  pack(image.format(), image.pixels(), runs, origin, scalar, bytes.data());
  return bytes;
}

// Pixels [begin, end) of the image in another scalar.
Image converted(Image& image, std::int64_t begin, std::int64_t end, Scalar scalar) {
  const Format& format = image.format();
  Image result({scalar, format.channels, format.depth}, end - begin);
  const Link link{image.pixels(begin), format.scalar};
  blend_reference(format.depth ? Op::closest : Op::add, format.channels, format.depth, {&link, 1},
                  result.pixels(), scalar, end - begin);
  return result;
}

void expect_same_pixel(Image& expected, std::int64_t i, const Format& format, ConstPixels stored,
                       std::size_t at) {
  ASSERT_EQ(std::memcmp(expected.pixels(i).colour, stored.colour + at * format.colour_bytes(),
                        format.colour_bytes()),
            0)
      << "colour of pixel " << i;
  if (format.depth) {
    ASSERT_EQ(std::memcmp(expected.pixels(i).depth, stored.depth + at, sizeof(float)), 0)
        << "depth of pixel " << i;
  }
}

TEST(Pack, PixelsComeBack) {
  std::mt19937 random(13);
  for (const Format& format : testing::formats_of(Op::add))
    for (Scalar scalar : testing::all_scalars)
      for (Pattern pattern : testing::all_patterns) {
        const std::int64_t n = 1500;
        const std::int64_t begin = 100;
        const std::int64_t end = 1400;
        Image image = testing::random_image(format, n, random, random() % 16);
        testing::keep_pattern(image, n, pattern, random);
        std::vector<ActiveRun> runs;
        append_active(format, image.pixels(), begin, end, runs);
        Bytes bytes = packed(image, runs, begin, scalar);

        const Format stored{scalar, format.channels, format.depth};
        const Packed result = unpack(stored, bytes.data(), bytes.size(), end - begin);
        Image expected = converted(image, begin, end, scalar);
        ASSERT_EQ(result.runs.size(), runs.size());
        std::size_t at = 0;
        for (std::size_t r = 0; r < runs.size(); ++r) {
          ASSERT_EQ(result.runs[r].begin, runs[r].begin - begin);
          ASSERT_EQ(result.runs[r].count, runs[r].count);
          ASSERT_EQ(result.runs[r].at, at);
          for (std::uint32_t k = 0; k < runs[r].count; ++k, ++at)
            expect_same_pixel(expected, std::int64_t{result.runs[r].begin} + k, stored, result.pixels, at);
        }
      }
}

TEST(Pack, EqualPixelsGiveEqualBytes) {
  std::mt19937 random(14);
  Image image = testing::random_image({Scalar::uint8, 3, true}, 333, random);
  testing::keep_pattern(image, 333, Pattern::scattered, random);
  std::vector<ActiveRun> runs;
  append_active(image.format(), image.pixels(), 0, 333, runs);
  Bytes first = packed(image, runs, 0, Scalar::uint8);
  Bytes second(first.size());
  std::memset(second.data(), 0x11, second.size());
  pack(image.format(), image.pixels(), runs, 0, Scalar::uint8, second.data());
  EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size()), 0);
}

std::string refusal(const Format& format, const std::byte* data, std::size_t bytes, std::int64_t n) {
  try {
    unpack(format, data, bytes, n);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Unpack, SaysWhatIsWrong) {
  const Format format{Scalar::float32, 4, false};
  Image image(format, 100);
  const std::vector<ActiveRun> runs{{10, 20, 10}, {40, 30, 40}};
  Bytes good = packed(image, runs, 0, Scalar::float32);
  EXPECT_EQ(refusal(format, good.data(), good.size(), 100), "");
  EXPECT_EQ(refusal(format, good.data(), good.size(), 70), "");
  EXPECT_NE(refusal(format, good.data(), good.size(), 69).find("passes the end of the stretch of 69"),
            std::string::npos);
  EXPECT_NE(refusal(format, good.data(), 7, 100).find("too few"), std::string::npos);
  EXPECT_NE(refusal(format, good.data(), good.size() - 64, 100).find("are there"), std::string::npos);
  EXPECT_NE(refusal({Scalar::float16, 4, false}, good.data(), good.size(), 100).find("RGBA float16"),
            std::string::npos);
  EXPECT_NE(refusal({Scalar::float32, 4, true}, good.data(), good.size(), 100).find("depth"),
            std::string::npos);
  EXPECT_NE(refusal(format, good.data() + 4, good.size(), 100).find("multiple of 64"), std::string::npos);

  const auto with = [&](std::vector<ActiveRun> changed) {
    Bytes bytes = packed(image, runs, 0, Scalar::float32);
    std::memcpy(bytes.data() + 8, changed.data(), changed.size() * sizeof(ActiveRun));
    return refusal(format, bytes.data(), bytes.size(), 100);
  };
  EXPECT_EQ(with({{10, 20, 0}, {40, 30, 20}}), "");
  EXPECT_NE(with({{10, 20, 0}, {29, 30, 20}}).find("begins before pixel 30"), std::string::npos);
  EXPECT_NE(with({{10, 0, 0}, {40, 50, 0}}).find("is empty"), std::string::npos);
  EXPECT_NE(with({{10, 20, 0}, {40, 30, 21}}).find("stored from 21 on, not from 20"), std::string::npos);
  EXPECT_NE(with({{10, 20, 0}, {40, 31, 20}}).find("51 pixels, the header says 50"), std::string::npos);
  EXPECT_NE(with({{10, 20, 0}, {0xffffffff, 30, 20}}).find("passes the end"), std::string::npos);
}

// Whatever the bytes are, unpack() throws, or what it gives lies inside them.
TEST(Unpack, IsSafeOnArbitraryBytes) {
  std::mt19937 random(15);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::vector<Format> formats = testing::formats_of(Op::add);
    const Format format = formats[random() % formats.size()];
    const std::int64_t n = random() % 300 + 1;
    Image image(format, n);
    std::fill_n(image.pixels().colour, static_cast<std::size_t>(n) * format.colour_bytes(), std::byte{1});
    testing::keep_pattern(image, n, testing::all_patterns[random() % 6], random);
    std::vector<ActiveRun> runs;
    append_active(format, image.pixels(), 0, n, runs);
    Bytes whole = packed(image, runs, 0, format.scalar);

    // Change a few bits, most of them in the header and the runs; sometimes cut or lengthen.
    const std::size_t size = random() % 4 == 0 ? random() % (whole.size() + 200) : whole.size();
    Bytes bytes(size);
    std::memcpy(bytes.data(), whole.data(), std::min(size, whole.size()));
    for (unsigned changes = random() % 4; changes > 0 && size > 0; --changes) {
      const std::size_t at = random() % (random() % 2 ? size : std::min<std::size_t>(size, 32));
      bytes.data()[at] = static_cast<std::byte>(random() % 3 ? random() : 0xff * (random() % 2));
    }

    try {
      const Packed result = unpack(format, bytes.data(), size, n);
      std::size_t pixels = 0;
      std::int64_t end = 0;
      for (const ActiveRun& run : result.runs) {
        ASSERT_GE(run.begin, end);
        end = std::int64_t{run.begin} + run.count;
        ASSERT_EQ(run.at, pixels);
        pixels += run.count;
      }
      ASSERT_LE(end, n);
      const std::byte* const last = format.depth
                                        ? reinterpret_cast<const std::byte*>(result.pixels.depth + pixels)
                                        : result.pixels.colour + pixels * format.colour_bytes();
      ASSERT_LE(last, bytes.data() + size);
      ++accepted;
    } catch (const Error& error) {
      ASSERT_NE(std::string(error.what()).find("packed pixels: "), std::string::npos);
    }
  }
  EXPECT_GT(accepted, 2000);
  EXPECT_LT(accepted, 18000);
}

}  // namespace
}  // namespace sortlast
