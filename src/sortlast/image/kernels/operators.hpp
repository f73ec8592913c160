// The operators that work channel by channel on float32: over, add, max and min.
#pragma once

#include "sortlast/image/kernels/convert.hpp"

namespace sortlast::SORTLAST_TARGET {

// Every NaN becomes the same one. Which payload and sign a processor gives depends on its make and on the
// order of operands, and the bits of a blend depend on neither.
template <int lanes>
inline Floats<lanes> with_one_nan(Floats<lanes> x) {
  const Floats<lanes> nan = Floats<lanes>{} + __builtin_nanf("");
  return x == x ? x : nan;
}

template <int lanes>
inline Floats<lanes> alpha_of(Floats<lanes> rgba) {
#if defined(__clang__)
  if constexpr (lanes == 4) return __builtin_shufflevector(rgba, rgba, 3, 3, 3, 3);
  if constexpr (lanes == 8) return __builtin_shufflevector(rgba, rgba, 3, 3, 3, 3, 7, 7, 7, 7);
  if constexpr (lanes == 16)
    return __builtin_shufflevector(rgba, rgba, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
#else
  typename VectorOf<std::int32_t, lanes>::type lane;
  for (int i = 0; i < lanes; ++i) lane[i] = i | 3;
  return __builtin_shuffle(rgba, lane);
#endif
}

template <bool link_in_front>
struct Over {
  static constexpr int least_lanes = 4;

  template <int lanes>
  static Floats<lanes> apply(Floats<lanes> gathered, Floats<lanes> link) {
    const Floats<lanes> front = link_in_front ? link : gathered;
    const Floats<lanes> back = link_in_front ? gathered : link;
    return with_one_nan<lanes>(front + (1.0f - alpha_of<lanes>(front)) * back);
  }
};

struct Add {
  static constexpr int least_lanes = 1;

  template <int lanes>
  static Floats<lanes> apply(Floats<lanes> a, Floats<lanes> b) {
    return with_one_nan<lanes>(a + b);
  }
};

// Equal values differ at most in the sign of zero: `and` of the bits gives +0, `or` gives -0.
struct Max {
  static constexpr int least_lanes = 1;

  template <int lanes>
  static Floats<lanes> apply(Floats<lanes> a, Floats<lanes> b) {
    const Floats<lanes> equal = bits_as<Floats<lanes>>(bits_as<Words<lanes>>(a) & bits_as<Words<lanes>>(b));
    const Floats<lanes> larger = a > b ? a : (b > a ? b : equal);
    return with_one_nan<lanes>(a == a ? (b == b ? larger : b) : a);
  }
};

struct Min {
  static constexpr int least_lanes = 1;

  template <int lanes>
  static Floats<lanes> apply(Floats<lanes> a, Floats<lanes> b) {
    const Floats<lanes> equal = bits_as<Floats<lanes>>(bits_as<Words<lanes>>(a) | bits_as<Words<lanes>>(b));
    const Floats<lanes> smaller = a < b ? a : (b < a ? b : equal);
    return with_one_nan<lanes>(a == a ? (b == b ? smaller : b) : a);
  }
};

template <class Operator, class Scalar>
void combine(std::byte* to, const std::byte* gathered, const std::byte* link, std::size_t channels) {
  WordBuffer room;
  for (std::size_t begin = 0; begin < channels; begin += stretch) {
    const std::size_t count = channels - begin < stretch ? channels - begin : stretch;
    const std::byte* const stored = link + begin * sizeof(typename Scalar::Stored);
    const std::byte* const words = widen<Scalar>(room, stored, count);
    each_vector<Operator::least_lanes>(count, [=]<int lanes>(std::size_t i) {
      __builtin_prefetch(stored + i * sizeof(typename Scalar::Stored) + prefetch_bytes);
      write(to + (begin + i) * 4, Operator::template apply<lanes>(
                                      read<Floats<lanes>>(gathered + (begin + i) * 4),
                                      Scalar::template to_float<lanes>(read<Words<lanes>>(words + i * 4))));
    });
  }
}

}  // namespace sortlast::SORTLAST_TARGET
