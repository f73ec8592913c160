// Partition: how a frame's image is shared out to the ranks, from where in it all of them have drawn.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sortlast/image.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/schedule/interleaving.hpp"

namespace sortlast {

// Active pixels in each band of the image's rows, all bands as high as each other.
using Coverage = std::array<std::uint64_t, 16>;

// Of one image: `active` is the share of active pixels inside the rectangle (none: in the image).
Coverage coverage_of(const std::optional<Rectangle>& bounds, Size size, double active);

// By how much the one of p contiguous pieces of the image that holds most active pixels passes their mean: 1
// or more, and 1 if there are none.
double unevenness_of(const Coverage& all, std::int32_t p);

struct Sharing {
  Interleaving interleaving = {};
  double unevenness = 0;  // of contiguous pieces, from which an automatic partition was chosen; 0: none was
};

// Of n pixels to p ranks. `coverage` is that of all ranks; null: nothing is chosen, and what is automatic
// is contiguous. The same on every rank, if the arguments are.
Sharing share_out(Partition partition, std::int64_t n, std::int32_t p, const Coverage* coverage,
                  const Machine& machine);

// Whether an interleaving saves time where ranks talk over a network. The most loaded rank receives
// `unevenness` times the mean of bytes without it, and the mean with it; what it costs is a copy of each byte
// that is sent, at most, as the pixels of a message lie apart then.
bool interleaving_pays(double unevenness, const Machine& machine);

}  // namespace sortlast
