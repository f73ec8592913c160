// Failures: what the loss of a single link or switch costs a job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/pattern.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// One failed part, and the job on the fabric without it, which is routed again.
struct Failure {
  Channel channel = -1;  // one direction of a failed link; -1: a switch failed
  std::int32_t failed_switch = -1;
  std::int32_t lost = 0;       // participants on a failed switch: the job stops, and has no time
  double seconds = 0;          // of the pattern, as PatternTime::synchronised
  std::int32_t max_flows = 0;  // on a channel at any stage
  std::string engine = {};     // that routes the remaining fabric
  std::string why = {};  // why the job stops, or why the engine is not the requested one; empty: neither
};

// The cost of every single failure: of each link between switches, and of each switch. Without the part, and
// without_stranded() ones, the fabric is routed by the engine with the same options, as a subnet manager
// does; roots and compute hosts that are lost leave these lists. Sorted by cost: first the failures that stop
// the job, then by falling time; equal ones in the order of links, then switches. Uses options.threads
// threads. Throws as route(), contention() and pattern_time() do for the intact fabric.
SORTLAST_API std::vector<Failure> single_failures(const std::shared_ptr<const Topology>& topology,
                                                  std::string_view engine, const RouteOptions& route_options,
                                                  const Pattern& pattern, const Placement& placement,
                                                  double link_bytes_per_second,
                                                  const AnalysisOptions& options = {});

}  // namespace sortlast::fabric
