// Survey: what a rank makes of its own image, and finds in it, before the ranks agree on how to composite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sortlast/compositor.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/plan/choice.hpp"

namespace sortlast {

// What the choices of a frame depend on; the rest stays as it is.
struct Survey {
  std::optional<Rectangle> bounds;  // outside which the image is empty, if worth knowing
  std::uint64_t emptiness = 0;      // log2 of all pixels to active ones; of all ranks: of the one with most
  Coverage coverage = {};           // what the rank will have to send; of all ranks: their sum
};

// Images with straight alpha, multiplied by it in memory that the mates can read and that is used again from
// frame to frame.
class StraightImages {
 public:
  // The premultiplied image; valid until the next call. Throws std::bad_alloc, Error.
  ImageView premultiplied(const ImageView& straight, Node& node);

 private:
  Memory memory_;
  std::size_t bytes_ = 0;
};

// Throws ArgumentError if an image that was passed as premultiplied, to be composited by `over`, is not.
void check_premultiplied(const ImageView& image, const Composition& composition);

// Bounds that can be made use of: those that were given or, looking for them (`sparse`), those of the active
// pixels if they leave out enough. Mates read an image nearly as fast as it can be looked through, so where
// all ranks are mates, one is not unless few of its pixels seem to be active.
std::optional<Rectangle> find_bounds(const ImageView& image, bool sparse, const Node& node);

// How many times as many pixels as active ones an image has, as a power of 2 that all ranks can agree on.
std::uint64_t emptiness_of(const ImageView& image, const std::optional<Rectangle>& bounds);

// What this rank will have to send of its image; all of it if empty pixels are not left out.
Coverage own_coverage(const ImageView& image, const std::optional<Rectangle>& bounds, bool sparse);

}  // namespace sortlast
