// Images of other processes, pulled for a unit: they fit into one block of memory, however many are there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sortlast/content/pixels/image_reader.hpp"
#include "sortlast/content/pixels/pool.hpp"

namespace sortlast {
namespace {

// Bigger than what is pulled of it at once. Pulled pixels of image k have bytes of k.
class PulledImages {
 public:
  PulledImages(const Format& format, const std::optional<Rectangle>& bounds, const Interleaving& interleaving,
               std::size_t images)
      : format_(format), bounds_(bounds), reader_(pool_) {
    reader_.begin_frame(images, interleaving);
  }

  void add(std::size_t number) {
    ImageView image{{&nowhere_, format_.depth ? &no_depth_ : nullptr}, size, format_, bounds_};
    const auto pull = [this, number](std::int64_t, std::span<const ActiveRun> runs, Pixels to) {
      for (const ActiveRun& run : runs) {
        std::memset(advance(to, format_, run.at).colour, static_cast<int>(number),
                    run.count * format_.colour_bytes());
        if (format_.depth) std::fill_n(to.depth + run.at, run.count, static_cast<float>(number));
      }
    };
    reader_.add(number, {image, pull, {}}, {0, size.pixels()});
  }

  // Link pixels of images 1 .. `last` in one unit, from each end of a unit to the next, and look at them.
  void expect_units(std::size_t last) {
    for (std::int64_t begin = 0; begin < size.pixels() / 2;) {
      std::int64_t end = size.pixels();
      for (std::size_t k = 1; k <= last; ++k) end = std::min(end, reader_.contiguous_until(k, begin));
      ASSERT_GT(end, begin);
      reader_.begin_unit();
      std::vector<Link> links;
      for (std::size_t k = 1; k <= last; ++k) links.push_back(reader_.link(k, {begin, end}, Side::back));
      for (std::size_t k = 1; k <= last; ++k) expect_bytes(links[k - 1], end - begin, k);
      blocks_.insert(pool_.taken());
      begin = end;
    }
  }

  const std::set<std::size_t>& blocks() const { return blocks_; }

 private:
  static constexpr Size size{512, 512};

  void expect_bytes(const Link& link, std::int64_t pixels, std::size_t number) {
    std::int64_t count = pixels;
    if (link.sparse) {
      count = 0;
      for (const ActiveRun& run : link.runs) count += run.count;
    }
    const auto* const bytes = reinterpret_cast<const unsigned char*>(link.pixels.colour);
    const std::size_t all = static_cast<std::size_t>(count) * format_.colour_bytes();
    EXPECT_TRUE(std::all_of(bytes, bytes + all, [&](unsigned char byte) { return byte == number; }));
    if (!format_.depth) return;
    EXPECT_TRUE(std::all_of(link.pixels.depth, link.pixels.depth + count,
                            [&](float depth) { return depth == static_cast<float>(number); }));
  }

  std::byte nowhere_{};
  float no_depth_ = 0;
  Format format_;
  std::optional<Rectangle> bounds_;
  Pool pool_;
  ImageReader reader_;
  std::set<std::size_t> blocks_;
};

TEST(ImageReader, PullsAnyNumberOfImagesIntoOneBlock) {
  const std::vector<Format> formats{{Scalar::float32, 4, false},
                                    {Scalar::float32, 4, true},
                                    {Scalar::uint8, 4, true},
                                    {Scalar::uint8, 1, false}};
  const std::vector<std::optional<Rectangle>> all_bounds{std::nullopt, Rectangle{100, 0, 103, 512},
                                                         Rectangle{1, 3, 511, 500}};
  for (const Format& format : formats) {
    for (const auto& bounds : all_bounds) {
      for (const bool interleaved : {false, true}) {
        for (const std::size_t others : std::vector<std::size_t>{1, 3, 8, 20}) {
          SCOPED_TRACE(format_name(format) + ", " + std::to_string(others) + " images");
          const Interleaving dealt = interleaved ? Interleaving(std::int64_t{512} * 512, 4) : Interleaving();
          PulledImages images(format, bounds, dealt, others + 1);
          for (std::size_t k = 1; k <= others; ++k) {
            images.add(k);
            if (k == 1 || k == others / 2 || k == others) images.expect_units(k);
          }
          EXPECT_EQ(images.blocks().size(), 1U);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sortlast
