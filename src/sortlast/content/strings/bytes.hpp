// Bytes: a byte string that grows at its end, in memory from a given allocator.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "sortlast/image.hpp"

namespace sortlast {

class Bytes {
 public:
  using Take = std::function<Memory(std::size_t bytes)>;

  // `take` returns memory aligned to 64 or throws std::bad_alloc; empty: the heap.
  explicit Bytes(Take take = {}) : take_(std::move(take)) {}

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  const std::byte* data() const { return memory_.get(); }
  std::byte* data() { return memory_.get(); }
  std::span<const std::byte> view() const { return {data(), size_}; }
  // Keeps the current bytes at their address until the last copy is destroyed.
  const Memory& memory() const { return memory_; }

  // Reserve space for this many bytes in total, which avoids copies later.
  void reserve(std::size_t bytes);
  // Append this many uninitialised bytes. The returned pointer to them is valid until the next call.
  std::byte* grow(std::size_t bytes) {
    if (capacity_ - size_ < bytes) reserve_more(bytes);
    std::byte* const begin = memory_.get() + size_;
    size_ += bytes;
    return begin;
  }
  void append(std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(grow(bytes.size()), bytes.data(), bytes.size());
  }
  template <typename Value>
  void append_value(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::memcpy(grow(sizeof value), &value, sizeof value);
  }
  // Append zeros up to a multiple of `bytes`.
  void align(std::size_t bytes) {
    const std::size_t rest = size_ % bytes;
    if (rest > 0) std::memset(grow(bytes - rest), 0, bytes - rest);
  }
  // Drop everything after the first `size` bytes. The memory stays allocated.
  void shrink(std::size_t size) { size_ = size; }

 private:
  void reserve_more(std::size_t bytes);

  Take take_;
  Memory memory_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace sortlast
