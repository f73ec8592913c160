// Levels of the switches of a fabric that has none stored.
//
// Problem. A file lists which ports are connected, but not which switch is a leaf and which a root. Up*/down*
// routing, drawings and the search for missing cables need this information.
//
// Model. A fabric is a tree if its switches can be given levels such that every link between switches joins
// neighbouring levels; several parents, and several links between the same two switches, are allowed.
//
// If roots are given (as to OpenSM's -a), a switch is ranked by its distance from the nearest of them, and
// level 1 is the rank of the switch with the maximum number of hosts. Adapters may then be anywhere. A switch
// below level 1 is rejected: usually a root is missing from the list.
//
// Without roots the levels follow from the distance of most hosts. In a tree of h levels, h - l links lead
// from a switch of level l up to a root and h - 1 down again, unless the host is below the switch or near it.
// So most hosts are 2 h - 1 - l switch links away, and h - 1 from a root. Take the 60 % quantile of every
// switch's distances to hosts: the minimum is h - 1, and each quantile gives its switch's level. The quantile
// is above one half, because one of a root's two children has half of the hosts; it is not much higher,
// because a root that has lost the link to one of three children sees a third of the hosts two links farther
// away. Hosts are sampled (256 of them, evenly by number), so that a fabric of S switches and E links costs
// O(256 E) and not O(S E).
//
// This tolerates the irregularities of real fabrics: adapters on spines (an aggregation node in each switch),
// leaves without hosts, cut cables. Rejected: levels as the distance from the nearest switch with hosts,
// OpenSM's ranking without roots. One adapter on a spine of three levels makes that spine a leaf, and a leaf
// without hosts becomes a root. It remains as the fallback if the quantiles contradict each other, as in a
// tree with roots of one child, or cannot be computed, as in planes that share no switch.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/topology.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

namespace {

using ByVertex = std::vector<std::int32_t>;

std::size_t index(std::int32_t s) { return static_cast<std::size_t>(s); }

// Why levels by these distances contradict the fabric; empty: they do not. `sources` describes where they
// start.
std::string contradiction(const Topology& topology, const SwitchGraph& graph, const ByVertex& distance,
                          const std::string& sources) {
  const auto name = [&](std::int32_t s) { return "'" + topology.label(topology.vertex_of_switch(s)) + "'"; };
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    if (distance[index(s)] < 0) return "switch " + name(s) + " cannot be reached from " + sources;
    for (const SwitchCable& cable : graph.cables(s)) {
      if (distance[index(cable.other)] != distance[index(s)]) continue;
      return "the link from port " + std::to_string(cable.port) + " of " + name(s) + " to " +
             name(cable.other) + " joins two switches that are equally far from " + sources + " (" +
             std::to_string(distance[index(s)]) + " links)";
    }
  }
  return {};
}

ByVertex host_counts(const Topology& topology) {
  ByVertex counts(index(topology.switches()), 0);
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    ++counts[index(topology.switch_of(topology.attachment(h).vertex))];
  }
  return counts;
}

Levels no_tree(const Topology& topology, std::string why) {
  return {ByVertex(index(topology.switches()), 0), {}, std::move(why)};
}

Levels rank_from_roots(const Topology& topology, const SwitchGraph& graph,
                       const std::vector<std::int32_t>& roots) {
  for (const std::int32_t s : roots) {
    if (s >= 0 && s < topology.switches()) continue;
    throw ArgumentError("root switch " + std::to_string(s) + " does not exist: there are " +
                        std::to_string(topology.switches()));
  }
  const ByVertex distance = distances(graph, roots);
  std::string why = contradiction(topology, graph, distance, "the roots");
  if (!why.empty()) return no_tree(topology, std::move(why));

  // Level 1 is the rank of the switch with the maximum number of hosts.
  const ByVertex counts = host_counts(topology);
  const auto leaf =
      static_cast<std::int32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  Levels result{{}, roots, {}};
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    result.level.push_back(1 + distance[index(leaf)] - distance[index(s)]);
    if (result.level.back() >= 1) continue;
    return no_tree(topology, "switch '" + topology.label(topology.vertex_of_switch(s)) +
                                 "' lies below the leaf switch '" +
                                 topology.label(topology.vertex_of_switch(leaf)) +
                                 "'; is it a root that was not given?");
  }
  return result;
}

Levels with_roots(std::vector<std::int32_t> level) {
  Levels result{std::move(level), {}, {}};
  const std::int32_t highest = *std::max_element(result.level.begin(), result.level.end());
  for (std::size_t s = 0; s < result.level.size(); ++s) {
    if (result.level[s] == highest) result.roots.push_back(static_cast<std::int32_t>(s));
  }
  return result;
}

// Level 1 consists of all switches with hosts.
Levels rank_from_hosts(const Topology& topology, const SwitchGraph& graph) {
  const ByVertex counts = host_counts(topology);
  std::vector<std::int32_t> leaves;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    if (counts[index(s)] > 0) leaves.push_back(s);
  }
  ByVertex level = distances(graph, leaves);
  std::string why = contradiction(topology, graph, level, "the switches with hosts");
  if (!why.empty()) return no_tree(topology, std::move(why));
  for (std::int32_t& l : level) ++l;
  return with_roots(std::move(level));
}

// Distance of each switch from the switches of most hosts; empty if some cannot be reached.
ByVertex usual_distances(const Topology& topology, const SwitchGraph& graph) {
  constexpr std::int64_t most_samples = 256;
  constexpr std::int64_t percent = 60;
  const std::int64_t samples = std::min<std::int64_t>(topology.hosts(), most_samples);
  std::map<std::int32_t, std::int64_t> weights;  // by switch: number of its hosts in the sample
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto h = static_cast<std::int32_t>(i * topology.hosts() / samples);
    ++weights[topology.switch_of(topology.attachment(h).vertex)];
  }

  // Count by switch how many hosts of the sample are at each distance.
  std::vector<std::map<std::int32_t, std::int64_t>> counts(index(topology.switches()));
  for (const auto& [leaf, weight] : weights) {
    const ByVertex distance = distances(graph, {leaf});
    for (std::size_t s = 0; s < counts.size(); ++s) {
      if (distance[s] < 0) return {};
      counts[s][distance[s]] += weight;
    }
  }
  ByVertex usual;
  for (const auto& by_distance : counts) {
    auto at = by_distance.begin();
    for (std::int64_t below = at->second; 100 * below <= percent * samples; below += at->second) ++at;
    usual.push_back(at->first);
  }
  return usual;
}

bool joins_neighbours(const SwitchGraph& graph, const ByVertex& level) {
  for (std::int32_t s = 0; s < graph.switches(); ++s) {
    for (const SwitchCable& cable : graph.cables(s)) {
      if (std::abs(level[index(cable.other)] - level[index(s)]) != 1) return false;
    }
  }
  return true;
}

}  // namespace

Levels rank_switches(const Topology& topology, const std::vector<std::int32_t>& roots) {
  if (topology.hosts() == 0) return no_tree(topology, "it has no hosts");
  const SwitchGraph graph(topology);
  if (!roots.empty()) return rank_from_roots(topology, graph, roots);
  ByVertex level = usual_distances(topology, graph);
  if (level.empty()) return rank_from_hosts(topology, graph);
  const std::int32_t height = 1 + *std::min_element(level.begin(), level.end());
  for (std::int32_t& l : level) l = 2 * height - 1 - l;
  const bool all_above_hosts = *std::min_element(level.begin(), level.end()) >= 1;
  return all_above_hosts && joins_neighbours(graph, level) ? with_roots(std::move(level))
                                                           : rank_from_hosts(topology, graph);
}

Levels levels_of(const Topology& topology) {
  if (topology.levels() == 0) return rank_switches(topology);
  Levels result;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    result.level.push_back(topology.level(s));
    if (topology.level(s) == topology.levels()) result.roots.push_back(s);
  }
  return result;
}

}  // namespace sortlast::fabric
