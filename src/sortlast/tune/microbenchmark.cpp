// Microbenchmark.
//
// A chain of k RGBA float32 images of n bytes takes n (k gamma_read + gamma_write), so two chain lengths give
// both figures. The time per byte depends on where the data comes from. Images of a frame come from memory,
// hence the cold buffer ring.
#include "sortlast/tune/microbenchmark.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <span>
#include <utility>

#include "sortlast/image/blend.hpp"

namespace sortlast {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Format format;
constexpr std::size_t short_chain = 2;
constexpr std::size_t long_chain = 8;
constexpr std::size_t image_bytes = std::size_t{1} << 17;
constexpr std::size_t copy_bytes = std::size_t{1} << 18;
constexpr std::size_t least_samples = 3;

// Processor time of an action [s].
template <typename Action>
double time_of(const Action& action) {
  const double begin = thread_seconds();
  action();
  return thread_seconds() - begin;
}

// Seconds per byte of one image.
double blend_once(ColdBuffers& memory, std::size_t images) {
  std::array<Link, long_chain> chain;
  for (std::size_t i = 0; i < images; ++i) chain[i].pixels.colour = memory.next(image_bytes);
  const Pixels out{memory.next(image_bytes), nullptr};
  const auto n = static_cast<std::int64_t>(image_bytes / format.pixel_bytes());
  return time_of([&] {
           blend(Op::over, format.channels, false, std::span(chain).first(images), out, format.scalar, n);
         }) /
         static_cast<double>(image_bytes);
}

double copy_once(ColdBuffers& memory) {
  const std::byte* const from = memory.next(copy_bytes);
  std::byte* const to = memory.next(copy_bytes);
  return time_of([&] { std::memcpy(to, from, copy_bytes); }) / static_cast<double>(copy_bytes);
}

constexpr std::size_t page_bytes = std::size_t{2} << 20;  // huge pages, which are written four times as fast
constexpr std::size_t line_bytes = 64;
constexpr int content = 0x3e;  // floats of 0.19

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

ColdBuffers::ColdBuffers(std::size_t bytes, double seconds) {
  // Reserve it all.
  const std::size_t most = round_up(std::max(bytes, least_bytes), page_bytes);
  memory_ = Memory(static_cast<std::byte*>(std::aligned_alloc(page_bytes, most)), std::free);
  if (!memory_) throw std::bad_alloc();
#ifdef __linux__
  madvise(memory_.get(), most, MADV_HUGEPAGE);  // on failure, writing takes longer
#endif

  // Write as much as time permits.
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (size_ < most && (size_ < least_bytes || Clock::now() < end)) {
    std::memset(memory_.get() + size_, content, page_bytes);
    size_ += page_bytes;
  }
}

std::byte* ColdBuffers::next(std::size_t bytes) {
  if (at_ + bytes > size_) at_ = 0;
  std::byte* const piece = memory_.get() + at_;
  at_ += round_up(bytes, line_bytes);
  return piece;
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double quantile(std::vector<double> values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

CoreTimes measure_core(ColdBuffers& memory, double seconds) {
  // Alternate the measurements, so that a busy moment affects all of them.
  std::vector<double> short_chains;
  std::vector<double> long_chains;
  std::vector<double> copies;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (short_chains.size() < least_samples || Clock::now() < end) {
    short_chains.push_back(blend_once(memory, short_chain));
    long_chains.push_back(blend_once(memory, long_chain));
    copies.push_back(copy_once(memory));
  }

  // Solve for both figures. If writing hides behind reading, the difference leaves nothing for writing, so
  // assume a minimum.
  const double two = quantile(std::move(short_chains), 0.5);
  const double eight = quantile(std::move(long_chains), 0.5);
  const double step = (eight - two) / (long_chain - short_chain);
  const double write = std::max(two - short_chain * step, eight / (long_chain + 1) / 4);
  return {(eight - write) / long_chain, write, quantile(std::move(copies), 0.5)};
}

}  // namespace sortlast
