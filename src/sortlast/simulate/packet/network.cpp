#include "sortlast/simulate/packet/network.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>

#include "sortlast/error.hpp"

namespace sortlast::simulate {

std::vector<fabric::Channel> Network::channels(Group g) const {
  std::vector<fabric::Channel> found;
  for (std::uint32_t i = 0; i < groups[g].count; ++i) found.push_back(channel(groups[g], i));
  return found;
}

NetworkBuilder::NetworkBuilder(const fabric::Topology& topology) {
  // Name the queues by their ports.
  const auto channels = static_cast<std::size_t>(topology.channels());
  made_.queues.assign(static_cast<std::size_t>(topology.hosts()), 0);
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    first_queue_.push_back(static_cast<std::uint32_t>(made_.queues.size()));
    const std::int32_t ports = topology.switch_at(s).ports;
    made_.most_ports = std::max(made_.most_ports, static_cast<std::uint32_t>(ports));
    made_.queues.resize(made_.queues.size() + static_cast<std::size_t>(ports));
  }
  made_.switch_entered.assign(channels, -1);
  made_.port_entered.assign(channels, 0);
  made_.sender.assign(channels, Network::none);
  for (fabric::Channel c = 0; c < topology.channels(); ++c) {
    const fabric::End& end = topology.target(c);
    if (!end.connected() || topology.is_host(end.vertex)) continue;
    const std::int32_t s = topology.switch_of(end.vertex);
    const auto port = static_cast<std::uint16_t>(end.port - 1);
    made_.switch_entered[static_cast<std::size_t>(c)] = s;
    made_.port_entered[static_cast<std::size_t>(c)] = port;
    made_.queues[first_queue_[static_cast<std::size_t>(s)] + port] = static_cast<std::uint32_t>(c);
  }
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    add(std::array{topology.channel_of_host(h)}, static_cast<std::uint32_t>(h), true);
  }
}

Group NetworkBuilder::add(std::span<const fabric::Channel> ports, std::uint32_t first_queue,
                          bool begins_domain) {
  const auto g = static_cast<Group>(made_.groups.size());
  Network::Ports& added = made_.groups.emplace_back();
  added.count = static_cast<std::uint32_t>(ports.size());
  added.first_queue = first_queue;
  added.leader = begins_domain ? g : made_.groups[g - 1].leader;
  ++made_.groups[added.leader].members;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i] != ports[0] + static_cast<fabric::Channel>(i)) added.consecutive = false;
    made_.sender[static_cast<std::size_t>(ports[i])] = added.leader;
  }
  if (added.consecutive) {
    added.first = static_cast<std::uint32_t>(ports[0]);
  } else {
    added.first = static_cast<std::uint32_t>(made_.scattered.size());
    made_.scattered.insert(made_.scattered.end(), ports.begin(), ports.end());
  }
  return g;
}

Group NetworkBuilder::add_group(std::int32_t s, std::span<const fabric::Channel> ports, bool begins_domain) {
  return add(ports, first_queue_[static_cast<std::size_t>(s)], begins_domain);
}

Network port_network(const fabric::Topology& topology) {
  NetworkBuilder builder(topology);
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
      builder.add_group(s, std::array{topology.channel(s, port)}, true);
    }
  }
  return std::move(builder).finish();
}

namespace {

std::string queue_name(const fabric::Topology& topology, std::size_t queue, std::size_t lanes) {
  const auto c = static_cast<fabric::Channel>(queue / lanes);
  const fabric::End from = topology.source(c), to = topology.target(c);
  return "'" + topology.label(from.vertex) + "' port " + std::to_string(from.port) + " -> '" +
         topology.label(to.vertex) + "'" + (lanes > 1 ? " lane " + std::to_string(queue % lanes) : "");
}

// Nothing moves, so every queue that a waiting packet wants is full, and its first packet waits too: any walk
// along wanted queues ends in a circle.
std::vector<std::size_t> find_cycle(const std::vector<WaitingQueue>& waiting) {
  std::unordered_map<std::size_t, const WaitingQueue*> by_number;
  for (const WaitingQueue& queue : waiting) by_number[queue.held] = &queue;
  std::vector<std::size_t> path{waiting.front().held};
  for (;;) {
    const std::vector<std::size_t>& wanted = by_number.at(path.back())->wanted;
    const auto next =
        std::find_if(wanted.begin(), wanted.end(), [&](std::size_t q) { return by_number.contains(q); });
    if (next == wanted.end()) return {};
    const auto seen = std::find(path.begin(), path.end(), *next);
    if (seen != path.end()) return {seen, path.end()};
    path.push_back(*next);
  }
}

}  // namespace

std::string describe_deadlock(const fabric::Topology& topology, const std::vector<WaitingQueue>& waiting,
                              const std::string& message_waits, std::size_t lanes) {
  if (!waiting.empty()) {
    const std::vector<std::size_t> cycle = find_cycle(waiting);
    std::string text = "deadlock: the buffers of " + std::to_string(cycle.size()) +
                       (lanes > 1 ? " lanes" : " links") + " are full and wait for each other in a circle: ";
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      if (i == 8 && cycle.size() > 9) {
        text += "... (" + std::to_string(cycle.size() - i) + " more)";
        break;
      }
      text += (i > 0 ? ", then " : "") + queue_name(topology, cycle[i], lanes);
    }
    return text + (lanes > 1 ? "; use a routing that leaves no such circle on these lanes, as lash does"
                             : "; use static routes without such circles, or virtual lanes");
  }
  return "deadlock: messages wait for messages that will never come: " + message_waits;
}

// The routers of trees, of shortest paths and of tables, each with the groups of its network.

// --- Trees
//
// Determines from the topology which hosts are below each switch, instead of relying on a family's formulas:
// fat-, thin- and slender-trees are treated the same, and all other topologies use distances.

namespace {

// The ports of a switch that lead to the hosts [first, end), or up.
struct Branch {
  std::uint32_t first = 0, end = 0;
  std::vector<fabric::Channel> ports;
};

struct Branches {
  std::vector<Branch> down;  // by first host
  std::vector<fabric::Channel> up;
};

// Hosts below a vertex, once all lower switches are known.
using Below = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Branches branches_of(const fabric::Topology& topology, std::int32_t s, const Below& below) {
  Branches made;
  for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
    const fabric::Channel c = topology.channel(s, port);
    const fabric::End& end = topology.target(c);
    if (!end.connected()) continue;
    const bool host = topology.is_host(end.vertex);
    if (!host && topology.level(topology.switch_of(end.vertex)) > topology.level(s)) {
      made.up.push_back(c);
      continue;
    }
    const auto h = static_cast<std::uint32_t>(end.vertex);
    const auto [first, last] =
        host ? std::pair(h, h + 1) : below[static_cast<std::size_t>(topology.switch_of(end.vertex))];
    const auto same = std::find_if(made.down.begin(), made.down.end(),
                                   [&, f = first](const Branch& branch) { return branch.first == f; });
    if (same == made.down.end()) {
      made.down.push_back({first, last, {c}});
    } else {
      same->ports.push_back(c);
    }
  }
  std::sort(made.down.begin(), made.down.end(),
            [](const Branch& a, const Branch& b) { return a.first < b.first; });
  return made;
}

// Whether the branches are contiguous and equally wide.
bool regular(const std::vector<Branch>& down) {
  if (down.empty()) return false;
  const std::uint32_t width = down.front().end - down.front().first;
  for (std::size_t i = 0; i < down.size(); ++i) {
    if (down[i].end - down[i].first != width || width == 0) return false;
    if (i > 0 && down[i].first != down[i - 1].end) return false;
  }
  return true;
}

}  // namespace

std::optional<TreeNetwork> tree_network(const fabric::Topology& topology) {
  const fabric::Shape& shape = topology.shape();
  if (!std::holds_alternative<fabric::TreeShape>(shape) &&
      !std::holds_alternative<fabric::SlenderShape>(shape)) {
    return std::nullopt;
  }

  // Visit the switches from the lowest level up.
  std::vector<std::int32_t> order(static_cast<std::size_t>(topology.switches()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return topology.level(a) < topology.level(b); });
  Below below(order.size());
  for (const std::int32_t s : order) {
    const Branches found = branches_of(topology, s, below);
    if (!regular(found.down)) return std::nullopt;
    below[static_cast<std::size_t>(s)] = {found.down.front().first, found.down.back().end};
  }

  // Make the groups: one per branch, and one of all up-ports.
  NetworkBuilder builder(topology);
  TreeRouter router;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const Branches found = branches_of(topology, s, below);
    TreeRouter::Below& made = router.below_.emplace_back();
    made.first = found.down.front().first;
    made.hosts = found.down.back().end - made.first;
    made.width = found.down.front().end - made.first;
    for (std::size_t i = 0; i < found.down.size(); ++i) {
      const Group g = builder.add_group(s, found.down[i].ports, true);
      if (i == 0) made.down = g;
    }
    if (!found.up.empty()) made.up = builder.add_group(s, found.up, true);
  }
  return TreeNetwork{std::move(router), std::move(builder).finish()};
}

// --- Shortest paths
//
// Shortest paths by breadth-first search from every switch with hosts. Only few sets of ports occur at a
// switch (27 at most in a 3D torus), so a table of two bytes per switch and leaf identifies them.

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

  // Number the switches with hosts.
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

  // Number the set of ports of every switch towards every leaf.
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

  // Make the groups: one domain per switch, because its sets overlap.
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

// --- Tables

TableRouter::TableRouter(const fabric::Routes& routes)
    : forwarding_(routes.forwarding), hosts_(static_cast<std::uint32_t>(routes.topology->hosts())) {}

TableNetwork table_network(const fabric::Routes& routes) {
  const fabric::Topology& topology = *routes.topology;
  TableRouter router(routes);
  Group first = static_cast<Group>(topology.hosts());
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    router.first_group_.push_back(first);
    first += static_cast<Group>(topology.switch_at(s).ports);
  }
  return {std::move(router), port_network(topology)};
}

}  // namespace sortlast::simulate
