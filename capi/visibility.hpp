// What C callers pass as boxes and viewpoints, as the library takes it; and visibility orders.
#pragma once

#include <cstdint>
#include <vector>

#include "handle.hpp"
#include "sortlast/visibility.hpp"

struct sortlast_visibility : sortlast::capi::Handle {
  std::vector<std::int32_t> order;
};

namespace sortlast::capi {

// An empty one for null.
Box box_of(const sortlast_box* box);
Viewpoint viewpoint_of(const sortlast_viewpoint& viewpoint);

}  // namespace sortlast::capi
