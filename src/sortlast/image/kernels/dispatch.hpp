// Kernel dispatch: a table of the kernels for each instruction set, one of which is chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sortlast {

// Lengths count channels (pixels times channels per pixel) or pixels, as the parameter says. Pointers
// need no alignment. Arrays are indexed by Scalar (float32, float16, uint8) in its order, and
// those of two by whether the link lies in front of what is gathered.
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

  // float32 from the scalar, and the scalar from float32, rounded to nearest even; no overlap. Null for
  // float32, which needs neither.
  Convert load[3];
  Convert store[3];

  // float32 `to` = float32 `gathered` op `link` of the scalar; `to` may be `gathered`.
  Combine over[2][3];  // RGBA
  Combine add[3];
  Combine max[3];
  Combine min[3];

  // The same of uint8 `gathered` and `link` into uint8 `to`, rounded.
  Combine over_bytes[2];  // RGBA
  Combine add_bytes;
  Combine max_bytes;
  Combine min_bytes;

  // Links of RGBA of uint8 that join by over, some at a time: `gathered`, float32 in an order of its own,
  // goes from one call to the next. The first `begins`; the last has somewhere `to` write uint8, rounded, the
  // others null.
  struct Joining {
    const std::byte* colour;
    bool in_front;
  };
  void (*over_chain)(std::byte* to, std::byte* gathered, const Joining* links, std::size_t count,
                     std::size_t pixels, bool begins);

  Nearest nearest[2];        // the depth planes of over, add, max and min; `to` may be `gathered`
  Closest closest[2][3][2];  // [..][..][channels - 3]; `to` may be `gathered`

  // Pixels before the first group of 64 that holds one not nearer than `limit`; all if there is none.
  std::size_t (*nearer)(const std::byte* depth, float limit, std::size_t pixels);

  // Copy past the caches; no overlap. After the last, and before others may read it, fence().
  void (*stream)(std::byte* to, const std::byte* from, std::size_t bytes);
  void (*fence)();

  // The last `closest` of colours of four bytes, straight to where the pixels stay, and past the caches if it
  // `streams`. Unless `cover` is null it lies where no pixel is nearer than its depth.
  struct Cover {
    std::int32_t colour;
    float depth;
  };
  using Last = void (*)(std::byte* to, std::byte* to_depth, const std::byte* gathered,
                        const std::byte* gathered_depth, const std::byte* link, const std::byte* link_depth,
                        std::size_t pixels, const Cover* cover, bool streams);
  Last last_closest[2];  // [link in front]

  // Bit i % 64 of masks[i / 64] = whether pixel i is active (image/active.hpp); the bits of the last mask
  // beyond the pixels are 0.
  Active active[3][2][2];  // [..][channels - 3][with depth]

  // Blocks of 64 pixels that are empty before the first that is not. `skip`: bytes between the last block and
  // what will be looked through next.
  EmptyBlocks empty_blocks[2][2];  // [with depth][from the back]
};

// One table for each instruction set of the build; kernels.cpp is compiled once for each.
namespace baseline {
const Kernels& kernels();
}
namespace x86_64_v3 {
const Kernels& kernels();
}
namespace x86_64_v4 {
const Kernels& kernels();
}

// The best table that this processor can run, or the one that use_target() of blend.hpp chose.
const Kernels& active_kernels();

}  // namespace sortlast
