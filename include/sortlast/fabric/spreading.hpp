// Spreading: flows that are split over several ways at once, as packets are by adaptive routing and by
// spraying; and what is the least that the fullest link then carries.
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

// The ports by which each switch may send on what is meant for each switch with hosts.
class AllowedPorts;

// Ways that a flow may be split over, on a topology.
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
// Throws ArgumentError: no such name; a fabric that it refuses, and why.
SORTLAST_API Spreading spreading(std::shared_ptr<const Topology> topology, std::string_view name,
                                 const RouteOptions& options = {});

struct ChannelShare {
  Channel channel = 0;
  double share = 0;  // part of the flow that crosses it, above 0 and up to 1
};
// What of a flow from host to host crosses each channel, if every switch splits it evenly among its ports:
// its channels in an order in which it may cross them, the first leaves `source`, the last enters
// `destination`; none if they are the same. Throws Error if no way leads there.
SORTLAST_API std::vector<ChannelShare> even_shares(const Spreading& spreading, std::int32_t source,
                                                   std::int32_t destination);

// Flows on the fullest channel at every stage of a pattern. Static tables have whole flows on a channel, and
// at least `bound` of them where they keep to the same ways.
struct SpreadContention {
  std::vector<double> even;   // every switch splits each flow evenly among its ports
  std::vector<double> best;   // the best splitting of each flow over its ways that was found
  std::vector<double> bound;  // no splitting over these ways has less
};

struct SpreadOptions {
  double gap = 0.01;           // a stage is done when best <= (1 + gap) bound ...
  std::int32_t rounds = 2000;  // ... or after so many rounds
  Progress progress = {};
};

// Throws ArgumentError as contention() does, and for a gap or rounds below 0; Error if no way leads
// somewhere.
SORTLAST_API SpreadContention spread_contention(const Spreading& spreading, const Pattern& pattern,
                                                const Placement& placement,
                                                const SpreadOptions& options = {});

}  // namespace sortlast::fabric
