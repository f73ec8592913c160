// The scan for active pixels: a kernel marks them, 64 to a word, and the words are cut into runs.
#include "sortlast/image/active.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "sortlast/image/targets.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t word_pixels = 64;
constexpr std::int64_t batch_pixels = 64 * word_pixels;

Kernels::Active active_kernel(const Format& format) {
  return active_kernels().active[static_cast<std::size_t>(format.scalar)]
                                [static_cast<std::size_t>(format.channels - 3)][format.depth];
}

const std::byte* as_bytes(const float* depth) { return reinterpret_cast<const std::byte*>(depth); }

// Runs made from words of marks, in ascending order.
class Cutter {
 public:
  // `gap`: as many empty pixels between two runs are kept as active.
  Cutter(std::int64_t gap, std::vector<ActiveRun>& runs) : gap_(gap), runs_(runs) {}

  // Marks of pixels [begin, begin + 64).
  void word(std::int64_t begin, std::uint64_t marks) {
    std::uint64_t changes = marks ^ (marks << 1 | static_cast<std::uint64_t>(open_));
    for (; changes != 0; changes &= changes - 1) change(begin + std::countr_zero(changes));
  }

  // The stretch ends in front of this pixel.
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

// Estimated share of active pixels among n, of which the i-th lies at number pixel_of(i) of `pixels`.
template <class PixelOf>
double sample(const Format& format, ConstPixels pixels, std::int64_t n, PixelOf pixel_of) {
  constexpr std::int64_t most = 256;
  if (n <= 0) return 0;
  const Kernels::Active mark = active_kernel(format);

  // Multiples of the golden ratio modulo 1 fall evenly, and in no rhythm that an image's rows could have. All
  // are fetched before the first is looked at: hardly any is in a cache.
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  const std::int64_t samples = std::min(n, most);
  std::array<ConstPixels, most> at;
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::uint64_t fraction = static_cast<std::uint64_t>(i) * golden >> 32;
    const auto pixel = static_cast<std::int64_t>(fraction * static_cast<std::uint64_t>(n) >> 32);
    ConstPixels& sample = at[static_cast<std::size_t>(i)];
    sample = advance(pixels, format, pixel_of(n <= most ? i : pixel));
    __builtin_prefetch(sample.colour);
    if (format.depth) __builtin_prefetch(sample.depth);
  }
  std::int64_t active = 0;
  for (std::int64_t i = 0; i < samples; ++i) {
    const ConstPixels& sample = at[static_cast<std::size_t>(i)];
    std::uint64_t marked = 0;
    mark(&marked, sample.colour, as_bytes(sample.depth), 1);
    active += static_cast<std::int64_t>(marked);
  }
  return static_cast<double>(active) / static_cast<double>(samples);
}

}  // namespace

void append_active(const Format& format, ConstPixels pixels, std::int64_t begin, std::int64_t end,
                   std::vector<ActiveRun>& runs) {
  const Kernels::Active mark = active_kernel(format);
  Cutter cutter(static_cast<std::int64_t>(sizeof(ActiveRun) / format.pixel_bytes()), runs);
  std::array<std::uint64_t, batch_pixels / word_pixels> marks;
  for (std::int64_t batch = begin; batch < end; batch += batch_pixels) {
    const std::int64_t count = std::min(batch_pixels, end - batch);
    const ConstPixels from = advance(pixels, format, batch);
    mark(marks.data(), from.colour, as_bytes(from.depth), static_cast<std::size_t>(count));
    for (std::int64_t done = 0; done < count; done += word_pixels)
      cutter.word(batch + done, marks[static_cast<std::size_t>(done / word_pixels)]);
  }
  cutter.finish(end);
}

double sample_active(const Format& format, ConstPixels pixels, std::int64_t begin, std::int64_t end) {
  return sample(format, pixels, end - begin, [=](std::int64_t i) { return begin + i; });
}

double sample_active(const Format& format, ConstPixels pixels, std::span<const ActiveRun> runs) {
  std::vector<std::int64_t> ends;  // pixels of the runs up to each
  for (const ActiveRun& run : runs) ends.push_back((ends.empty() ? 0 : ends.back()) + run.count);
  return sample(format, pixels, ends.empty() ? 0 : ends.back(), [&](std::int64_t i) {
    const auto end = std::upper_bound(ends.begin(), ends.end(), i);
    const ActiveRun& run = runs[static_cast<std::size_t>(end - ends.begin())];
    return run.at + run.count - (*end - i);
  });
}

}  // namespace sortlast
