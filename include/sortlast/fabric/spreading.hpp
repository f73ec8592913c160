// Spreading: flows split over several paths at once, as by adaptive routing and packet spraying, and the
// minimum load of the fullest link under such splitting.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/pattern.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {

// The ports by which each switch may forward packets to each switch with hosts.
class AllowedPorts;

// The paths of a topology over which flows may be split.
struct Spreading {
  std::string name;
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<const AllowedPorts> allowed;
};

struct SpreadingEntry {
  std::string name;
  std::string summary;  // one sentence
};
// shortest, ar-updn, ar-ftree.
SORTLAST_API std::span<const SpreadingEntry> spreadings();
// Throws ArgumentError for an unknown name, and for a fabric that the spreading refuses, with the reason.
SORTLAST_API Spreading spreading(std::shared_ptr<const Topology> topology, std::string_view name,
                                 const RouteOptions& options = {});

struct ChannelShare {
  Channel channel = 0;
  double share = 0;  // part of the flow that crosses it, above 0 and up to 1
};
// Share of a flow from host to host on each channel if every switch splits the flow evenly among its allowed
// ports. The channels are in an order in which the flow may cross them: the first leaves `source`, the last
// enters `destination`. None if they are the same. Throws Error if no path leads there.
SORTLAST_API std::vector<ChannelShare> even_shares(const Spreading& spreading, std::int32_t source,
                                                   std::int32_t destination);

// Flows on the fullest channel at every stage of a pattern. Static tables put whole flows on a channel;
// tables that use the same paths have at least `bound` flows on the fullest one.
struct SpreadContention {
  std::vector<double> even;   // every switch splits each flow evenly among its ports
  std::vector<double> best;   // the best splitting of all flows over their paths that was found
  std::vector<double> bound;  // lower bound over all splittings on these paths
};

struct SpreadOptions {
  double gap = 0.01;           // a stage is done when best <= (1 + gap) bound ...
  std::int32_t rounds = 2000;  // ... or after this many rounds
  Progress progress = {};
};

// Throws ArgumentError as contention() does, and for a gap or rounds below 0; Error if two hosts have no
// path.
SORTLAST_API SpreadContention spread_contention(const Spreading& spreading, const Pattern& pattern,
                                                const Placement& placement,
                                                const SpreadOptions& options = {});

}  // namespace sortlast::fabric
