// Blending: a chain of fragments of the same pixels becomes one, in one pass over memory. Also other
// operations on an image that use the same kernels.
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

// One fragment of a chain: its pixels, the scalar type that they are stored in, and the side from which it
// joins the result so far (ignored for the first).
struct Link {
  ConstPixels pixels;
  Scalar scalar = Scalar::float32;
  Side side = Side::back;
  // If `sparse`, only the pixels of these runs are stored, run i starting at pixel runs[i].at of `pixels`,
  // and all other pixels are empty (see active.hpp). `first` is the index, as counted by the runs, of pixel 0
  // of the call. The runs ascend and do not overlap; without runs, `pixels` may be null. The result has the
  // same bits as with dense pixels.
  bool sparse = false;
  std::span<const ActiveRun> runs = {};
  std::int64_t first = 0;
};

// One colour behind finished pixels. over, add, max and min combine it like the farthest image; closest shows
// it where no image has a depth below `depth`, which becomes the depth of the pixel.
class Background {
 public:
  // `colour`: one premultiplied value per channel of the format; 0..1 for uint8 images. Throws ArgumentError
  // for a wrong number of values, or if check_format() does.
  Background(Op op, const Format& format, std::span<const float> colour,
             float depth = std::numeric_limits<float>::infinity());

  // Put the background behind n pixels of the format.
  void apply(Pixels out, std::int64_t n) const;
  // `at_once` pixels of the background behind empty ones, in the format.
  static constexpr std::int64_t at_once = 1024;
  ConstPixels alone() const { return {alone_.data(), alone_depth_.data()}; }
  // For closest: the background's depth, and one pixel of it in the images' format.
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

// Scalar type in which a composite of several images travels: the images' own, but float32 for `over` on
// uint8. This keeps stages from accumulating rounding errors, and preserves sums above 1 (from pixels with
// colour and alpha 0) until a nearer image dims them.
Scalar partial_scalar(Scalar scalar, Op op);

// Scalar type in which a chain can be interrupted and resumed without changing a bit: float32, or the images'
// own if the operator only selects (closest).
Scalar accumulator_scalar(Scalar scalar, Op op);

// Whether finished pixels are written through the caches or past them. Streaming stores are cheaper if nobody
// reads the pixels while they would still be cached.
enum class Stores : std::uint8_t { cached, streaming };

// out[i] = (...((chain[0] op chain[1]) op chain[2]) ...)[i] for 0 <= i < n, where each link joins from its
// side: `front` means op(link, result so far), `back` op(result so far, link). The association is fixed by
// the list, so the bits depend only on the chain, never on the processor or on how the chain was divided into
// calls (if intermediate results are kept in accumulator_scalar()).
//
// The arithmetic is float32 (uint8 is scaled to [0, 1]). The result is rounded once into `out_scalar`, to
// nearest, ties to even, saturating. Every NaN made by an operator is 0x7fc00000. `out` may be the memory of
// chain[0] if both scalar types have the same size; no other overlap is allowed. A chain of one link is
// converted (a sparse one is expanded). No alignment is needed. With `depth`, every link and `out` have a
// depth plane. A background, made for `op` and the format of `out`, is put behind the rounded pixels while
// they are in the cache. Throws ArgumentError if a plane is missing, the chain is empty, n is negative or
// check_format() does.
void blend(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar,
           std::int64_t n, const Background* background = nullptr, Stores stores = Stores::cached);

// Throw the errors of blend() for these arguments, also for n = 0.
void check_chain(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar,
                 std::int64_t n);

// The plainest implementation of blend(). Tests compare the kernels with it, bit for bit.
void blend_reference(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out,
                     Scalar out_scalar, std::int64_t n);

// Fill n pixels with the neutral element of blending (over: 0; add: -0; max: -infinity or 0; min: +infinity
// or the maximum value; closest: 0 with depth +infinity). Depth planes become +infinity.
void fill_identity(Op op, const Format& format, Pixels out, std::int64_t n);

// Fill n pixels of an image to which no rank contributed: fill_identity() if a background will be put behind
// it, otherwise zero colour and depth +infinity.
void fill_absent(Op op, const Format& format, bool background, Pixels out, std::int64_t n);

// Put a background of this colour behind n finished pixels.
void apply_background(Op op, const Format& format, std::span<const float> background, Pixels out,
                      std::int64_t n);

// Write n pixels of straight RGBA with each colour multiplied by its alpha; alpha and depth are unchanged.
// float32 and float16 are rounded once, uint8 as colour * alpha / 255 to nearest. `out` may be the input.
// Throws ArgumentError for a format without alpha.
void premultiply(const Format& format, ConstPixels straight, Pixels out, std::int64_t n);

// Instruction sets with kernels in this build that this processor supports, best first ("x86-64-v4",
// "x86-64-v3", "baseline"). blend() uses the first unless use_target() selected another.
std::vector<std::string> kernel_targets();
// Select one of kernel_targets() for the whole process, for tests and benchmarks. Throws ArgumentError.
void use_target(const std::string& name);

}  // namespace sortlast
