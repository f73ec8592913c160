// The scan for active pixels: a kernel marks them, 64 per word, and the words are cut into runs. Also their
// bounding box, searched from the image's edges inwards.
#include "sortlast/image/active.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "sortlast/image/kernels/dispatch.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t word_pixels = 64;
constexpr std::int64_t batch_pixels = 16 * word_pixels;

Kernels::Active active_kernel(const Format& format) {
  return active_kernels().active[static_cast<std::size_t>(format.scalar)]
                                [static_cast<std::size_t>(format.channels - 3)][format.depth];
}

const std::byte* as_bytes(const float* depth) { return reinterpret_cast<const std::byte*>(depth); }

// Searches ranges of an image for active pixels.
class Search {
 public:
  Search(const Format& format, ConstPixels pixels)
      : mark_(active_kernel(format)),
        empty_(active_kernels().empty_blocks[format.depth]),
        pixels_(pixels),
        colour_bytes_(format.colour_bytes()) {}

  // Mark the active pixels of a range, 64 per word.
  void marks(std::int64_t begin, std::int64_t end, std::uint64_t* words) const {
    const float* const depth = pixels_.depth == nullptr ? nullptr : pixels_.depth + begin;
    mark_(words, pixels_.colour + static_cast<std::size_t>(begin) * colour_bytes_, as_bytes(depth),
          static_cast<std::size_t>(end - begin));
  }

  // Number of empty pixels at the front of [begin, end), in whole words. `skip`: number of pixels between
  // `end` and the range that will be searched next.
  std::int64_t empty_front(std::int64_t begin, std::int64_t end, std::int64_t skip = 0) const {
    return empty<false>(begin, end, skip);
  }

  // The first active pixel of [begin, end); `end` if there is none.
  std::int64_t first(std::int64_t begin, std::int64_t end, std::int64_t skip = 0) const {
    for (std::int64_t at = begin + empty_front(begin, end, skip); at < end; at += word_pixels) {
      const std::uint64_t word = marks_of(at, std::min(word_pixels, end - at));
      if (word != 0) return at + std::countr_zero(word);
    }
    return end;
  }

  // One past the last active pixel of [begin, end); `begin` if there is none.
  std::int64_t last(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t at = end - empty<true>(begin, end, 0); at > begin;) {
      const std::int64_t count = std::min(word_pixels, at - begin);
      at -= count;
      const std::uint64_t word = marks_of(at, count);
      if (word != 0) return at + word_pixels - std::countl_zero(word);
    }
    return begin;
  }

 private:
  // Number of empty pixels at the front or back of [begin, end), in whole words.
  template <bool from_back>
  std::int64_t empty(std::int64_t begin, std::int64_t end, std::int64_t skip) const {
    const std::int64_t words = std::max<std::int64_t>((end - begin) / word_pixels, 0);
    const std::int64_t start = from_back ? end - words * word_pixels : begin;
    const float* const depth = pixels_.depth == nullptr ? nullptr : pixels_.depth + start;
    const std::size_t found = empty_[from_back](
        pixels_.colour + static_cast<std::size_t>(start) * colour_bytes_, as_bytes(depth), colour_bytes_,
        static_cast<std::size_t>(words), static_cast<std::size_t>(skip) * colour_bytes_);
    return static_cast<std::int64_t>(found) * word_pixels;
  }

  std::uint64_t marks_of(std::int64_t begin, std::int64_t count) const {
    std::uint64_t word = 0;
    marks(begin, begin + count, &word);
    return word;
  }

  Kernels::Active mark_;
  const Kernels::EmptyBlocks* empty_;  // [from the back]
  ConstPixels pixels_;
  std::size_t colour_bytes_;
};

// Makes runs from words of marks, in ascending order.
class Cutter {
 public:
  // `gap`: maximum number of empty pixels between two active ones that are kept as active.
  Cutter(std::int64_t gap, std::vector<ActiveRun>& runs) : gap_(gap), runs_(runs) {}

  // Add the marks of pixels [begin, begin + 64).
  void word(std::int64_t begin, std::uint64_t marks) {
    std::uint64_t changes = marks ^ (marks << 1 | static_cast<std::uint64_t>(open_));
    for (; changes != 0; changes &= changes - 1) change(begin + std::countr_zero(changes));
  }

  // End the last run if it is still open at pixel `end`.
  void finish(std::int64_t end) {
    if (open_) change(end);
  }

 private:
  void change(std::int64_t pixel) {
    if (open_) {
      end_ = pixel;
      runs_.back().count = static_cast<std::uint32_t>(end_ - runs_.back().begin);
    } else if (end_ < 0 || pixel - end_ > gap_) {
      const auto begin = static_cast<std::uint32_t>(pixel);
      runs_.push_back({begin, 0, begin});
    }
    open_ = !open_;
  }

  const std::int64_t gap_;
  std::vector<ActiveRun>& runs_;
  std::int64_t end_ = -1;  // of the last run, if there is one
  bool open_ = false;
};

// Samples that suffice if all are active, or none. One image in 10,000 with three quarters of active pixels
// is taken for full, and one in 10,000 with a quarter of them for empty.
constexpr std::int64_t enough_alike = 32;

// Estimate the share of active pixels among n pixels, the i-th at index pixel_of(i) of `pixels`, from at most
// `most` samples, or from `enough` if all of these are active or none is. Calls found(pixel) for each active
// sample.
template <class PixelOf, class Found>
double sample(const Format& format, ConstPixels pixels, std::int64_t n, std::int64_t most,
              std::int64_t enough, PixelOf pixel_of, Found found) {
  if (n <= 0) return 0;
  const Kernels::Active mark = active_kernel(format);

  // Multiples of the golden ratio modulo 1 are evenly distributed and follow no rhythm that an image's rows
  // could have.
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  const std::int64_t samples = std::min(n, most);
  std::array<std::int64_t, most_samples> at;
  std::int64_t active = 0;

  // Prefetch all samples of a part before the first is read, because hardly any is in a cache.
  const auto look = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint64_t fraction = static_cast<std::uint64_t>(i) * golden >> 32;
      const auto pixel = static_cast<std::int64_t>(fraction * static_cast<std::uint64_t>(n) >> 32);
      at[static_cast<std::size_t>(i)] = pixel_of(n <= most ? i : pixel);
      const ConstPixels sample = advance(pixels, format, at[static_cast<std::size_t>(i)]);
      __builtin_prefetch(sample.colour);
      if (format.depth) __builtin_prefetch(sample.depth);
    }
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t pixel = at[static_cast<std::size_t>(i)];
      const ConstPixels sample = advance(pixels, format, pixel);
      std::uint64_t marked = 0;
      mark(&marked, sample.colour, as_bytes(sample.depth), 1);
      if (marked == 0) continue;
      found(pixel);
      ++active;
    }
  };
  const std::int64_t first = n <= most ? samples : std::min(samples, enough);
  look(0, first);
  if (first < samples && (active == 0 || active == first)) return active == 0 ? 0 : 1;
  look(first, samples);
  return static_cast<double>(active) / static_cast<double>(samples);
}

}  // namespace

// Mark pixels while some are active. After a batch without active pixels, skip whole empty words at memory
// speed.
void append_active(const Format& format, ConstPixels pixels, std::int64_t begin, std::int64_t end,
                   std::vector<ActiveRun>& runs) {
  const Search search(format, pixels);
  Cutter cutter(static_cast<std::int64_t>(sizeof(ActiveRun) / format.pixel_bytes()), runs);
  std::array<std::uint64_t, batch_pixels / word_pixels> marks;
  bool empty = false;
  for (std::int64_t batch = begin; batch < end;) {
    if (empty) batch += search.empty_front(batch, end);
    const std::int64_t batch_end = std::min(batch + batch_pixels, end);
    search.marks(batch, batch_end, marks.data());
    std::uint64_t any = 0;
    for (std::size_t word = 0; batch < batch_end; batch += word_pixels) {
      any |= marks[word];
      cutter.word(batch, marks[word++]);
    }
    batch = batch_end;
    empty = any == 0;
  }
  cutter.finish(end);
}

double sample_active(const Format& format, ConstPixels pixels, std::int64_t begin, std::int64_t end,
                     std::int64_t samples) {
  const std::int64_t most = std::clamp<std::int64_t>(samples, 1, most_samples);
  return sample(
      format, pixels, end - begin, most, enough_alike, [=](std::int64_t i) { return begin + i; },
      [](std::int64_t) {});
}

Sample sample_rows(const Format& format, ConstPixels pixels, std::int64_t width, std::int64_t height) {
  Sample sample;
  std::int64_t found = 0;
  Rectangle& rows = sample.rows;
  sample.active = sortlast::sample(
      format, pixels, width * height, most_samples, most_samples, [](std::int64_t i) { return i; },
      [&](std::int64_t pixel) {
        const std::int64_t y = pixel / width;
        if (found++ == 0) rows = {0, y, width, y + 1};
        rows.y0 = std::min(rows.y0, y);
        rows.y1 = std::max(rows.y1, y + 1);
      });

  // On average, the distance from the outermost samples to the first and last active rows equals the distance
  // between two samples.
  const std::int64_t gap = found > 1 ? (rows.y1 - rows.y0) / (found - 1) : 0;
  rows.y0 = std::max<std::int64_t>(rows.y0 - gap, 0);
  rows.y1 = std::min(rows.y1 + gap, found > 0 ? height : 0);
  return sample;
}

double sample_active(const Format& format, ConstPixels pixels, std::span<const ActiveRun> runs) {
  std::vector<std::int64_t> ends;  // pixels of the runs up to each
  for (const ActiveRun& run : runs) ends.push_back((ends.empty() ? 0 : ends.back()) + run.count);
  const auto pixel_of = [&](std::int64_t i) {
    const auto end = std::upper_bound(ends.begin(), ends.end(), i);
    const ActiveRun& run = runs[static_cast<std::size_t>(end - ends.begin())];
    return run.at + run.count - (*end - i);
  };
  return sample(format, pixels, ends.empty() ? 0 : ends.back(), most_samples, enough_alike, pixel_of,
                [](std::int64_t) {});
}

Rectangle active_box(const Format& format, ConstPixels pixels, std::int64_t width, std::int64_t height) {
  const Search search(format, pixels);
  const std::int64_t n = width * height;
  const std::int64_t first = search.first(0, n);
  if (first == n) return {};
  const std::int64_t last = search.last(first, n) - 1;

  // Widen the box by the pixels between its right edge in one row and its left edge in the next.
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
