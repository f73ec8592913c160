// Contention counted as its definition says: every flow walked on its own, loads in a map.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "sortlast/fabric/contention.hpp"

namespace sortlast::fabric::naive {

using Loads = std::map<Channel, std::int32_t>;

// The paths of a stage, dummies and flows within a host left out.
inline std::vector<std::vector<Channel>> paths(const Routes& routes, const Pattern& pattern,
                                               const Placement& placement, std::int64_t stage) {
  std::vector<std::vector<Channel>> result;
  for (const Flow& flow : pattern.flows(stage)) {
    const std::int32_t from = placement[static_cast<std::size_t>(flow.source)];
    const std::int32_t to = placement[static_cast<std::size_t>(flow.destination)];
    if (from >= 0 && to >= 0 && from != to) result.push_back(walk(routes, from, to));
  }
  return result;
}

inline Loads loads(const std::vector<std::vector<Channel>>& paths) {
  Loads result;
  for (const auto& path : paths) {
    for (const Channel c : path) ++result[c];
  }
  return result;
}

inline Contention contention(const Routes& routes, const Pattern& pattern, const Placement& placement) {
  Contention result;
  result.stages = pattern.stages();
  result.histogram.push_back(0);
  result.channel_max.resize(static_cast<std::size_t>(routes.topology->channels()), 0);
  double shares = 0;
  for (std::int64_t stage = 0; stage < pattern.stages(); ++stage) {
    const auto walked = paths(routes, pattern, placement, stage);
    const Loads load = loads(walked);
    std::int32_t stage_max = 0;
    for (const auto& [channel, flows] : load) {
      if (flows > result.max_flows) {
        result.max_flows = flows;
        result.worst_stage = stage;
        result.worst_channel = channel;
      }
      stage_max = std::max(stage_max, flows);
      auto& most = result.channel_max[static_cast<std::size_t>(channel)];
      most = std::max(most, flows);
      result.histogram.resize(std::max(result.histogram.size(), static_cast<std::size_t>(flows) + 1), 0);
      ++result.histogram[static_cast<std::size_t>(flows)];
    }
    double stage_shares = 0;
    for (const auto& path : walked) {
      std::int32_t fullest = 0;
      for (const Channel c : path) fullest = std::max(fullest, load.at(c));
      stage_shares += 1.0 / fullest;
    }
    const auto flows = static_cast<std::int64_t>(walked.size());
    result.stage_max.push_back(stage_max);
    result.stage_share.push_back(flows == 0 ? 1 : stage_shares / static_cast<double>(flows));
    shares += stage_shares;
    result.flows += flows;
  }
  result.mean_share = result.flows == 0 ? 1 : shares / static_cast<double>(result.flows);
  return result;
}

}  // namespace sortlast::fabric::naive
