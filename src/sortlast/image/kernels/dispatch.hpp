// Kernel dispatch: a table of kernels for each instruction set, selected at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sortlast {

// Lengths count channels (pixels times channels per pixel) or pixels, as the parameter's name says. Pointers
// need no alignment. Arrays of 3 are indexed by Scalar (float32, float16, uint8), arrays of 2 by whether the
// link lies in front of the accumulated pixels.
struct Kernels {
  using Convert = void (*)(std::byte* to, const std::byte* from, std::size_t channels);
  using Combine = void (*)(std::byte* to, const std::byte* gathered, const std::byte* link,
                           std::size_t channels);
  using Nearest = void (*)(std::byte* to, const std::byte* gathered, const std::byte* link,
                           std::size_t pixels);
  using Closest = void (*)(std::byte* to, std::byte* to_depth, const std::byte* gathered,
                           const std::byte* gathered_depth, const std::byte* link,
                           const std::byte* link_depth, std::size_t pixels);
  using Active = void (*)(std::uint64_t* masks, const std::byte* colour, const std::byte* depth,
                          std::size_t pixels);

  using EmptyBlocks = std::size_t (*)(const std::byte* colour, const std::byte* depth,
                                      std::size_t pixel_bytes, std::size_t blocks, std::size_t skip);

  // Convert the scalar type to float32, and float32 to the scalar type, rounded to nearest even; no overlap.
  // Null for float32, which needs no conversion.
  Convert load[3];
  Convert store[3];

  // float32 `to` = float32 `gathered` op `link` of the scalar type; `to` may be `gathered`.
  Combine over[2][3];  // RGBA
  Combine add[3];
  Combine max[3];
  Combine min[3];

  // The same for uint8 `gathered` and `link`, rounded into uint8 `to`.
  Combine over_bytes[2];  // RGBA
  Combine add_bytes;
  Combine max_bytes;
  Combine min_bytes;

  // Join uint8 RGBA links with over, several per call. `gathered` (float32 in a private layout) carries the
  // state from one call to the next. The first call `begins`. In the last call `to` receives the rounded
  // uint8 pixels; in the others it is null.
  struct Joining {
    const std::byte* colour;
    bool in_front;
  };
  void (*over_chain)(std::byte* to, std::byte* gathered, const Joining* links, std::size_t count,
                     std::size_t pixels, bool begins);

  Nearest nearest[2];        // for the depth planes of over, add, max and min; `to` may be `gathered`
  Closest closest[2][3][2];  // [..][..][channels - 3]; `to` may be `gathered`

  // Number of pixels before the first group of 64 that contains one not nearer than `limit`; all pixels if
  // there is no such group.
  std::size_t (*nearer)(const std::byte* depth, float limit, std::size_t pixels);

  // Copy past the caches; no overlap. Call fence() after the last copy, before other threads may read the
  // result.
  void (*stream)(std::byte* to, const std::byte* from, std::size_t bytes);
  void (*fence)();

  // The last `closest` of a chain with 4-byte colours, written straight to the final place, and past the
  // caches if it `streams`. If `cover` is not null, it replaces all pixels that are not nearer than its
  // depth.
  struct Cover {
    std::int32_t colour;
    float depth;
  };
  using Last = void (*)(std::byte* to, std::byte* to_depth, const std::byte* gathered,
                        const std::byte* gathered_depth, const std::byte* link, const std::byte* link_depth,
                        std::size_t pixels, const Cover* cover, bool streams);
  Last last_closest[2];  // [link in front]

  // Bit i % 64 of masks[i / 64] = whether pixel i is active (image/active.hpp). Unused bits of the last mask
  // are 0.
  Active active[3][2][2];  // [..][channels - 3][with depth]

  // Number of empty blocks of 64 pixels before the first that is not empty. `skip`: bytes between the last
  // block and the range that will be searched next.
  EmptyBlocks empty_blocks[2][2];  // [with depth][from the back]
};

// One table per instruction set of the build; kernels.cpp is compiled once for each.
namespace baseline {
const Kernels& kernels();
}
namespace x86_64_v3 {
const Kernels& kernels();
}
namespace x86_64_v4 {
const Kernels& kernels();
}

// The best table for this processor, or the one selected by use_target() of blend.hpp.
const Kernels& active_kernels();

}  // namespace sortlast
