#include "sortlast/simulate/packet/network.hpp"

#include <algorithm>
#include <array>

namespace sortlast::simulate {

std::vector<fabric::Channel> Network::channels(Group g) const {
  std::vector<fabric::Channel> found;
  for (std::uint32_t i = 0; i < groups[g].count; ++i) found.push_back(channel(groups[g], i));
  return found;
}

NetworkBuilder::NetworkBuilder(const fabric::Topology& topology) {
  // Name the queues by the ports that they are at.
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

}  // namespace sortlast::simulate
