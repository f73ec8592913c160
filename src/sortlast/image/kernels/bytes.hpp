// Bytes: the operators on two uint8 images with a uint8 result.
//
// The bits equal those of the float32 computation, but the arithmetic uses integers, four times as many per
// vector. For add, max and min this also holds for chains: a sum of 255 terms above 0 is saturated, and the
// rounding errors of as many floats are far below half a unit. Over is f + (255 - a) b / 255, rounded.
// Because 255 is odd, this value is at least 1 / 510 away from the midpoint between two bytes, and the error
// of float32 is smaller.
#pragma once

#include "sortlast/image/kernels/vector.hpp"

namespace sortlast::SORTLAST_TARGET {

template <int lanes>
using Bytes = typename VectorOf<std::uint8_t, lanes>::type;

struct AddBytes {
  static constexpr int least_lanes = 1;

  template <int lanes>
  static Bytes<lanes> apply(Bytes<lanes> a, Bytes<lanes> b) {
    const Bytes<lanes> sum = a + b;
    return sum | bits_as<Bytes<lanes>>(sum < a);
  }
};

struct MaxBytes {
  static constexpr int least_lanes = 1;

  template <int lanes>
  static Bytes<lanes> apply(Bytes<lanes> a, Bytes<lanes> b) {
    return a > b ? a : b;
  }
};

struct MinBytes {
  static constexpr int least_lanes = 1;

  template <int lanes>
  static Bytes<lanes> apply(Bytes<lanes> a, Bytes<lanes> b) {
    return a < b ? a : b;
  }
};

template <bool link_in_front>
struct OverBytes {
  static constexpr int least_lanes = 4;

  template <int lanes>
  static Bytes<lanes> apply(Bytes<lanes> gathered, Bytes<lanes> link) {
    using Pairs = typename VectorOf<std::uint16_t, lanes / 2>::type;
    using Pixels = typename VectorOf<std::uint32_t, lanes / 4>::type;
    const Bytes<lanes> front = link_in_front ? link : gathered;
    const Bytes<lanes> back = link_in_front ? gathered : link;
    const Pixels seen = 255 - (bits_as<Pixels>(front) >> 24);
    const Pairs share = bits_as<Pairs>(seen | seen << 16);

    // The even and the odd bytes of the back times their share, divided by 255. x / 255, rounded, equals (y +
    // y / 256) / 256 with y = x + 128.
    const Pairs even = (bits_as<Pairs>(back) & 0xff) * share + 128;
    const Pairs odd = (bits_as<Pairs>(back) >> 8) * share + 128;
    const Pairs behind = ((even + (even >> 8)) >> 8) | ((odd + (odd >> 8)) & 0xff00);
    return AddBytes::apply<lanes>(front, bits_as<Bytes<lanes>>(behind));
  }
};

template <class Operator>
void combine_bytes(std::byte* to, const std::byte* gathered, const std::byte* link, std::size_t channels) {
  each_vector<Operator::least_lanes, 4 * native_lanes>(channels, [=]<int lanes>(std::size_t i) {
    __builtin_prefetch(link + i + prefetch_bytes);
    write(to + i,
          Operator::template apply<lanes>(read<Bytes<lanes>>(gathered + i), read<Bytes<lanes>>(link + i)));
  });
}

}  // namespace sortlast::SORTLAST_TARGET
