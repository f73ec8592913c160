// Pool: aligned memory that is reused from frame to frame.
//
// Fresh memory costs a page fault per 4 KiB, which takes longer than the blending done in it. Returned blocks
// are kept by size, and reused when a request needs most of one. They are freed if no frame has used them for
// a while, or if there are too many, so that enlarging a window by dragging does not fill the memory. Large
// blocks request huge pages: copies between processes then take half of the kernel's time (measured with 4
// ranks and 4096x2048 pixels of 16 bytes, where frames took 5 to 30 % less).
#include "sortlast/content/pixels/pool.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace sortlast {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t huge_page = std::size_t{1} << 21;

struct Free {
  void operator()(std::byte* block) const { std::free(block); }
};
using Block = std::unique_ptr<std::byte, Free>;

// `bytes` is a multiple of the alignment: a huge page for blocks of at least that size, otherwise a cache
// line.
Block allocate(std::size_t bytes) {
  const bool large = bytes >= huge_page;
  Block block(static_cast<std::byte*>(std::aligned_alloc(large ? huge_page : line, bytes)));
  if (!block) throw std::bad_alloc();
#ifdef __linux__
  if (large) madvise(block.get(), bytes, MADV_HUGEPAGE);
#endif
  return block;
}

constexpr std::size_t recent_frames = 32;

struct Idle {
  std::size_t size;
  Block block;
  std::int64_t since;  // frame in which it was returned
};

}  // namespace

struct Pool::State {
  std::mutex mutex;        // results may be returned from another thread
  std::vector<Idle> idle;  // with capacity for all blocks in use
  std::size_t out = 0;     // number of blocks in use
  std::size_t taken = 0;   // bytes in use
  std::size_t peak = 0;
  std::int64_t frame = 0;
  std::array<std::size_t, recent_frames> peaks{};  // of the most recent frames

  // Free the blocks that no recent frame used. Then free idle blocks, the longest idle first, until no more
  // memory is held than three times the peak of a recent frame: messages, tiles and gathered frames have
  // different sizes and alternate.
  void trim() {
    std::erase_if(idle, [this](const Idle& one) {
      return one.since + static_cast<std::int64_t>(recent_frames) < frame;
    });
    const std::size_t most = 3 * *std::max_element(peaks.begin(), peaks.end());
    std::size_t held = taken;
    for (const Idle& one : idle) held += one.size;
    while (!idle.empty() && held > most) {
      const auto oldest = std::min_element(idle.begin(), idle.end(),
                                           [](const Idle& a, const Idle& b) { return a.since < b.since; });
      held -= oldest->size;
      idle.erase(oldest);
    }
  }

  // The smallest idle block of at least `wanted` bytes that is not much larger; null: none. Of equal ones the
  // one returned last, which may still be in the cache.
  Idle* find(std::size_t wanted) {
    Idle* best = nullptr;
    for (Idle& one : idle) {
      const bool fits = one.size >= wanted && one.size <= wanted + wanted / 4;
      if (fits && (best == nullptr || one.size <= best->size)) best = &one;
    }
    return best;
  }

  // Count a block as in use, and reserve the space that give_back() will need.
  void count_out(std::size_t size) {
    idle.reserve(idle.size() + out + 1);
    ++out;
    taken += size;
    peak = std::max(peak, taken);
  }

  void give_back(std::size_t size, Block block) noexcept {
    const std::lock_guard lock(mutex);
    --out;
    taken -= size;
    idle.push_back({size, std::move(block), frame});
  }
};

Pool::Pool() : state_(std::make_shared<State>()) {}

Memory Pool::take(std::size_t bytes) {
  if (bytes == 0) return {};
  const std::size_t unit = bytes >= huge_page ? huge_page : line;
  const std::size_t wanted = (bytes + unit - 1) / unit * unit;
  Block block;
  std::size_t size = wanted;
  {
    const std::lock_guard lock(state_->mutex);
    if (Idle* const found = state_->find(wanted)) {
      size = found->size;
      block = std::move(found->block);
      state_->idle.erase(state_->idle.begin() + (found - state_->idle.data()));
    }
  }
  if (!block) block = allocate(wanted);
  {
    const std::lock_guard lock(state_->mutex);
    state_->count_out(size);
  }
  std::byte* const start = block.release();
  return {start, [state = state_, size](std::byte* memory) { state->give_back(size, Block(memory)); }};
}

std::size_t Pool::taken() const {
  const std::lock_guard lock(state_->mutex);
  return state_->taken;
}

std::size_t Pool::peak() const {
  const std::lock_guard lock(state_->mutex);
  return state_->peak;
}

std::size_t Pool::idle() const {
  const std::lock_guard lock(state_->mutex);
  std::size_t bytes = 0;
  for (const Idle& one : state_->idle) bytes += one.size;
  return bytes;
}

void Pool::begin_frame() {
  const std::lock_guard lock(state_->mutex);
  state_->peaks[static_cast<std::size_t>(state_->frame++) % recent_frames] = state_->peak;
  state_->peak = state_->taken;
  state_->trim();
}

PixelBuffer take_pixels(Pool& pool, const Format& format, std::int64_t n) {
  return {pool.take(PixelBuffer::bytes(format, n)), format, n};
}

}  // namespace sortlast
