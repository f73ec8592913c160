// What every fuzzer asks of a reader: it takes a text, or refuses it with an error that names file and line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sortlast/error.hpp"

namespace sortlast::fuzz {

inline const std::string file = "fuzz";

template <class Read>
int run(const std::uint8_t* data, std::size_t size, Read&& read) {
  try {
    read(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("fuzz:")) std::abort();
  }
  return 0;
}

inline void expect(bool holds) {
  if (!holds) std::abort();
}

}  // namespace sortlast::fuzz
