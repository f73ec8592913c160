#include "sortlast/simulate/packet/network.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

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

namespace {

std::string link_name(const fabric::Topology& topology, fabric::Channel c) {
  const fabric::End from = topology.source(c), to = topology.target(c);
  return "'" + topology.vertex_name(from.vertex) + "' port " + std::to_string(from.port) + " -> '" +
         topology.vertex_name(to.vertex) + "'";
}

// Nothing moves, so whatever a waiting packet wants is full, and its first packet waits too: any walk along
// what they want ends in a circle.
std::vector<fabric::Channel> find_cycle(const std::vector<WaitingQueue>& waiting) {
  std::unordered_map<fabric::Channel, const WaitingQueue*> by_channel;
  for (const WaitingQueue& queue : waiting) by_channel[queue.held] = &queue;
  std::vector<fabric::Channel> path{waiting.front().held};
  for (;;) {
    const std::vector<fabric::Channel>& wanted = by_channel.at(path.back())->wanted;
    const auto next =
        std::find_if(wanted.begin(), wanted.end(), [&](fabric::Channel c) { return by_channel.contains(c); });
    if (next == wanted.end()) return {};
    const auto seen = std::find(path.begin(), path.end(), *next);
    if (seen != path.end()) return {seen, path.end()};
    path.push_back(*next);
  }
}

}  // namespace

std::string describe_deadlock(const fabric::Topology& topology, const std::vector<WaitingQueue>& waiting,
                              const std::string& message_waits) {
  if (!waiting.empty()) {
    const std::vector<fabric::Channel> cycle = find_cycle(waiting);
    std::string text = "deadlock: the buffers of " + std::to_string(cycle.size()) +
                       " links are full and wait for each other in a circle: ";
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      if (i == 8 && cycle.size() > 9) {
        text += "... (" + std::to_string(cycle.size() - i) + " more)";
        break;
      }
      text += (i > 0 ? ", then " : "") + link_name(topology, cycle[i]);
    }
    return text + "; use static routes without such circles, or virtual lanes";
  }
  return "deadlock: messages wait for messages that will never come: " + message_waits;
}

}  // namespace sortlast::simulate
