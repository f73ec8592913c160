// Peer spans: memory of other ranks that contents of varying size read in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sortlast {

class PeerSpans {
 public:
  virtual ~PeerSpans() = default;

  // Number of spans of a rank that can be read; this rank's own count as well.
  virtual std::size_t count(std::int32_t rank) const = 0;
  virtual std::size_t bytes(std::int32_t rank, std::size_t span) const = 0;
  // Address of a span in this process; null: it has to be copied.
  virtual const std::byte* in_place(std::int32_t rank, std::size_t span) const = 0;

  // Copies the bytes [first, first + bytes) of a span to `to`.
  struct Copy {
    std::size_t span = 0;
    std::size_t first = 0;
    std::size_t bytes = 0;
    std::byte* to = nullptr;
  };
  // Copy bytes of a rank's spans. Throws Error. Callable from any thread.
  virtual void copy(std::int32_t rank, std::span<const Copy> copies) const = 0;

  // Whether any span of the rank has to be copied.
  bool pulls_from(std::int32_t rank) const {
    for (std::size_t span = 0; span < count(rank); ++span)
      if (bytes(rank, span) > 0 && in_place(rank, span) == nullptr) return true;
    return false;
  }
};

}  // namespace sortlast
