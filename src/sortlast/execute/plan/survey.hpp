// Survey: what a rank finds in its own image before the ranks agree on how to composite.
#pragma once

#include <cstdint>
#include <optional>

#include "sortlast/compositor.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/plan/coverage.hpp"

namespace sortlast {

// What the choices of a frame depend on; the rest stays as it is.
struct Survey {
  std::optional<Rectangle> bounds;  // outside which the image is empty, if worth knowing
  std::uint64_t emptiness = 0;      // log2 of all pixels to active ones; of all ranks: of the one with most
  Coverage coverage = {};           // what the rank will have to send; of all ranks: their sum
};

// Bounds that can be made use of: those that were given or, looking for them (`sparse`), those of the active
// pixels if they leave out enough. Mates read an image nearly as fast as it can be looked through, so where
// all ranks are mates, one is not unless few of its pixels seem to be active.
std::optional<Rectangle> find_bounds(const ImageView& image, bool sparse, const Node& node);

// How many times as many pixels as active ones an image has, as a power of 2 that all ranks can agree on.
std::uint64_t emptiness_of(const ImageView& image, const std::optional<Rectangle>& bounds);

// What this rank will have to send of its image; all of it if empty pixels are not left out.
Coverage own_coverage(const ImageView& image, const std::optional<Rectangle>& bounds, bool sparse);

}  // namespace sortlast
