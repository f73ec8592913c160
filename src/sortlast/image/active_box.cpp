// The bounding box of the active pixels, found from the image's edges inwards.
#include <algorithm>
#include <bit>

#include "sortlast/image/active.hpp"
#include "sortlast/image/targets.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t word_pixels = 64;

// Looks for active pixels in stretches of an image.
class Search {
 public:
  Search(const Format& format, ConstPixels pixels)
      : mark_(active_kernels().active[static_cast<std::size_t>(format.scalar)]
                                     [static_cast<std::size_t>(format.channels - 3)][format.depth]),
        empty_(active_kernels().empty_blocks[format.depth]),
        pixels_(pixels),
        colour_bytes_(format.colour_bytes()) {}

  // First active pixel of [begin, end); end if there is none. `skip`: pixels between `end` and what will be
  // looked through next.
  std::int64_t first(std::int64_t begin, std::int64_t end, std::int64_t skip = 0) const {
    for (std::int64_t at = begin + empty<false>(begin, end, skip); at < end; at += word_pixels) {
      const std::uint64_t marks = marks_of(at, std::min(word_pixels, end - at));
      if (marks != 0) return at + std::countr_zero(marks);
    }
    return end;
  }

  // One past the last active pixel of [begin, end); begin if there is none.
  std::int64_t last(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t at = end - empty<true>(begin, end, 0); at > begin;) {
      const std::int64_t count = std::min(word_pixels, at - begin);
      at -= count;
      const std::uint64_t marks = marks_of(at, count);
      if (marks != 0) return at + word_pixels - std::countl_zero(marks);
    }
    return begin;
  }

 private:
  // Empty pixels at the front or back of [begin, end), in whole words.
  template <bool from_back>
  std::int64_t empty(std::int64_t begin, std::int64_t end, std::int64_t skip) const {
    const std::int64_t words = std::max<std::int64_t>((end - begin) / word_pixels, 0);
    const std::int64_t start = from_back ? end - words * word_pixels : begin;
    const float* const depth = pixels_.depth == nullptr ? nullptr : pixels_.depth + start;
    const std::size_t found =
        empty_[from_back](pixels_.colour + static_cast<std::size_t>(start) * colour_bytes_,
                          reinterpret_cast<const std::byte*>(depth), colour_bytes_,
                          static_cast<std::size_t>(words), static_cast<std::size_t>(skip) * colour_bytes_);
    return static_cast<std::int64_t>(found) * word_pixels;
  }

  std::uint64_t marks_of(std::int64_t begin, std::int64_t count) const {
    std::uint64_t marks = 0;
    const float* const depth = pixels_.depth == nullptr ? nullptr : pixels_.depth + begin;
    mark_(&marks, pixels_.colour + static_cast<std::size_t>(begin) * colour_bytes_,
          reinterpret_cast<const std::byte*>(depth), static_cast<std::size_t>(count));
    return marks;
  }

  Kernels::Active mark_;
  const Kernels::EmptyBlocks* empty_;  // [from the back]
  ConstPixels pixels_;
  std::size_t colour_bytes_;
};

}  // namespace

Rectangle active_box(const Format& format, ConstPixels pixels, std::int64_t width, std::int64_t height) {
  const Search search(format, pixels);
  const std::int64_t n = width * height;
  const std::int64_t first = search.first(0, n);
  if (first == n) return {};
  const std::int64_t last = search.last(first, n) - 1;

  // Widen the box of these two by what lies between its right edge in one row and its left edge in the next.
  Rectangle box{std::min(first % width, last % width), first / width,
                std::max(first % width, last % width) + 1, last / width + 1};
  for (std::int64_t y = box.y0; y + 1 < box.y1 && (box.x0 > 0 || box.x1 < width); ++y) {
    const std::int64_t row = y * width;
    const std::int64_t next = row + width;
    std::int64_t found = search.first(row + box.x1, next + box.x0, box.x1 - box.x0);
    if (found < next) {
      box.x1 = search.last(found, next) - row;
      found = search.first(next, next + box.x0);
    }
    box.x0 = found - next;
  }
  return box;
}

}  // namespace sortlast
