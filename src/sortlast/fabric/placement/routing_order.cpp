// Routing order, and what stands in the places of hosts that are not of the list.
//
// Why "routing-dummies" keeps the places of others. Shift is free of contention under D-mod-K, or ftree on an
// intact tree, because at every stage the destinations of a leaf follow each other, and so take its up-ports
// in turn. A host that is left out of the list shifts all that come after it, and two flows meet. A dummy in
// its place keeps them apart, and costs stages in which somebody is idle. A whole subtree below the roots can
// go: the places in all others stay what they were, modulo the up-ports of every level. A single leaf of a
// taller tree cannot.
#include "sortlast/fabric/placement/routing_order.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "sortlast/fabric/edit.hpp"
#include "sortlast/fabric/routing/ftree_tree.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

namespace {

// By switch: number of the part that it is in once the roots are gone; roots are parts of their own.
std::vector<std::int32_t> subtrees_below(const Topology& topology, const std::vector<std::int32_t>& roots) {
  const SwitchGraph graph(topology);
  std::vector<std::int32_t> part(static_cast<std::size_t>(topology.switches()), -1);
  for (const std::int32_t s : roots) part[static_cast<std::size_t>(s)] = s;
  for (std::int32_t first = 0; first < topology.switches(); ++first) {
    if (part[static_cast<std::size_t>(first)] >= 0) continue;
    part[static_cast<std::size_t>(first)] = first;
    breadth_first(graph, {first}, [&](std::int32_t, const SwitchCable& cable) {
      std::int32_t& other = part[static_cast<std::size_t>(cable.other)];
      if (other >= 0) return false;
      other = first;
      return true;
    });
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

Placement order_by_routing(const Topology& topology, const std::vector<std::int32_t>& hosts,
                           const std::vector<std::int32_t>& compute, bool dummies) {
  std::vector<bool> left(static_cast<std::size_t>(topology.hosts()), false);
  for (const std::int32_t h : hosts) left[static_cast<std::size_t>(h)] = true;
  const std::vector<LeafPlaces> leaves =
      leaf_places(topology, compute.empty() ? compute_hosts(topology) : compute);

  // Find the most hosts on a leaf, and the subtrees in which hosts of the list are.
  std::size_t most = 0;
  std::set<std::int32_t> used;
  for (const LeafPlaces& leaf : leaves) {
    most = std::max(most, leaf.hosts.size());
    const bool any = std::any_of(leaf.hosts.begin(), leaf.hosts.end(),
                                 [&](std::int32_t h) { return left[static_cast<std::size_t>(h)]; });
    if (any) used.insert(leaf.subtree);
  }

  Placement placement;
  for (const LeafPlaces& leaf : leaves) {
    if (!used.contains(leaf.subtree)) continue;
    for (const std::int32_t h : leaf.hosts) {
      const bool ours = left[static_cast<std::size_t>(h)];
      if (ours || dummies) placement.push_back(ours ? h : -1);
      left[static_cast<std::size_t>(h)] = false;
    }
    if (dummies) placement.resize(placement.size() + most - leaf.hosts.size(), -1);
  }

  // Add those that have no place.
  std::vector<std::int32_t> others;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (left[static_cast<std::size_t>(h)]) others.push_back(h);
  }
  std::sort(others.begin(), others.end(), [&](std::int32_t a, std::int32_t b) {
    const End &x = topology.attachment(a), &y = topology.attachment(b);
    return std::tie(x.vertex, x.port) < std::tie(y.vertex, y.port);
  });
  placement.insert(placement.end(), others.begin(), others.end());
  return placement;
}

}  // namespace sortlast::fabric
