// Blending: a chain of fragments of the same pixels becomes one, in one pass over memory; and what else is
// done to an image with its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sortlast/image.hpp"
#include "sortlast/image/active.hpp"

namespace sortlast {

enum class Side : std::uint8_t { front, back };

// One fragment of a chain: its pixels, the scalar they are stored in, and the side from which it joins
// what the chain has gathered so far (ignored for the first).
struct Link {
  ConstPixels pixels;
  Scalar scalar = Scalar::float32;
  Side side = Side::back;
  // If `sparse`, only these runs of pixels are stored, run i from pixel runs[i].at of `pixels` on, and every
  // other pixel is the empty one (see active.hpp). `first` is the number, in the runs' counting, of the
  // call's pixel 0. The runs ascend and do not overlap; without any, `pixels` may be null. The result has
  // the same bits as that of the dense pixels.
  bool sparse = false;
  std::span<const ActiveRun> runs = {};
  std::int64_t first = 0;
};

// One colour behind finished pixels: over, add, max and min combine it as the image farthest back; closest
// shows it where no image has a depth below `depth`, which is that of the pixel there.
class Background {
 public:
  // `colour`: a value for each channel of the format, premultiplied; 0..1 for uint8 images. Throws
  // ArgumentError for another number of values, or if check_format() does.
  Background(Op op, const Format& format, std::span<const float> colour,
             float depth = std::numeric_limits<float>::infinity());

  // Put it behind n pixels of the format.
  void apply(Pixels out, std::int64_t n) const;
  // `at_once` pixels of it behind empty ones, in the format.
  static constexpr std::int64_t at_once = 1024;
  ConstPixels alone() const { return {alone_.data(), alone_depth_.data()}; }
  // Of closest: its depth, and a pixel of it as the images have them.
  float depth() const { return depth_.front(); }
  const std::byte* colour() const { return colour_.data(); }

 private:
  void cover_far(Pixels out, std::int64_t n) const;

  Op op_;
  Format format_;
  Scalar scalar_;                  // of the block
  std::vector<std::byte> colour_;  // of a block of equal pixels
  std::vector<float> depth_;
  std::vector<std::byte> alone_;
  std::vector<float> alone_depth_;
};

// Scalar in which a composite of several images travels: that of the images, but float32 for `over` on
// uint8, so that no chain of stages piles up rounding errors, and sums above 1, which pixels with colour
// and alpha 0 make, are not cut off before a nearer image dims them.
Scalar partial_scalar(Scalar scalar, Op op);

// Scalar in which a chain can be interrupted and resumed without a bit of difference: float32, or that
// of the images where the operator only selects (closest).
Scalar accumulator_scalar(Scalar scalar, Op op);

// Whether finished pixels are left in the caches on their way to memory, or written past them: cheaper, if
// nobody reads them while they would be there still.
enum class Stores : std::uint8_t { cached, streaming };

// out[i] = (...((chain[0] op chain[1]) op chain[2]) ...)[i] for 0 <= i < n, each link joining from its
// side: side front means op(link, gathered), side back op(gathered, link). The association is the
// list's, so the bits depend on the chain alone, never on how it was cut into calls (as long as the
// pieces in between are kept in accumulator_scalar) nor on the processor.
//
// The arithmetic is float32 (uint8 scaled to [0, 1]); the result is rounded once, to
// nearest, ties to even, saturating, into `out_scalar`. A NaN that an operator makes is always the same
// one (0x7fc00000). `out` may be chain[0]'s memory if the scalars are of one size; no other overlap is
// allowed. A chain of one link converts (a sparse one is expanded). Needs no alignment. With `depth` every
// link and `out` have a depth plane. A background, made for `op` and the format of `out`, is put behind the
// rounded pixels while they are in the cache. Throws ArgumentError if a plane is missing, the chain is empty,
// n is negative or check_format() does.
void blend(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar,
           std::int64_t n, const Background* background = nullptr, Stores stores = Stores::cached);

// What blend() throws for its arguments, for no pixels too.
void check_chain(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar,
                 std::int64_t n);

// What blend() does by the plainest possible loop: what tests compare the kernels with, bit for bit.
void blend_reference(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out,
                     Scalar out_scalar, std::int64_t n);

// Fill n pixels with what changes nothing when blended (over: 0; add: -0; max: -infinity or 0; min:
// +infinity or the largest value; closest: 0 with depth +infinity). Depth planes become +infinity.
void fill_identity(Op op, const Format& format, Pixels out, std::int64_t n);

// Fill n pixels of an image that no rank contributed to: fill_identity() if a background will be put
// behind it, else zero colour and depth +infinity.
void fill_absent(Op op, const Format& format, bool background, Pixels out, std::int64_t n);

// Put a Background of this colour behind n finished pixels.
void apply_background(Op op, const Format& format, std::span<const float> background, Pixels out,
                      std::int64_t n);

// Write n pixels of straight RGBA with each colour multiplied by its alpha; alpha and depth stay as they are.
// float32 and float16 are rounded once, uint8 as colour * alpha / 255 to nearest. `out` may be the input.
// Throws ArgumentError for a format without alpha.
void premultiply(const Format& format, ConstPixels straight, Pixels out, std::int64_t n);

// Instruction sets that this build has kernels for and this processor can run, best first
// ("x86-64-v4", "x86-64-v3", "baseline"). blend() uses the first unless use_target() chose another.
std::vector<std::string> kernel_targets();
// Force one of kernel_targets() for the whole process, for tests and benchmarks; throws ArgumentError.
void use_target(const std::string& name);

}  // namespace sortlast
