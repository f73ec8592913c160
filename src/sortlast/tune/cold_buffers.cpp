// ColdBuffers: memory that is handed out round and round, so that what is handed out has left the caches.
#include "sortlast/tune/cold_buffers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

namespace sortlast {
namespace {

constexpr std::size_t page_bytes = std::size_t{2}
                                   << 20;  // of large pages, which are written four times as fast
constexpr std::size_t line_bytes = 64;
constexpr int content = 0x3e;  // floats of 0.19

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

ColdBuffers::ColdBuffers(std::size_t bytes, double seconds) {
  using Clock = std::chrono::steady_clock;

  // Reserve it all.
  const std::size_t most = round_up(std::max(bytes, least_bytes), page_bytes);
  memory_ = Memory(static_cast<std::byte*>(std::aligned_alloc(page_bytes, most)), std::free);
  if (!memory_) throw std::bad_alloc();
#ifdef __linux__
  madvise(memory_.get(), most, MADV_HUGEPAGE);  // if it fails, writing takes longer
#endif

  // Write as much as there is time for.
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

}  // namespace sortlast
