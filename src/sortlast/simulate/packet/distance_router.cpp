// Shortest paths by breadth-first search from every switch that has hosts. The sets of ports that occur at a
// switch are few (27 at most in a 3D torus), so a table of two bytes a switch and leaf names them.
#include <algorithm>
#include <array>
#include <map>

#include "sortlast/error.hpp"
#include "sortlast/simulate/packet/routers.hpp"

namespace sortlast::simulate {
namespace {

// Hops from every switch to switch `to`; -1: no path.
std::vector<std::int32_t> distances(const fabric::Topology& topology, std::int32_t to) {
  std::vector<std::int32_t> distance(static_cast<std::size_t>(topology.switches()), -1);
  std::vector<std::int32_t> frontier{to};
  distance[static_cast<std::size_t>(to)] = 0;
  for (std::size_t next = 0; next < frontier.size(); ++next) {
    const std::int32_t s = frontier[next];
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
      const fabric::End& end = topology.target(topology.channel(s, port));
      if (!end.connected() || topology.is_host(end.vertex)) continue;
      std::int32_t& there = distance[static_cast<std::size_t>(topology.switch_of(end.vertex))];
      if (there >= 0) continue;
      there = distance[static_cast<std::size_t>(s)] + 1;
      frontier.push_back(topology.switch_of(end.vertex));
    }
  }
  return distance;
}

using Ports = std::vector<fabric::Channel>;

// Ports of a switch that lead to switches one hop nearer.
Ports nearer(const fabric::Topology& topology, std::int32_t s, const std::vector<std::int32_t>& distance) {
  Ports ports;
  for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
    const fabric::Channel c = topology.channel(s, port);
    const fabric::End& end = topology.target(c);
    if (!end.connected() || topology.is_host(end.vertex)) continue;
    const std::int32_t there = distance[static_cast<std::size_t>(topology.switch_of(end.vertex))];
    if (there >= 0 && there == distance[static_cast<std::size_t>(s)] - 1) ports.push_back(c);
  }
  return ports;
}

}  // namespace

bool DistanceRouter::reaches(std::int32_t source, std::int32_t destination) const {
  const auto s = static_cast<std::size_t>(switch_of_host_[static_cast<std::size_t>(source)]);
  return local_[s * leaves_ + leaf_of_host_[static_cast<std::size_t>(destination)]] != unreachable;
}

DistanceNetwork distance_network(const fabric::Topology& topology) {
  DistanceRouter router;
  const auto switches = static_cast<std::size_t>(topology.switches());

  // Number the switches that have hosts.
  std::vector<std::int32_t> leaves;
  std::vector<std::int32_t> leaf_of_switch(switches, -1);
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const std::int32_t s = topology.switch_of(topology.attachment(h).vertex);
    std::int32_t& leaf = leaf_of_switch[static_cast<std::size_t>(s)];
    if (leaf < 0) {
      leaf = static_cast<std::int32_t>(leaves.size());
      leaves.push_back(s);
    }
    router.switch_of_host_.push_back(s);
    router.leaf_of_host_.push_back(static_cast<std::uint32_t>(leaf));
  }
  router.leaves_ = leaves.size();

  // Name the set of ports of every switch towards every leaf.
  router.local_.assign(switches * leaves.size(), DistanceRouter::unreachable);
  std::vector<std::map<Ports, std::uint16_t>> sets(switches);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const std::vector<std::int32_t> distance = distances(topology, leaves[leaf]);
    for (std::size_t s = 0; s < switches; ++s) {
      std::uint16_t& local = router.local_[s * leaves.size() + leaf];
      if (distance[s] == 0) local = 0;
      if (distance[s] <= 0) continue;
      const Ports ports = nearer(topology, static_cast<std::int32_t>(s), distance);
      local = sets[s].try_emplace(ports, static_cast<std::uint16_t>(sets[s].size() + 1)).first->second;
      if (sets[s].size() + 1 >= DistanceRouter::unreachable) {
        throw Error("switch '" + topology.switch_at(static_cast<std::int32_t>(s)).name +
                    "' has more than 65,534 sets of shortest paths; use static routes");
      }
    }
  }

  // Make the groups: one domain a switch, because its sets overlap.
  NetworkBuilder builder(topology);
  router.group_of_host_.resize(static_cast<std::size_t>(topology.hosts()));
  for (std::size_t s = 0; s < switches; ++s) {
    const auto number = static_cast<std::int32_t>(s);
    bool begins = true;
    std::vector<const Ports*> by_name(sets[s].size());
    for (const auto& [ports, name] : sets[s]) by_name[name - 1u] = &ports;
    router.first_group_.push_back(0);
    for (std::size_t name = 0; name < by_name.size(); ++name) {
      const Group g = builder.add_group(number, *by_name[name], begins);
      if (begins) router.first_group_.back() = g;
      begins = false;
    }
    for (std::int32_t port = 1; port <= topology.switch_at(number).ports; ++port) {
      const fabric::Channel c = topology.channel(number, port);
      const fabric::End& end = topology.target(c);
      if (!end.connected() || !topology.is_host(end.vertex)) continue;
      router.group_of_host_[static_cast<std::size_t>(end.vertex)] =
          builder.add_group(number, std::array{c}, true);
    }
  }
  return {std::move(router), std::move(builder).finish()};
}

}  // namespace sortlast::simulate
