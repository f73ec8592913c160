// Links that are slower than their neighbours: cables that trained at a lower width or speed.
//
// No file states the rate that a link should have, but most of its neighbours have it. A rate is compared
// with the most common one of the same kind at both ends, because a switch may have only slow up-links: then
// each of them is slow for its upper switch. Hosts of older adapters, which are slower than the ports of
// their leaf, are compared with the other hosts of the leaf only.
#include <algorithm>
#include <map>
#include <utility>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

namespace {

enum class Kind { host, up, down, other };

// Links of one kind at a switch: how many have each rate.
using Rates = std::map<std::pair<std::int32_t, Kind>, std::map<double, std::int32_t>>;

Kind kind_of(const Topology& topology, const Levels& levels, std::int32_t s, const End& end) {
  if (topology.is_host(end.vertex)) return Kind::host;
  const auto level = [&](std::int32_t of) { return levels.level[static_cast<std::size_t>(of)]; };
  const std::int32_t here = level(s), there = level(topology.switch_of(end.vertex));
  return here < there ? Kind::up : here > there ? Kind::down : Kind::other;
}

// The most common rate; of equally common ones the fastest.
double usual(const std::map<double, std::int32_t>& counts) {
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) {
                            return std::pair(a.second, a.first) < std::pair(b.second, b.first);
                          })
      ->first;
}

}  // namespace

std::vector<SlowLink> slow_links(const Topology& topology) {
  const Levels levels = levels_of(topology);
  Rates rates;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
      const Channel c = topology.channel(s, port);
      const End& end = topology.target(c);
      if (!end.connected() || !(topology.gbps(c) > 0)) continue;
      ++rates[{s, kind_of(topology, levels, s, end)}][topology.gbps(c)];
    }
  }

  std::vector<SlowLink> slow;
  for (Channel c = 0; c < topology.channels(); ++c) {
    const End &from = topology.source(c), &to = topology.target(c);
    if (!to.connected() || topology.reverse(c) < c || !(topology.gbps(c) > 0)) continue;
    double expected = 0;
    const auto compare = [&](const End& here, const End& there) {
      if (topology.is_host(here.vertex)) return;
      const std::int32_t s = topology.switch_of(here.vertex);
      expected = std::max(expected, usual(rates[{s, kind_of(topology, levels, s, there)}]));
    };
    compare(from, to);
    compare(to, from);
    if (topology.gbps(c) < expected) slow.push_back({c, topology.gbps(c), expected});
  }
  return slow;
}

}  // namespace sortlast::fabric
