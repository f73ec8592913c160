#include "sortlast/fabric/routing/hops.hpp"

#include <algorithm>

namespace sortlast::fabric {

SwitchGraph::SwitchGraph(const Topology& topology) {
  first_.reserve(static_cast<std::size_t>(topology.switches()) + 1);
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    first_.push_back(cables_.size());
    most_ports_ = std::max(most_ports_, topology.switch_at(s).ports);
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
      const End& end = topology.target(topology.channel(s, port));
      if (!end.connected() || topology.is_host(end.vertex)) continue;
      cables_.push_back({port, topology.switch_of(end.vertex), end.port});
    }
  }
  first_.push_back(cables_.size());
}

std::span<const SwitchCable> SwitchGraph::cables(std::int32_t s) const {
  const std::size_t begin = first_cable(s);
  return std::span(cables_).subspan(begin, first_cable(s + 1) - begin);
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
  std::vector<std::int32_t> reached{destination};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const std::uint8_t here = hops[static_cast<std::size_t>(reached[next])];
    if (here + 1 == no_hops) break;
    for (const SwitchCable& cable : graph.cables(reached[next])) {
      std::uint8_t& there = hops[static_cast<std::size_t>(cable.other)];
      if (there != no_hops) continue;
      there = static_cast<std::uint8_t>(here + 1);
      reached.push_back(cable.other);
    }
  }
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
