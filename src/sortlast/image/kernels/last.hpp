// Last: the last join of closest, with the background, straight from two images to the final pixels.
//
// With two large images, every pass over a block in the cache is noticeable. Three passes, one for the join,
// one for the background and one that writes the block, take a third longer than this one in the cache, and a
// tenth longer with memory.
#pragma once

#include "sortlast/image/kernels/dispatch.hpp"
#include "sortlast/image/kernels/operators.hpp"
#include "sortlast/image/kernels/stream.hpp"

namespace sortlast::SORTLAST_TARGET {

struct Planes {
  const std::byte* colour;
  const std::byte* depth;
};

template <bool link_in_front, bool covers, bool streams>
void last_pixels(std::byte* to, std::byte* to_depth, Planes gathered, Planes link, std::size_t pixels,
                 Kernels::Cover cover) {
  const auto step = [=]<int lanes, bool past>(std::size_t pixel) {
    const std::size_t at = pixel * 4;
    const auto a = read<Floats<lanes>>(gathered.depth + at);
    const auto b = read<Floats<lanes>>(link.depth + at);
    const auto seen = link_is_seen<link_in_front, lanes>(a, b);
    auto depth = select(seen, bits_as<Words<lanes>>(a), bits_as<Words<lanes>>(b));
    auto colour =
        select(seen, read<Words<lanes>>(gathered.colour + at), read<Words<lanes>>(link.colour + at));
    if constexpr (covers) {
      const Floats<lanes> limit = Floats<lanes>{} + cover.depth;
      const auto far = bits_as<Words<lanes>>((bits_as<Floats<lanes>>(depth) < limit) == 0);
      depth = select(far, depth, bits_as<Words<lanes>>(limit));
      colour = select(far, colour, Words<lanes>{} + cover.colour);
    }
    if constexpr (past) {
      write_past(to + at, colour);
      write_past(to_depth + at, depth);
    } else {
      write(to + at, colour);
      write(to_depth + at, depth);
    }
  };
  std::size_t i = 0;
  if constexpr (streams) {
    for (; i < pixels && reinterpret_cast<std::uintptr_t>(to + i * 4) % line_bytes != 0; ++i)
      step.template operator()<1, false>(i);
  }
  for (; i + native_lanes <= pixels; i += native_lanes) step.template operator()<native_lanes, streams>(i);
  for (; i < pixels; ++i) step.template operator()<1, false>(i);
}

template <bool link_in_front>
void last_closest(std::byte* to, std::byte* to_depth, const std::byte* gathered,
                  const std::byte* gathered_depth, const std::byte* link, const std::byte* link_depth,
                  std::size_t pixels, const Kernels::Cover* cover, bool streams) {
  // The lines of both planes must begin at the same pixels.
  const bool past = streams &&
                    reinterpret_cast<std::uintptr_t>(to) % line_bytes ==
                        reinterpret_cast<std::uintptr_t>(to_depth) % line_bytes &&
                    reinterpret_cast<std::uintptr_t>(to) % 4 == 0;
  const Planes below{gathered, gathered_depth};
  const Planes above{link, link_depth};
  if (cover != nullptr && past)
    last_pixels<link_in_front, true, true>(to, to_depth, below, above, pixels, *cover);
  else if (cover != nullptr)
    last_pixels<link_in_front, true, false>(to, to_depth, below, above, pixels, *cover);
  else if (past)
    last_pixels<link_in_front, false, true>(to, to_depth, below, above, pixels, {});
  else
    last_pixels<link_in_front, false, false>(to, to_depth, below, above, pixels, {});
}

}  // namespace sortlast::SORTLAST_TARGET
