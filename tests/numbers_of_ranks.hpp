// The numbers of ranks that property tests try.
#pragma once

#include <cstdint>

namespace sortlast::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// The number to try after p: p + 1. With sanitizers, which make the tests 20 times as slow and look for
// faults of another kind, it is one of every seven above 9.
constexpr std::int32_t next_number(std::int32_t p) { return p + (sanitized && p > 9 ? 7 : 1); }

}  // namespace sortlast::testing
