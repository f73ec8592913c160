// Mappings: the segments of other processes that this one has mapped.
#include "sortlast/execute/node/mappings.hpp"

namespace sortlast {

std::byte* Mappings::find(std::size_t owner, const SegmentName& name) {
  std::vector<Segment>& mapped = of_[owner];
  for (const Segment& segment : mapped) {
    if (segment.name() == name) return segment.data();
  }
  return mapped.emplace_back(name).data();
}

void Mappings::drop_closed() {
  for (std::vector<Segment>& mapped : of_)
    std::erase_if(mapped, [](const Segment& segment) { return segment.closed(); });
}

}  // namespace sortlast
