// The kernels of one instruction set: the operators of operators.hpp and the scan for active pixels. Compiled
// once per instruction set, with SORTLAST_TARGET as the namespace.
#include "sortlast/image/kernels/bytes.hpp"
#include "sortlast/image/kernels/chain.hpp"
#include "sortlast/image/kernels/dispatch.hpp"
#include "sortlast/image/kernels/last.hpp"
#include "sortlast/image/kernels/operators.hpp"
#include "sortlast/image/kernels/stream.hpp"

namespace sortlast::SORTLAST_TARGET {
namespace {

// ---- The scan for active pixels -------------------------------------------------------------------

// 1 for each of `count` pixels, of `words` words of colour, that is not empty, otherwise 0.
template <class Word, int words, bool has_depth>
inline void flag_active(std::uint8_t* flags, const std::byte* colour, const std::byte* depth,
                        std::size_t count) {
  constexpr std::int32_t infinity = 0x7f800000;
  for (std::size_t i = 0; i < count; ++i) {
    Word any = 0;
    for (std::size_t w = 0; w < words; ++w)
      any = static_cast<Word>(any | read<Word>(colour + (i * words + w) * sizeof(Word)));
    flags[i] = any != 0;
    if constexpr (has_depth) flags[i] |= read<std::int32_t>(depth + i * 4) != infinity;
  }
}

// Pack eight flags into the lowest bits. The multiplication moves flag k from bit 8 k to bit 56 + k.
inline std::uint64_t bits_of(const std::uint8_t* flags) {
  std::uint64_t bytes = 0;
  for (int k = 0; k < 8; ++k) bytes |= static_cast<std::uint64_t>(flags[k]) << (8 * k);
  return bytes * 0x0102040810204080 >> 56;
}

// Prefetch bytes that will be read one page later into the second-level cache. The processor's own
// prefetching stops at the end of a page, and a prefetch past the caches (NTA) takes twice as long for the
// same bytes.
constexpr std::size_t fetched_ahead = 4096;
template <std::size_t bytes>
inline void fetch_ahead(const std::byte* from) {
  for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + fetched_ahead + i, 0, 2);
}

template <class Word, int words, bool has_depth>
void active(std::uint64_t* masks, const std::byte* colour, const std::byte* depth, std::size_t pixels) {
  constexpr std::size_t width = 64;
  constexpr std::size_t pixel_bytes = sizeof(Word) * words;
  for (std::size_t begin = 0; begin < pixels; begin += width) {
    alignas(64) std::uint8_t flags[width];
    const std::byte* const colours = colour + begin * pixel_bytes;
    fetch_ahead<width * pixel_bytes>(colours);
    const std::byte* const depths = has_depth ? depth + begin * 4 : nullptr;
    if (pixels - begin >= width) {
      flag_active<Word, words, has_depth>(flags, colours, depths, width);
    } else {
      __builtin_memset(flags, 0, width);
      flag_active<Word, words, has_depth>(flags, colours, depths, pixels - begin);
    }
    std::uint64_t mask = 0;
    for (std::size_t k = 0; k < width; k += 8) mask |= bits_of(flags + k) << k;
    masks[begin / width] = mask;
  }
}

// Whether any bit is set, by halves: extracting each lane would take as long as reading a KiB.
template <class Vector>
inline bool any_bit(const Vector& vector) {
  if constexpr (sizeof vector > 16) {
    struct Halves {
      Words<sizeof(Vector) / 8> low;
      Words<sizeof(Vector) / 8> high;
    };
    const Halves halves = bits_as<Halves>(vector);
    return any_bit(halves.low | halves.high);
  } else {
    struct Ends {
      std::uint64_t low;
      std::uint64_t high;
    };
    const Ends ends = bits_as<Ends>(vector);
    return (ends.low | ends.high) != 0;
  }
}

// Whether `pixels` pixels, a multiple of 64, are empty. Prefetches the same number of bytes from `next` on.
template <bool has_depth>
inline bool empty(const std::byte* colour, const std::byte* depth, std::size_t pixel_bytes,
                  std::size_t pixels, const std::byte* next) {
  using Line = Words<native_lanes>;
  const std::size_t bytes = pixels * pixel_bytes;
  Line any{};
#pragma GCC unroll 4
  for (std::size_t i = 0; i < bytes; i += sizeof any) {
    if (i % 64 == 0) __builtin_prefetch(next + i, 0, 2);
    any |= read<Line>(colour + i);
  }
  if constexpr (has_depth) {
    const Line infinity = Line{} + 0x7f800000;
    for (std::size_t i = 0; i < pixels * 4; i += sizeof any) any |= read<Line>(depth + i) ^ infinity;
  }
  return !any_bit(any);
}

// Number of empty blocks of 64 pixels before the first that is not empty, from the front or from the back. To
// run at memory speed, it makes few tests, examines four blocks at once while they are empty, and prefetches
// the next page. If that page lies beyond the last block, it prefetches `skip` bytes further on.
template <bool has_depth, bool from_back>
std::size_t empty_blocks(const std::byte* colour, const std::byte* depth, std::size_t pixel_bytes,
                         std::size_t blocks, std::size_t skip) {
  constexpr std::size_t width = 64;
  constexpr std::size_t steps[] = {4, 1};
  const std::size_t block_bytes = width * pixel_bytes;
  std::size_t done = 0;
  for (const std::size_t step : steps) {
    for (; done + step <= blocks; done += step) {
      const std::size_t block = from_back ? blocks - done - step : done;
      const std::byte* const colours = colour + block * block_bytes;
      const std::byte* const depths = has_depth ? depth + block * width * 4 : nullptr;
      const std::size_t further =
          (blocks - done) * block_bytes > fetched_ahead ? fetched_ahead : fetched_ahead + skip;
      const std::byte* const next = from_back ? colours - further : colours + further;
      if (!empty<has_depth>(colours, depths, pixel_bytes, step * width, next)) break;
    }
  }
  return done;
}

// ---- Background depth tests ----------------------------------------------------------------------

std::size_t nearer(const std::byte* depth, float limit, std::size_t pixels) {
  constexpr std::size_t width = 64;
  for (std::size_t begin = 0; begin < pixels; begin += width) {
    const std::size_t count = pixels - begin < width ? pixels - begin : width;
    Words<native_lanes> farther{};
    std::int32_t rest = 0;
    each_vector<1>(count, [&]<int lanes>(std::size_t i) {
      const auto mask = bits_as<Words<lanes>>((read<Floats<lanes>>(depth + (begin + i) * 4) < limit) == 0);
      if constexpr (lanes == native_lanes)
        farther |= mask;
      else
        rest |= mask[0];
    });
    if (any_bit(farther) || rest != 0) return begin;
  }
  return pixels;
}

// ---- The table ------------------------------------------------------------------------------------

constexpr Kernels table{
    .load = {nullptr, load<Float16>, load<Uint8>},
    .store = {nullptr, store<Float16>, store<Uint8>},
    .over = {{combine<Over<false>, Float32>, combine<Over<false>, Float16>, combine<Over<false>, Uint8>},
             {combine<Over<true>, Float32>, combine<Over<true>, Float16>, combine<Over<true>, Uint8>}},
    .add = {combine<Add, Float32>, combine<Add, Float16>, combine<Add, Uint8>},
    .max = {combine<Max, Float32>, combine<Max, Float16>, combine<Max, Uint8>},
    .min = {combine<Min, Float32>, combine<Min, Float16>, combine<Min, Uint8>},
    .over_bytes = {combine_bytes<OverBytes<false>>, combine_bytes<OverBytes<true>>},
    .add_bytes = combine_bytes<AddBytes>,
    .max_bytes = combine_bytes<MaxBytes>,
    .min_bytes = combine_bytes<MinBytes>,
    .over_chain = over_chain,
    .nearest = {nearest_depth<false>, nearest_depth<true>},
    .closest = {{{closest<false, 12>, closest<false, 16>},
                 {closest<false, 6>, closest<false, 8>},
                 {closest<false, 3>, closest<false, 4>}},
                {{closest<true, 12>, closest<true, 16>},
                 {closest<true, 6>, closest<true, 8>},
                 {closest<true, 3>, closest<true, 4>}}},
    .nearer = nearer,
    .stream = stream,
    .fence = fence,
    .last_closest = {last_closest<false>, last_closest<true>},
    .active = {{{active<std::uint32_t, 3, false>, active<std::uint32_t, 3, true>},
                {active<std::uint64_t, 2, false>, active<std::uint64_t, 2, true>}},
               {{active<std::uint16_t, 3, false>, active<std::uint16_t, 3, true>},
                {active<std::uint64_t, 1, false>, active<std::uint64_t, 1, true>}},
               {{active<std::uint8_t, 3, false>, active<std::uint8_t, 3, true>},
                {active<std::uint32_t, 1, false>, active<std::uint32_t, 1, true>}}},
    .empty_blocks = {{empty_blocks<false, false>, empty_blocks<false, true>},
                     {empty_blocks<true, false>, empty_blocks<true, true>}}};

}  // namespace

const Kernels& kernels() { return table; }

}  // namespace sortlast::SORTLAST_TARGET
