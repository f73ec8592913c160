#include "sortlast/fabric/routing/balance.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

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

}  // namespace sortlast::fabric
