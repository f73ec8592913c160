// Sharing: how a frame's image is shared out to the ranks, and why so.
#pragma once

#include <cstdint>

#include "sortlast/execute/plan/coverage.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/schedule/interleaving.hpp"

namespace sortlast {

struct Sharing {
  Interleaving interleaving = {};
  double unevenness = 0;  // of contiguous pieces, from which an automatic partition was chosen; 0: none was
};

// Of n pixels to p ranks. `coverage` are those of all ranks; null: nothing is chosen, and what is automatic
// is contiguous. The same on every rank, if the arguments are.
Sharing share_out(Partition partition, std::int64_t n, std::int32_t p, const Coverage* coverage,
                  const Machine& machine);

// Whether an interleaving saves time where ranks talk over a network. The most loaded rank receives
// `unevenness` times the mean of bytes without it, and the mean with it; what it costs is a copy of each byte
// that is sent, at most, as the pixels of a message lie apart then.
bool interleaving_pays(double unevenness, const Machine& machine);

}  // namespace sortlast
