#include "sortlast/fabric/placement/leaf_places.hpp"

#include <queue>
#include <utility>

#include "sortlast/fabric/routing/ftree_tree.hpp"
#include "sortlast/fabric/edit.hpp"

namespace sortlast::fabric {

namespace {

// By switch: number of the part that it is in once the roots are gone; roots are parts of their own.
std::vector<std::int32_t> subtrees_below(const Topology& topology, const std::vector<std::int32_t>& roots) {
  std::vector<bool> root(static_cast<std::size_t>(topology.switches()), false);
  for (const std::int32_t s : roots) root[static_cast<std::size_t>(s)] = true;
  std::vector<std::int32_t> part(static_cast<std::size_t>(topology.switches()), -1);
  for (std::int32_t first = 0; first < topology.switches(); ++first) {
    if (part[static_cast<std::size_t>(first)] >= 0) continue;
    part[static_cast<std::size_t>(first)] = first;
    std::queue<std::int32_t> queue;
    if (!root[static_cast<std::size_t>(first)]) queue.push(first);
    for (; !queue.empty(); queue.pop()) {
      const std::int32_t s = queue.front();
      for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
        const End& end = topology.target(topology.channel(s, port));
        if (!end.connected() || topology.is_host(end.vertex)) continue;
        const auto other = static_cast<std::size_t>(topology.switch_of(end.vertex));
        if (root[other] || part[other] >= 0) continue;
        part[other] = first;
        queue.push(static_cast<std::int32_t>(other));
      }
    }
  }
  return part;
}

// Compute hosts of a switch by port.
std::vector<std::int32_t> hosts_on(const Topology& topology, const std::vector<bool>& compute,
                                   std::int32_t s) {
  std::vector<std::int32_t> hosts;
  for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
    const Vertex v = topology.target(topology.channel(s, port)).vertex;
    if (v >= 0 && topology.is_host(v) && compute[static_cast<std::size_t>(v)]) hosts.push_back(v);
  }
  return hosts;
}

}  // namespace

std::vector<LeafPlaces> leaf_places(const Topology& topology, const std::vector<std::int32_t>& compute) {
  const Levels levels = levels_of(topology);
  const auto on_leaf = [&](std::int32_t h) {
    const std::int32_t s = topology.switch_of(topology.attachment(h).vertex);
    return !levels.why.empty() || levels.level[static_cast<std::size_t>(s)] == 1;
  };
  RouteOptions options{.roots = levels.roots};
  std::vector<bool> placed(static_cast<std::size_t>(topology.hosts()), false);
  for (const std::int32_t h : compute) {
    if (!on_leaf(h)) continue;
    options.compute.push_back(h);
    placed[static_cast<std::size_t>(h)] = true;
  }
  if (options.compute.empty()) return {};

  std::vector<std::int32_t> leaves;
  if (levels.why.empty()) leaves = make_ftree_tree(topology, options).leaves;
  const bool tree = !leaves.empty();
  const std::vector<std::int32_t> part = subtrees_below(topology, levels.roots);
  for (std::int32_t s = 0; !tree && s < topology.switches(); ++s) leaves.push_back(s);
  std::vector<LeafPlaces> places;
  for (const std::int32_t s : leaves) {
    std::vector<std::int32_t> hosts = hosts_on(topology, placed, s);
    if (hosts.empty() && !tree) continue;
    places.push_back({s, tree ? part[static_cast<std::size_t>(s)] : s, std::move(hosts)});
  }
  return places;
}

}  // namespace sortlast::fabric
