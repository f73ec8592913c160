// Bytes: a byte string that grows at its end.
#include "sortlast/content/strings/bytes.hpp"

#include <algorithm>
#include <new>

namespace sortlast {
namespace {

constexpr std::size_t least_capacity = 256;
constexpr std::align_val_t alignment{64};

Memory take_from_heap(std::size_t bytes) {
  return {static_cast<std::byte*>(::operator new(bytes, alignment)),
          [](std::byte* memory) { ::operator delete(memory, alignment); }};
}

}  // namespace

void Bytes::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  Memory larger = take_ ? take_(bytes) : take_from_heap(bytes);
  if (size_ > 0) std::memcpy(larger.get(), memory_.get(), size_);
  memory_ = std::move(larger);
  capacity_ = bytes;
}

void Bytes::reserve_more(std::size_t bytes) {
  reserve(std::max({size_ + bytes, capacity_ + capacity_ / 2, least_capacity}));
}

}  // namespace sortlast
