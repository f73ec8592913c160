// minhop, OpenSM's default: the least used of the shortest-path ports for every destination. It refuses no
// fabric, and guarantees neither freedom from credit loops nor balance for any pattern. This file also fills
// the tables of updn and dor, as OpenSM does (3.3.23, osm_ucast_mgr.c and osm_switch.c).
//
// The engine determines which ports of a switch may lead to which other switch. Every switch then goes
// through all hosts independently, and assigns each to the permitted port by which it reaches fewest hosts so
// far, ties by the lowest number. It does not know the choices of other switches: this is why the upper
// levels of a tree are not balanced for any pattern, and why shift permutations contend from three levels on.
//
// The tables therefore depend only on the order of the hosts: switches by decreasing number of hosts; among
// equals in the order of their GUIDs (as defined in engine.hpp); on a switch by port. LIDs play no part.
// Switches are destinations too, but are routed last and not counted. These are the tables of a first sweep:
// after later changes, OpenSM keeps every entry that is still one of the permitted ports.
//
// With lmc > 0 all hosts get their first LID, then all their second, and so on; each is a plane. In a later
// plane the search begins after the port of the previous plane, and takes the least used port to a chassis
// that no earlier plane of this host uses; if there is none, to such a switch; if there is none either, the
// least used port, with ties broken by how often this host has used its switch. dor knows only the last rule,
// with a cable in place of a switch, and always begins with port 1. A switch has one LID, so all its planes
// are equal.
//
// Work is distributed to threads by switch. The permitted ports are computed for a block of destinations at a
// time, because for all destinations they would take 200 MB at 65,536 hosts. minhop on 2 cores: 0.03 s for
// the 12-ary 3-tree of 1,728 hosts, 0.9 s and 29 MB for an RLFT of 11,664, 16 s and 380 MB (360 MB of it
// tables) for 65,536.
#include "sortlast/fabric/routing/engine.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "sortlast/threads.hpp"

namespace sortlast::fabric {

namespace {

std::uint64_t reversed_bytes(std::uint64_t guid) {
  std::uint64_t reversed = 0;
  for (int byte = 0; byte < 8; ++byte) reversed |= ((guid >> (8 * byte)) & 0xFF) << (8 * (7 - byte));
  return reversed;
}

}  // namespace

std::vector<std::int32_t> switches_by_guid(const Topology& topology) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(topology.switches()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return reversed_bytes(topology.switch_at(a).guid) < reversed_bytes(topology.switch_at(b).guid);
  });
  return order;
}

std::vector<std::int32_t> hosts_by_guid(const Topology& topology) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(topology.hosts()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const Host &x = topology.host(a), &y = topology.host(b);
    return std::pair(reversed_bytes(x.guid), x.port) < std::pair(reversed_bytes(y.guid), y.port);
  });
  return order;
}

std::vector<std::vector<std::int32_t>> hosts_of_switches(const Topology& topology) {
  std::vector<std::vector<std::int32_t>> hosts(static_cast<std::size_t>(topology.switches()));
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    hosts[static_cast<std::size_t>(topology.switch_of(topology.attachment(h).vertex))].push_back(h);
  }
  for (std::vector<std::int32_t>& of_switch : hosts) {
    std::sort(of_switch.begin(), of_switch.end(), [&](std::int32_t a, std::int32_t b) {
      return topology.attachment(a).port < topology.attachment(b).port;
    });
  }
  return hosts;
}

std::vector<std::int32_t> switches_by_load(const Topology& topology) {
  const std::vector<std::vector<std::int32_t>> hosts = hosts_of_switches(topology);
  std::vector<std::int32_t> order = switches_by_guid(topology);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return hosts[static_cast<std::size_t>(a)].size() > hosts[static_cast<std::size_t>(b)].size();
  });
  return order;
}

PortSets::PortSets(const SwitchGraph& graph)
    : words_(static_cast<std::size_t>(graph.most_ports() / 64 + 1)),
      bits_(words_ * static_cast<std::size_t>(graph.switches())) {}

void PortSets::clear() { std::fill(bits_.begin(), bits_.end(), 0); }

void PortSets::add(std::int32_t s, std::int32_t port) {
  bits_[static_cast<std::size_t>(s) * words_ + static_cast<std::size_t>(port / 64)] |= std::uint64_t{1}
                                                                                       << (port % 64);
}

std::vector<std::uint8_t> hops_to(const SwitchGraph& graph, std::int32_t destination) {
  std::vector<std::uint8_t> hops(static_cast<std::size_t>(graph.switches()), no_hops);
  hops[static_cast<std::size_t>(destination)] = 0;
  breadth_first(graph, {destination}, [&](std::int32_t s, const SwitchCable& cable) {
    std::uint8_t& there = hops[static_cast<std::size_t>(cable.other)];
    const int further = hops[static_cast<std::size_t>(s)] + 1;
    if (there != no_hops || further == no_hops) return false;
    there = static_cast<std::uint8_t>(further);
    return true;
  });
  return hops;
}

void least_hop_ports(const SwitchGraph& graph, std::int32_t destination, PortSets& ports) {
  const std::vector<std::uint8_t> hops = hops_to(graph, destination);
  ports.clear();
  for (std::int32_t s = 0; s < graph.switches(); ++s) {
    const std::uint8_t here = hops[static_cast<std::size_t>(s)];
    if (here == no_hops) continue;
    for (const SwitchCable& cable : graph.cables(s)) {
      if (hops[static_cast<std::size_t>(cable.other)] + 1 == here) ports.add(s, cable.port);
    }
  }
}

namespace {

constexpr std::size_t block = 256;  // destination switches

class Balancer {
 public:
  Balancer(const Topology& topology, const SwitchGraph& graph, const PortsTowards& towards, std::int32_t lmc,
           PlaneRule rule)
      : topology_(topology),
        graph_(graph),
        towards_(towards),
        rule_(rule),
        hosts_(hosts_of_switches(topology)),
        paths_(static_cast<std::size_t>(topology.channels())),
        tables_(std::make_shared<Tables>(topology, 1 << lmc)) {}

  std::shared_ptr<Tables> fill() {
    const std::vector<std::int32_t> order = switches_by_load(topology_);
    const auto hosts = [this](std::int32_t s, std::int32_t destination, const PortSets& ports) {
      route_to_hosts(s, destination, ports);
    };
    const auto switches = [this](std::int32_t s, std::int32_t destination, const PortSets& ports) {
      route_to_switch(s, destination, ports);
    };
    for_blocks(order, hosts);
    for_blocks(order, switches);
    for (plane_ = 1; plane_ < tables_->planes(); ++plane_) for_blocks(order, hosts);
    return std::move(tables_);
  }

 private:
  // Calls route(s, destination, ports) for all pairs of switches; for each s in the order of destinations.
  template <typename Route>
  void for_blocks(const std::vector<std::int32_t>& order, const Route& route) {
    std::vector<PortSets> ports(std::min(block, order.size()), PortSets(graph_));
    for (std::size_t begin = 0; begin < order.size(); begin += block) {
      const std::size_t size = std::min(block, order.size() - begin);
      parallel_for(static_cast<std::int64_t>(size), [&](std::int64_t d) {
        const auto at = static_cast<std::size_t>(d);
        towards_(order[begin + at], ports[at]);
      });
      parallel_for(topology_.switches(), [&](std::int64_t s) {
        for (std::size_t d = 0; d < size; ++d) {
          route(static_cast<std::int32_t>(s), order[begin + d], ports[d]);
        }
      });
    }
  }

  void route_to_hosts(std::int32_t s, std::int32_t leaf, const PortSets& ports) {
    const std::vector<std::int32_t>& hosts = hosts_[static_cast<std::size_t>(leaf)];
    if (hosts.empty()) return;
    if (s == leaf) {
      for (const std::int32_t h : hosts) tables_->set(s, h, topology_.attachment(h).port, plane_);
      return;
    }
    std::vector<std::int32_t> choice;
    ports.visit(s, [&](std::int32_t port) { choice.push_back(port); });
    if (choice.empty()) return;
    for (const std::int32_t h : hosts) {
      const std::int32_t port = plane_ == 0 ? least_used(s, choice) : least_shared(s, h, choice);
      ++paths(s, port);
      tables_->set(s, h, port, plane_);
    }
  }

  void route_to_switch(std::int32_t s, std::int32_t destination, const PortSets& ports) {
    std::vector<std::int32_t> choice;
    ports.visit(s, [&](std::int32_t port) { choice.push_back(port); });
    if (s != destination && choice.empty()) return;
    const std::int32_t port = s == destination ? 0 : least_used(s, choice);
    for (std::int32_t plane = 0; plane < tables_->planes(); ++plane) {
      tables_->set(s, topology_.vertex_of_switch(destination), port, plane);
    }
  }

  // Hosts reached by a port so far, counted once per plane.
  std::uint32_t& paths(std::int32_t s, std::int32_t port) {
    return paths_[static_cast<std::size_t>(topology_.channel(s, port))];
  }

  std::int32_t least_used(std::int32_t s, const std::vector<std::int32_t>& choice) {
    return *std::min_element(choice.begin(), choice.end(),
                             [&](std::int32_t a, std::int32_t b) { return paths(s, a) < paths(s, b); });
  }

  std::int32_t least_shared(std::int32_t s, std::int32_t h, std::vector<std::int32_t> choice);
  bool shares_chassis(std::int32_t s, std::int32_t h, std::int32_t port) const;
  std::int32_t times_shared(std::int32_t s, std::int32_t h, std::int32_t port) const;

  const End& behind(std::int32_t s, std::int32_t port) const {
    return topology_.target(topology_.channel(s, port));
  }

  const Topology& topology_;
  const SwitchGraph& graph_;
  const PortsTowards& towards_;
  PlaneRule rule_;
  std::vector<std::vector<std::int32_t>> hosts_;  // by switch
  std::vector<std::uint32_t> paths_;              // by channel
  std::shared_ptr<Tables> tables_;
  std::int32_t plane_ = 0;
};

// Whether an earlier plane of host h leads through the chassis behind a port.
bool Balancer::shares_chassis(std::int32_t s, std::int32_t h, std::int32_t port) const {
  const auto chassis = [this](Vertex v) {
    const Switch& of = topology_.switch_at(topology_.switch_of(v));
    return of.system_guid != 0 ? of.system_guid : of.guid;
  };
  const Vertex next = behind(s, port).vertex;
  for (std::int32_t plane = 0; plane < plane_; ++plane) {
    const Vertex used = behind(s, tables_->port(s, h, plane)).vertex;
    if (used == next || (chassis(used) == chassis(next) && chassis(next) != 0)) return true;
  }
  return false;
}

// Number of earlier planes of host h through the switch, or the cable, behind a port.
std::int32_t Balancer::times_shared(std::int32_t s, std::int32_t h, std::int32_t port) const {
  std::int32_t times = 0;
  for (std::int32_t plane = 0; plane < plane_; ++plane) {
    const std::int32_t used = tables_->port(s, h, plane);
    times += rule_ == PlaneRule::cables ? used == port : behind(s, used).vertex == behind(s, port).vertex;
  }
  return times;
}

// Port of host h in a later plane.
std::int32_t Balancer::least_shared(std::int32_t s, std::int32_t h, std::vector<std::int32_t> choice) {
  if (rule_ == PlaneRule::switches) {
    // Begin after the port of the previous plane.
    const std::int32_t before = tables_->port(s, h, plane_ - 1);
    std::rotate(choice.begin(), std::upper_bound(choice.begin(), choice.end(), before), choice.end());

    // Prefer a new chassis, then a new switch.
    std::vector<std::int32_t> fresh;
    const auto keep_if = [&](const auto& is_new) {
      if (fresh.empty()) std::copy_if(choice.begin(), choice.end(), std::back_inserter(fresh), is_new);
    };
    keep_if([&](std::int32_t port) { return !shares_chassis(s, h, port); });
    keep_if([&](std::int32_t port) { return times_shared(s, h, port) == 0; });
    if (!fresh.empty()) return least_used(s, fresh);
  }

  // Take the least used port, among equals the least shared. When OpenSM finds a port that is used less, it
  // keeps the lowest sharing seen so far, and so do we.
  std::int32_t best = choice.front();
  std::int32_t sharing = times_shared(s, h, best);
  for (const std::int32_t port : choice) {
    const std::int32_t shared = times_shared(s, h, port);
    if (paths(s, port) < paths(s, best)) {
      best = port;
      sharing = std::min(sharing, shared);
    } else if (paths(s, port) == paths(s, best) && shared < sharing) {
      best = port;
      sharing = shared;
    }
  }
  return best;
}

}  // namespace

std::shared_ptr<Tables> balanced_tables(const Topology& topology, const SwitchGraph& graph,
                                        const PortsTowards& towards, std::int32_t lmc, PlaneRule rule) {
  return Balancer(topology, graph, towards, lmc, rule).fill();
}

Outcome engine::minhop(const Topology& topology, const RouteOptions& options) {
  const SwitchGraph graph(topology);
  const auto towards = [&graph](std::int32_t destination, PortSets& ports) {
    least_hop_ports(graph, destination, ports);
  };
  return {balanced_tables(topology, graph, towards, options.lmc), ""};
}

}  // namespace sortlast::fabric
