// Chain: uint8 images that join one after another with over, accumulated in registers.
//
// If the accumulated pixels were kept in the cache, every link would read and write them, which costs as much
// as the arithmetic. A vector holds one channel of several pixels, so alpha need not be spread over the
// channels. The operations on each value and their order are the same as in Over, and so are the bits; bytes
// cannot make a NaN.
#pragma once

#include "sortlast/image/kernels/dispatch.hpp"
#include "sortlast/image/kernels/words.hpp"

namespace sortlast::SORTLAST_TARGET {

// RGBA of `lanes` pixels.
template <int lanes>
struct Gathered {
  Floats<lanes> red, green, blue, alpha;
};

// A byte that is not shifted down is a larger integer. Multiplying it by a unit smaller by that power of two
// gives the same float.
template <int lanes>
inline Gathered<lanes> floats_of_pixels(const std::byte* from) {
  using Bits = typename VectorOf<std::uint32_t, lanes>::type;
  const auto as_float = [](Words<lanes> whole, float unit) {
    return __builtin_convertvector(whole, Floats<lanes>) * unit;
  };
  constexpr float unit = 1.0f / 255;
  __builtin_prefetch(from + prefetch_bytes);
  const auto pixels = read<Words<lanes>>(from);
  return {as_float(pixels & 0xff, unit), as_float(pixels & 0xff00, unit / 0x100),
          as_float(pixels & 0xff0000, unit / 0x10000),
          as_float(bits_as<Words<lanes>>(bits_as<Bits>(pixels) >> 24), unit)};
}

template <int lanes>
inline Gathered<lanes> over(const Gathered<lanes>& front, const Gathered<lanes>& back) {
  const Floats<lanes> through = 1.0f - front.alpha;
  return {front.red + through * back.red, front.green + through * back.green,
          front.blue + through * back.blue, front.alpha + through * back.alpha};
}

// The shifts drop the bits above the byte.
template <int lanes>
inline Words<lanes> bytes_of(const Gathered<lanes>& gathered) {
  return Uint8::from_float<lanes>(gathered.red) | Uint8::with_exponent<lanes>(gathered.green) << 8 |
         Uint8::with_exponent<lanes>(gathered.blue) << 16 | Uint8::with_exponent<lanes>(gathered.alpha) << 24;
}

template <int lanes>
inline Gathered<lanes> read_gathered(const std::byte* from) {
  constexpr std::size_t bytes = sizeof(Floats<lanes>);
  return {read<Floats<lanes>>(from), read<Floats<lanes>>(from + bytes), read<Floats<lanes>>(from + 2 * bytes),
          read<Floats<lanes>>(from + 3 * bytes)};
}

template <int lanes>
inline void write_gathered(std::byte* to, const Gathered<lanes>& gathered) {
  constexpr std::size_t bytes = sizeof(Floats<lanes>);
  write(to, gathered.red);
  write(to + bytes, gathered.green);
  write(to + 2 * bytes, gathered.blue);
  write(to + 3 * bytes, gathered.alpha);
}

inline void over_chain(std::byte* to, std::byte* gathered, const Kernels::Joining* links, std::size_t count,
                       std::size_t pixels, bool begins) {
  const Kernels::Joining* const end = links + count;
  each_vector<1>(pixels, [=]<int lanes>(std::size_t pixel) {
    const std::size_t at = pixel * 4;
    std::byte* const kept = gathered + pixel * 16;
    const Kernels::Joining* link = links;
    Gathered<lanes> sum =
        begins ? floats_of_pixels<lanes>((link++)->colour + at) : read_gathered<lanes>(kept);
    for (; link != end; ++link) {
      const Gathered<lanes> joins = floats_of_pixels<lanes>(link->colour + at);
      sum = link->in_front ? over<lanes>(joins, sum) : over<lanes>(sum, joins);
    }
    if (to != nullptr)
      write(to + at, bytes_of<lanes>(sum));
    else
      write_gathered<lanes>(kept, sum);
  });
}

}  // namespace sortlast::SORTLAST_TARGET
