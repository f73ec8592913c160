// Rules: how the values of a channel in a front and a back pixel are combined.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "sortlast/content/layers/layout.hpp"

namespace sortlast {

// Maximum and minimum of IEEE 754-2019: NaN wins, and -0 is below +0.
inline float maximum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline float minimum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// Call body with the function T (T front, T back, float through) of a channel, with T float or std::uint32_t;
// not for closest, nor for the rules front and accumulated. `through` is 1 - the alpha of the front pixel;
// only `over` uses it.
template <class Body>
void with_rule(const SettledChannel& channel, Op op, Body body) {
  if (op == Op::over)
    return body([](float front, float back, float through) { return front + through * back; });
  if (channel.type == ChannelType::uint32) {
    using U = std::uint32_t;
    if (op == Op::add) return body([](U front, U back, float) { return front + back; });
    if (op == Op::max) return body([](U front, U back, float) { return front > back ? front : back; });
    return body([](U front, U back, float) { return front < back ? front : back; });
  }
  if (op == Op::add) return body([](float front, float back, float) { return front + back; });
  if (op == Op::max) return body([](float front, float back, float) { return maximum(front, back); });
  return body([](float front, float back, float) { return minimum(front, back); });
}

// The value type of such a function.
template <class Function>
using RuleValueOf = decltype(std::declval<Function>()(0, 0, 0.0F));

// Whether a pixel's values of a channel with the rule front belong to an image above the threshold.
inline bool picked(const std::byte* picks, std::size_t pick_bytes, std::size_t pixel, std::size_t pick) {
  return (picks[pixel * pick_bytes + pick / 8] & static_cast<std::byte>(1U << (pick % 8))) != std::byte{0};
}

}  // namespace sortlast
