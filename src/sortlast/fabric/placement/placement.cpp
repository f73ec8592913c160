// Orders of hosts, schedulers and block mappings.
//
// Routing order is leaf by leaf in the order of OpenSM's ftree, and within a leaf by port. "routing-dummies"
// keeps the places of missing hosts for the following reason. Shift is free of contention under D-mod-K, or
// ftree on an intact tree, because at every stage the destinations of a leaf are consecutive and use its
// up-ports in turn. A host that is left out of the list shifts all hosts after it, and two flows meet. A
// dummy in its place keeps them apart, at the cost of stages in which some ranks are idle. A whole subtree
// below the roots can be left out: the places in all other subtrees stay the same, modulo the up-ports of
// every level. A single leaf of a taller tree cannot.
//
// Block mappings: consecutive ranks fill one block of a torus after the other, so that ranks which exchange
// large messages in the first rounds of radix-k are near each other. Peterka, Goodell, Ross, Shen, Thakur, "A
// Configurable Algorithm for Parallel Image-Compositing Applications" (2009), section 4.3.
#include "sortlast/fabric/placement.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/nodes.hpp"
#include "sortlast/fabric/placement/natural_order.hpp"
#include "sortlast/fabric/routing/ftree_tree.hpp"
#include "sortlast/fabric/topology.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

namespace {

using Hosts = std::vector<std::int32_t>;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void check_hosts(const Topology& topology, const Hosts& hosts) {
  std::vector<bool> member(static_cast<std::size_t>(topology.hosts()), false);
  for (const std::int32_t h : hosts) {
    if (h < 0 || h >= topology.hosts()) {
      throw ArgumentError("host " + std::to_string(h) + " does not exist: there are " +
                          std::to_string(topology.hosts()));
    }
    auto seen = member.begin() + h;
    if (*seen) throw ArgumentError("host '" + topology.label(h) + "' is given twice");
    *seen = true;
  }
}

Hosts all_hosts(const Topology& topology) {
  Hosts all(static_cast<std::size_t>(topology.hosts()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// A number below `bound`, uniformly distributed. (The distributions of standard libraries differ.)
std::size_t draw(std::mt19937_64& random, std::size_t bound) {
  const std::uint64_t limit = random.max() - random.max() % bound;
  for (;;) {
    const std::uint64_t value = random();
    if (value < limit) return value % bound;
  }
}

// Fisher and Yates.
void shuffle(Hosts& hosts, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = hosts.size(); left > 1; --left) {
    std::swap(hosts[left - 1], hosts[draw(random, left)]);
  }
}

template <typename Less>
void sort_by_name(const Topology& topology, Hosts& hosts, Less less) {
  std::sort(hosts.begin(), hosts.end(), [&](std::int32_t a, std::int32_t b) {
    const std::string &x = topology.host(a).name, &y = topology.host(b).name;
    if (less(x, y)) return true;
    return !less(y, x) && a < b;
  });
}

// Uses as few switches as possible: the fullest first, and finally the smallest that suffices. `free` and the
// result are in routing order.
Hosts take_leaves(const Topology& topology, const Hosts& free, std::size_t n) {
  std::map<Vertex, Hosts> leaves;
  for (const std::int32_t h : free) leaves[topology.attachment(h).vertex].push_back(h);
  std::set<std::int32_t> taken;
  while (taken.size() < n) {
    const std::size_t needed = n - taken.size();
    const auto better = [&](const auto& a, const auto& b) {
      const std::size_t x = a.second.size(), y = b.second.size();
      if ((x >= needed) != (y >= needed)) return x >= needed;
      return x >= needed ? x < y : x > y;
    };
    const auto leaf = std::min_element(leaves.begin(), leaves.end(), better);
    for (std::size_t i = 0; i < std::min(needed, leaf->second.size()); ++i) taken.insert(leaf->second[i]);
    leaves.erase(leaf);
  }
  Hosts result;
  std::copy_if(free.begin(), free.end(), std::back_inserter(result),
               [&](std::int32_t h) { return taken.contains(h); });
  return result;
}

// The compute hosts of one leaf.
struct LeafPlaces {
  std::int32_t subtree = 0;         // number of its subtree below the roots
  std::vector<std::int32_t> hosts;  // compute hosts, by port
};

// By switch: number of its connected part after the removal of the roots; each root is a separate part.
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

// Leaves in order. If ftree does not see a tree (a single switch, a grid), the switches with compute hosts by
// number, each as a separate subtree. Hosts of `compute` above the leaves of a tree have no place.
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
    places.push_back({tree ? part[static_cast<std::size_t>(s)] : s, std::move(hosts)});
  }
  return places;
}

// The hosts in routing order; with `dummies`, -1 in the places of others, as described for order_hosts().
// `hosts` must be distinct.
Placement order_by_routing(const Topology& topology, const std::vector<std::int32_t>& hosts,
                           const std::vector<std::int32_t>& compute, bool dummies) {
  std::vector<bool> left(static_cast<std::size_t>(topology.hosts()), false);
  for (const std::int32_t h : hosts) left[static_cast<std::size_t>(h)] = true;
  const std::vector<LeafPlaces> leaves =
      leaf_places(topology, compute.empty() ? compute_hosts(topology) : compute);

  // Find the maximum number of hosts on a leaf, and the subtrees with hosts of the list.
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

  // Append the hosts without a place.
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

}  // namespace

std::vector<std::int32_t> compute_hosts(const Topology& topology) {
  const Levels levels = levels_of(topology);
  std::vector<std::int32_t> hosts;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const auto s = static_cast<std::size_t>(topology.switch_of(topology.attachment(h).vertex));
    if (levels.why.empty() && levels.level[s] != 1) continue;
    if (is_compute_host(topology.host(h))) hosts.push_back(h);
  }
  return hosts;
}

std::vector<std::string> host_orders() {
  return {"routing", "routing-dummies", "listed", "alphabetical", "natural", "random"};
}

Placement order_hosts(const Topology& topology, std::string_view order, std::vector<std::int32_t> hosts,
                      std::uint64_t seed, const std::vector<std::int32_t>& compute) {
  if (hosts.empty()) hosts = all_hosts(topology);
  check_hosts(topology, hosts);
  check_hosts(topology, compute);
  if (order == "routing" || order == "routing-dummies") {
    return order_by_routing(topology, hosts, compute, order == "routing-dummies");
  }
  if (order == "alphabetical") {
    sort_by_name(topology, hosts, std::less<std::string_view>());
  } else if (order == "natural") {
    sort_by_name(topology, hosts, natural_less);
  } else if (order == "random") {
    shuffle(hosts, seed);
  } else if (order != "listed") {
    throw ArgumentError("there is no order '" + std::string(order) + "'; expected one of " +
                        listed(host_orders()));
  }
  return hosts;
}

std::vector<std::string> schedulers() { return {"contiguous", "random", "leaf"}; }

Placement allocate_hosts(const Topology& topology, std::string_view scheduler, std::int32_t n,
                         std::vector<std::int32_t> free, std::uint64_t seed) {
  if (free.empty()) free = compute_hosts(topology);
  const auto all = static_cast<std::int32_t>(free.size());
  if (n < 1 || n > all) {
    throw ArgumentError("a job of " + std::to_string(n) + " hosts; expected 1 to the " + std::to_string(all) +
                        " that are free");
  }
  free = order_hosts(topology, "routing", std::move(free));
  const auto count = static_cast<std::size_t>(n);
  if (scheduler == "leaf") return take_leaves(topology, free, count);
  if (scheduler == "random") {
    shuffle(free, seed);
  } else if (scheduler != "contiguous") {
    throw ArgumentError("there is no scheduler '" + std::string(scheduler) + "'; expected one of " +
                        listed(schedulers()));
  }
  free.resize(count);
  return order_hosts(topology, "routing", std::move(free));
}

namespace {

void check_block(const Topology& grid, const GridShape& shape, const std::vector<std::int32_t>& block) {
  if (block.size() != shape.size.size()) {
    throw ArgumentError("a block of " + std::to_string(block.size()) + " dimensions for '" + grid.name() +
                        "'; expected " + std::to_string(shape.size.size()));
  }
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i] >= 1 && shape.size[i] % block[i] == 0) continue;
    throw ArgumentError("blocks of size " + std::to_string(block[i]) + " along dimension " +
                        std::to_string(i + 1) + " do not fill the " + std::to_string(shape.size[i]) +
                        " switches of '" + grid.name() + "'; expected a divisor of that");
  }
}

}  // namespace

Placement block_mapping(const Topology& grid, const std::vector<std::int32_t>& block) {
  const auto* shape = std::get_if<GridShape>(&grid.shape());
  if (shape == nullptr) {
    throw ArgumentError("'" + grid.name() + "' is no intact mesh or torus; blocks are parts of one");
  }
  check_block(grid, *shape, block);

  Placement placement;
  for (std::int32_t i = 0; i < grid.switches(); ++i) {
    // Split i into coordinates within the block (x fastest), then of the block, and find that switch.
    std::int32_t rest = i;
    std::vector<std::int32_t> at;
    for (const std::int32_t extent : block) {
      at.push_back(rest % extent);
      rest /= extent;
    }
    std::int32_t s = 0, stride = 1;
    for (std::size_t d = 0; d < block.size(); ++d) {
      const std::int32_t blocks = shape->size[d] / block[d];
      s += stride * (at[d] + block[d] * (rest % blocks));
      rest /= blocks;
      stride *= shape->size[d];
    }
    for (std::int32_t port = 1; port <= shape->hosts; ++port) {
      placement.push_back(grid.target(grid.channel(s, port)).vertex);
    }
  }
  return placement;
}

}  // namespace sortlast::fabric
