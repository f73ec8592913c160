// Whether a sanitizer watches, with which tests take 20 times as long, and what they leave out then.
#pragma once

#include <cstdint>

namespace sortlast::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// The number of ranks that a property test tries after p: p + 1, or with sanitizers one of every seven
// above 9.
constexpr std::int32_t next_number(std::int32_t p) { return p + (sanitized && p > 9 ? 7 : 1); }

}  // namespace sortlast::testing
