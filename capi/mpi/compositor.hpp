// Handles of compositors and tiles, and conversion of the options that C callers pass to a compositor or to a
// measurement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "handle.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast/tune.hpp"
#include "sortlast_mpi.h"

struct sortlast_compositor : sortlast::capi::Handle {
  std::optional<sortlast::Compositor> compositor = {};  // none if making it failed, or when it is closed
  bool closed = false;
  std::vector<std::int32_t> ranks = {};
  std::string algorithm = {};
  std::string explanation = {};
  std::vector<sortlast_event> events = {};
};

struct sortlast_tile {
  std::optional<sortlast::Tile> tile = {};
  std::vector<sortlast_range> ranges = {};  // of the image
};

namespace sortlast::capi {

// Throws UsageError if it is closed, ArgumentError if it was never made.
inline Compositor& made(sortlast_compositor& handle) {
  if (handle.compositor) return *handle.compositor;
  if (handle.closed) throw UsageError("this compositor is closed; make a new one");
  throw ArgumentError("this compositor was not made; check the status of its creation");
}

// All defaults for null. All throw ArgumentError for an invalid size, number or array. The size of `comm` is
// the length of the ring.
Options options_of(const sortlast_options* options, MPI_Comm comm);
TuneOptions tune_options_of(const sortlast_tune_options* options);

// Does nothing if `to` is null. `to` must hold its size.
void write_machine(const Machine& machine, sortlast_machine* to);

}  // namespace sortlast::capi
