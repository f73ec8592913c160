#include "sortlast/simulate/packet/deadlock.hpp"

#include <algorithm>
#include <unordered_map>

namespace sortlast::simulate {
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
