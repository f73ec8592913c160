// Visibility order from all ranks' boxes.
#include <algorithm>
#include <string>

#include "sortlast/error.hpp"
#include "visibility.hpp"

namespace sortlast::capi {

Box box_of(const sortlast_box* box) {
  if (box == nullptr) return {{1, 1, 1}, {-1, -1, -1}};  // empty
  Box result;
  std::copy_n(box->low, 3, result.low.begin());
  std::copy_n(box->high, 3, result.high.begin());
  return result;
}

Viewpoint viewpoint_of(const sortlast_viewpoint& viewpoint) {
  Viewpoint result;
  std::copy_n(viewpoint.position, 3, result.position.begin());
  result.parallel = viewpoint.parallel;
  return result;
}

}  // namespace sortlast::capi

using namespace sortlast;
using namespace sortlast::capi;

sortlast_status sortlast_visibility_create_from_boxes(const sortlast_box* boxes, int32_t count,
                                                      sortlast_viewpoint viewpoint,
                                                      sortlast_visibility** visibility) {
  return make_handle(visibility, [&](sortlast_visibility& made) {
    if (boxes == nullptr || count < 1)
      throw ArgumentError("no boxes (" + std::to_string(count) + "); expected one for each rank");
    std::vector<Box> all;
    for (std::int32_t rank = 0; rank < count; ++rank) all.push_back(box_of(boxes + rank));
    made.order = visibility_order(all, viewpoint_of(viewpoint));
  });
}

const int32_t* sortlast_visibility_order(const sortlast_visibility* visibility) {
  return visibility == nullptr || visibility->order.empty() ? nullptr : visibility->order.data();
}

const char* sortlast_visibility_message(const sortlast_visibility* visibility) {
  return message_of(visibility);
}

void sortlast_visibility_free(sortlast_visibility* visibility) { delete visibility; }
