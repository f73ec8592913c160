#include "sortlast/fabric/contention/stage_counter.hpp"

#include <string>

#include "sortlast/error.hpp"

namespace sortlast::fabric {

void check_hosts(const Topology& topology, const Placement& placement) {
  for (std::size_t i = 0; i < placement.size(); ++i) {
    if (placement[i] >= -1 && placement[i] < topology.hosts()) continue;
    throw ArgumentError("participant " + std::to_string(i) + " is placed on host " +
                        std::to_string(placement[i]) + "; expected 0 to " +
                        std::to_string(topology.hosts() - 1) + ", or -1 for a dummy");
  }
}

void check_placement(const Topology& topology, const Pattern& pattern, const Placement& placement) {
  if (placement.size() != static_cast<std::size_t>(pattern.participants())) {
    throw ArgumentError("a placement of " + std::to_string(placement.size()) +
                        " participants for a pattern of " + std::to_string(pattern.participants()) +
                        "; expected one entry a participant");
  }
  check_hosts(topology, placement);
}

StageCounter::StageCounter(const PathWalker& walker, const Placement& placement)
    : walker_(walker), placement_(placement), loads_(walker.topology().channels()) {}

void StageCounter::count(std::span<const Flow> flows) {
  for (std::size_t r = 0; r < rows_.rows(); ++r) loads_.remove(rows_.row(r));
  rows_.resize(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const std::int32_t source = placement_[static_cast<std::size_t>(flows[i].source)];
    const std::int32_t destination = placement_[static_cast<std::size_t>(flows[i].destination)];
    if (source < 0 || destination < 0) continue;
    walker_.walk_whole(source, destination, rows_, i);
    loads_.add(rows_.row(i));
  }
}

const std::vector<std::int64_t>& StageCounter::flows_by_fullest() {
  flows_by_fullest_.assign(static_cast<std::size_t>(loads_.top()) + 1, 0);
  for (std::size_t i = 0; i < rows_.rows(); ++i) ++flows_by_fullest_[static_cast<std::size_t>(fullest(i))];
  flows_by_fullest_[0] = 0;
  return flows_by_fullest_;
}

}  // namespace sortlast::fabric
