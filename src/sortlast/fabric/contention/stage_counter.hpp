// The plain way to count a stage: walk every flow of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/fabric/contention/channel_loads.hpp"
#include "sortlast/fabric/contention/path_walker.hpp"
#include "sortlast/fabric/pattern.hpp"
#include "sortlast/fabric/placement.hpp"

namespace sortlast::fabric {

// Throws ArgumentError unless each entry is a host or -1.
void check_hosts(const Topology& topology, const Placement& placement);
// The same, and unless the placement has one entry a participant.
void check_placement(const Topology& topology, const Pattern& pattern, const Placement& placement);

// Holds the flows of one stage at a time, 4 bytes a channel of their paths.
class StageCounter {
 public:
  StageCounter(const PathWalker& walker, const Placement& placement);

  // Takes off the stage before, and puts the flows of this one on the channels.
  void count(std::span<const Flow> flows);
  // Channels of flow i; none if an end of it is a dummy, or both are the same host.
  std::span<const Channel> path(std::size_t i) const { return rows_.row(i); }
  // Most flows on a channel of flow i's path; 0 if it has none.
  std::int32_t fullest(std::size_t i) const { return loads_.fullest(rows_.row(i)); }
  // [m]: flows whose fullest channel carries m flows.
  const std::vector<std::int64_t>& flows_by_fullest();
  ChannelLoads& loads() { return loads_; }
  const ChannelLoads& loads() const { return loads_; }

 private:
  const PathWalker& walker_;
  const Placement& placement_;
  PathRows rows_;
  ChannelLoads loads_;
  std::vector<std::int64_t> flows_by_fullest_;
};

}  // namespace sortlast::fabric
