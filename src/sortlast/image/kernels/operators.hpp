// The operators: over, add, max and min, channel by channel on float32; and closest, a selection by depth.
#pragma once

#include "sortlast/image/kernels/words.hpp"

namespace sortlast::SORTLAST_TARGET {

// Make all NaNs the same. The payload and sign that a processor produces depend on its make and on the order
// of the operands; the bits of a blend must not.
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
  using Stored = typename Scalar::Stored;
  each_vector<Operator::least_lanes>(channels, [=]<int lanes>(std::size_t i) {
    const std::byte* const stored = link + i * sizeof(Stored);
    __builtin_prefetch(stored + prefetch_bytes);
    write(to + i * 4, Operator::template apply<lanes>(
                          read<Floats<lanes>>(gathered + i * 4),
                          Scalar::template to_float<lanes>(read_words<Stored, lanes>(stored))));
  });
}

// All bits are set in the lanes where the back is visible: it is nearer than the front, or the front's depth
// is NaN and the back's is not.
template <int lanes>
inline Words<lanes> back_is_seen(Floats<lanes> front, Floats<lanes> back) {
  return bits_as<Words<lanes>>((front <= back) == 0) & bits_as<Words<lanes>>(back == back);
}

template <bool link_in_front, int lanes>
inline Words<lanes> link_is_seen(Floats<lanes> gathered, Floats<lanes> link) {
  return link_in_front ? ~back_is_seen<lanes>(link, gathered) : back_is_seen<lanes>(gathered, link);
}

// Bits of b where the mask is set, of a elsewhere, without a branch that the depths could mispredict.
template <class T>
inline T select(T mask, T a, T b) {
  return static_cast<T>(a ^ ((a ^ b) & mask));
}

template <bool link_in_front>
void nearest_depth(std::byte* to, const std::byte* gathered, const std::byte* link, std::size_t pixels) {
  each_vector<1>(pixels, [=]<int lanes>(std::size_t i) {
    const auto a = read<Floats<lanes>>(gathered + i * 4);
    const auto b = read<Floats<lanes>>(link + i * 4);
    const auto seen = link_is_seen<link_in_front, lanes>(a, b);
    write(to + i * 4, select(seen, bits_as<Words<lanes>>(a), bits_as<Words<lanes>>(b)));
  });
}

// Select one piece of a pixel, of the size of T.
template <class T>
inline void select_piece(std::byte* to, const std::byte* gathered, const std::byte* link, std::int32_t seen) {
  write(to, select<T>(static_cast<T>(seen), read<T>(gathered), read<T>(link)));
}

template <>
inline void select_piece<Words<4>>(std::byte* to, const std::byte* gathered, const std::byte* link,
                                   std::int32_t seen) {
  const Words<4> mask = Words<4>{} + seen;
  write(to, select(mask, read<Words<4>>(gathered), read<Words<4>>(link)));
}

// Select a pixel in pieces of decreasing powers of two.
template <std::size_t bytes>
inline void select_pixel(std::byte* to, const std::byte* gathered, const std::byte* link, std::int32_t seen) {
  constexpr std::size_t after_16 = bytes & 16, after_8 = bytes & 24, after_4 = bytes & 28,
                        after_2 = bytes & 30;
  if constexpr ((bytes & 16) != 0) select_piece<Words<4>>(to, gathered, link, seen);
  if constexpr ((bytes & 8) != 0)
    select_piece<std::uint64_t>(to + after_16, gathered + after_16, link + after_16, seen);
  if constexpr ((bytes & 4) != 0)
    select_piece<std::uint32_t>(to + after_8, gathered + after_8, link + after_8, seen);
  if constexpr ((bytes & 2) != 0)
    select_piece<std::uint16_t>(to + after_4, gathered + after_4, link + after_4, seen);
  if constexpr ((bytes & 1) != 0)
    select_piece<std::uint8_t>(to + after_2, gathered + after_2, link + after_2, seen);
}

// Number of masks kept at once: a multiple of every vector.
inline constexpr std::size_t batch = 256;

template <bool link_in_front, std::size_t colour_bytes>
void closest(std::byte* to, std::byte* to_depth, const std::byte* gathered, const std::byte* gathered_depth,
             const std::byte* link, const std::byte* link_depth, std::size_t pixels) {
  alignas(64) std::byte masks[batch * 4];
  for (std::size_t begin = 0; begin < pixels; begin += batch) {
    const std::size_t count = pixels - begin < batch ? pixels - begin : batch;

    // Compare the depths. A colour of one word is selected along with its depth.
    each_vector<1>(count, [=, room = masks]<int lanes>(std::size_t i) {
      const std::size_t at = (begin + i) * 4;
      const auto a = read<Floats<lanes>>(gathered_depth + at);
      const auto b = read<Floats<lanes>>(link_depth + at);
      const auto seen = link_is_seen<link_in_front, lanes>(a, b);
      write(to_depth + at, select(seen, bits_as<Words<lanes>>(a), bits_as<Words<lanes>>(b)));
      if constexpr (colour_bytes == 4) {
        __builtin_prefetch(link + at + prefetch_bytes);
        write(to + at, select(seen, read<Words<lanes>>(gathered + at), read<Words<lanes>>(link + at)));
      } else {
        write(room + i * 4, seen);
      }
    });
    if constexpr (colour_bytes == 4) continue;

    // Select the colours.
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = (begin + i) * colour_bytes;
      __builtin_prefetch(link + at + prefetch_bytes);
      select_pixel<colour_bytes>(to + at, gathered + at, link + at, read<std::int32_t>(masks + i * 4));
    }
  }
}

}  // namespace sortlast::SORTLAST_TARGET
