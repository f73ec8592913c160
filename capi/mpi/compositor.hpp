// Handles of compositors and tiles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "handle.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast_mpi.h"

struct sortlast_compositor : sortlast::capi::Handle {
  std::optional<sortlast::Compositor> compositor = {};  // none if making it failed, or when it is closed
  bool closed = false;
  std::string algorithm = {};
  std::string explanation = {};
  std::vector<sortlast_event> events = {};
};

struct sortlast_tile {
  std::optional<sortlast::Tile> tile = {};
  std::vector<sortlast_range> ranges = {};  // of the image
};

namespace sortlast::capi {

// Throws ArgumentError if there is none.
inline Compositor& made(sortlast_compositor& handle) {
  if (handle.compositor) return *handle.compositor;
  throw ArgumentError(handle.closed ? "this compositor is closed; make a new one"
                                    : "this compositor was not made; check the status of its creation");
}

}  // namespace sortlast::capi
