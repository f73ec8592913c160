// Address space: what kind of memory lies at an address of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sortlast {

// Throws ArgumentError, which says what was found, unless all of the bytes are ordinary private memory that
// can be read and written: no file, nothing shared or special, no stack of the main thread or of this one.
void check_private(const std::byte* data, std::size_t bytes);

// Half-open range of addresses.
struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// The parts of [data, data + bytes) in which an open file is mapped, in order. Throws Error.
std::vector<AddressRange> mapped_parts(int file, const std::byte* data, std::size_t bytes);

}  // namespace sortlast
