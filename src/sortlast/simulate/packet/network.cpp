#include "sortlast/simulate/packet/network.hpp"

#include <array>
#include <utility>

namespace sortlast::simulate {

NetworkBuilder::NetworkBuilder(const fabric::Topology& topology) : topology_(topology) {
  const auto channels = static_cast<std::size_t>(topology.channels());
  made_.switch_of_queue.assign(channels, -1);
  made_.port_of_queue.assign(channels, 0);
  made_.domain_of_channel.assign(channels, Network::none);
  for (fabric::Channel c = 0; c < topology.channels(); ++c) {
    const fabric::End& end = topology.target(c);
    if (!end.connected() || topology.is_host(end.vertex)) continue;
    made_.switch_of_queue[static_cast<std::size_t>(c)] = topology.switch_of(end.vertex);
    made_.port_of_queue[static_cast<std::size_t>(c)] = end.port;
  }
  made_.first_port.push_back(0);
  made_.first_waiter.push_back(0);
  for (std::int32_t h = 0; h < topology.hosts(); ++h) add(std::array{topology.channel_of_host(h)}, 1, true);
}

void NetworkBuilder::add(std::span<const fabric::Channel> ports, std::uint32_t queues, bool begins_domain) {
  const auto g = static_cast<Group>(made_.groups());
  if (begins_domain) made_.first_group.push_back(g);
  const auto domain = static_cast<Domain>(made_.first_group.size() - 1);
  made_.domain_of_group.push_back(domain);
  made_.ports.insert(made_.ports.end(), ports.begin(), ports.end());
  for (const fabric::Channel c : ports) made_.domain_of_channel[static_cast<std::size_t>(c)] = domain;
  made_.first_port.push_back(static_cast<std::uint32_t>(made_.ports.size()));
  made_.first_waiter.push_back(made_.first_waiter.back() + queues);
}

Group NetworkBuilder::add_group(std::int32_t s, std::span<const fabric::Channel> ports, bool begins_domain) {
  add(ports, static_cast<std::uint32_t>(topology_.switch_at(s).ports), begins_domain);
  return static_cast<Group>(made_.groups() - 1);
}

Network NetworkBuilder::finish() && {
  made_.first_group.push_back(static_cast<Group>(made_.groups()));
  return std::move(made_);
}

}  // namespace sortlast::simulate
