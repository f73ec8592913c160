// Structures that begin with their size, as callers of any version pass them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast::capi {

// No structure grows beyond this, so a larger size is none.
constexpr std::size_t most_struct_bytes = 4096;

// The size that a structure of a caller has, after checks: ArgumentError if it is less than that of its first
// version, or no size at all. `name` and `init` for the message.
template <typename Struct>
std::size_t size_of_struct(const Struct* from, std::size_t first, const char* name, const char* init) {
  const std::size_t size = from->size;
  if (size >= first && size <= most_struct_bytes) return size;
  throw ArgumentError(std::string("size of ") + name + " is " + std::to_string(size) + "; expected sizeof(" +
                      name + "), " + std::to_string(sizeof(Struct)) + " in this version; begin with " + init);
}

// What a caller passes, with the defaults for what its version does not have; all defaults for null. `first`:
// bytes of its first version. Throws ArgumentError: a size that cannot be, members that this version does not
// know and that are not zero.
template <typename Struct>
Struct read_struct(const Struct* from, const Struct& defaults, std::size_t first, const char* name,
                   const char* init) {
  if (from == nullptr) return defaults;
  const std::size_t size = size_of_struct(from, first, name, init);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
  if (std::any_of(bytes + std::min(sizeof(Struct), size), bytes + size,
                  [](unsigned char b) { return b != 0; }))
    throw ArgumentError(
        std::string("size of ") + name + " is " + std::to_string(size) + ", but this library knows " +
        std::to_string(sizeof(Struct)) +
        " bytes of it, and the others are not zero; use the library that the header belongs to");
  Struct result = defaults;
  std::memcpy(&result, from, std::min(sizeof(Struct), size));
  result.size = sizeof(Struct);
  return result;
}

// Write a result to a caller's structure, of which its version may not have all members; those that this
// version does not know become zero. Throws ArgumentError: a size that cannot be.
template <typename Struct>
void write_struct(Struct* to, const Struct& from, std::size_t first, const char* name, const char* init) {
  const std::size_t size = size_of_struct(to, first, name, init);
  const std::size_t known = std::min(sizeof(Struct), size);
  auto* const bytes = reinterpret_cast<unsigned char*>(to);
  std::memcpy(bytes, &from, known);
  std::fill(bytes + known, bytes + size, static_cast<unsigned char>(0));
  to->size = size;
}

}  // namespace sortlast::capi
