// Background: packets that other jobs send at random, in addition to the simulated traffic.
//
// On average such packets take the given share of every host's link: in each cycle a packet arrives with
// probability load / packet_phits, and goes to a host drawn at random. It is first in the queue of its host,
// once there is room. Packets have numbers after the messages of the traffic, one for each host and
// destination, so that routers and engine treat them like all others. A host draws from up to 64 others,
// chosen at random once: with more, every pair of hosts would have a number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sortlast/fabric/nodes.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/topology.hpp"
#include "sortlast/random.hpp"
#include "sortlast/simulate/packet/random.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

struct Background {
  // By task, where its packets' numbers begin, minus the number of the traffic's messages; the last entry is
  // their end. Empty: there is no background.
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> destination;  // task, by number minus the number of the traffic's messages

  bool any() const { return !destination.empty(); }
};

// Traffic with a task on every host, and their background.
struct Crowded {
  Traffic traffic;
  fabric::Placement placement;
  Background background;
};

// Up to 64 of all hosts but one, each once.
inline fabric::Placement draw_destinations(const fabric::Placement& hosts, std::int32_t host,
                                           SplitMix64& random) {
  constexpr std::size_t most = 64;
  fabric::Placement drawn;
  if (hosts.size() <= most + 1) {
    for (const std::int32_t other : hosts) {
      if (other != host) drawn.push_back(other);
    }
    return drawn;
  }
  while (drawn.size() < most) {
    const std::int32_t other = hosts[random.below(hosts.size())];
    if (other != host && std::find(drawn.begin(), drawn.end(), other) == drawn.end()) drawn.push_back(other);
  }
  return drawn;
}

// The traffic with its background, and with idle tasks on all hosts without a task. Aggregation nodes have
// none.
inline Crowded add_background(const fabric::Topology& topology, const Traffic& traffic,
                              const fabric::Placement& placement, std::uint64_t seed) {
  Crowded made{traffic, placement, {}};
  std::vector<std::int32_t> task_on(static_cast<std::size_t>(topology.hosts()), -1);
  for (std::size_t t = 0; t < placement.size(); ++t) {
    task_on[static_cast<std::size_t>(placement[t])] = static_cast<std::int32_t>(t);
  }
  fabric::Placement hosts;
  for (std::int32_t host = 0; host < topology.hosts(); ++host) {
    std::int32_t& task = task_on[static_cast<std::size_t>(host)];
    if (!fabric::is_compute_host(topology.host(host)) && task < 0) continue;
    hosts.push_back(host);
    if (task >= 0) continue;
    task = made.traffic.tasks++;
    made.traffic.first.push_back(traffic.messages());
    made.placement.push_back(host);
  }

  SplitMix64 random(seed, stream_of_destinations);
  made.background.first.push_back(0);
  for (const std::int32_t host : made.placement) {
    for (const std::int32_t to : draw_destinations(hosts, host, random)) {
      made.background.destination.push_back(task_on[static_cast<std::size_t>(to)]);
    }
    made.background.first.push_back(static_cast<std::int32_t>(made.background.destination.size()));
  }
  return made;
}

}  // namespace sortlast::simulate
