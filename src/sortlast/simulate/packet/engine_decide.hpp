// Engine: decides which queue sends by which port. The model is described in engine.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sortlast/simulate/packet/engine.hpp"

namespace sortlast::simulate {

template <class Router, Requests requests>
void Engine<Router, requests>::decide_all() {
  for (std::size_t i = 0; i < to_decide_.size(); ++i) {
    if (i + 2 * ahead < to_decide_.size()) prefetch_group(to_decide_[i + 2 * ahead]);
    if (i + ahead < to_decide_.size()) prefetch_ports(to_decide_[i + ahead]);
    decide(to_decide_[i]);
  }
  to_decide_.clear();
}

// Prefetches the memory that deciding a domain will probably need.
template <class Router, Requests requests>
void Engine<Router, requests>::prefetch_ports(Group leader) const {
  const GroupState& group = groups_[leader];
  __builtin_prefetch(&queue_at_[group.first_queue]);
  if (group.ports < scattered) buffers_.prefetch_queues(group.first, group.ports);
}

template <class Router, Requests requests>
void Engine<Router, requests>::decide(Group leader) {
  const std::uint32_t members = groups_[leader].members;
  if (members == 1 && groups_[leader].ports == 1) {
    decide_port(leader);
    return;
  }
  for (Group g = leader; g < leader + members; ++g) {
    if (groups_[g].waiting > 0) ask(g);
  }
  serve();
  if (groups_[leader].domain_waiting > 0) look_again(leader);
}

// A domain of one port: the end of a transmission will wake all queues that remain waiting.
template <class Router, Requests requests>
void Engine<Router, requests>::decide_port(Group g) {
  const fabric::Channel c = channel(groups_[g], 0);
  if (!idle(c) || !buffers_.has_room(phits_behind(c))) return;
  grant(g, choose(g, c), c);
}

// Finds the ports with most credits; channel_at(i) is the i-th port.
template <class Router, Requests requests>
template <class ChannelAt>
typename Engine<Router, requests>::Best Engine<Router, requests>::find_best(std::uint32_t ports,
                                                                            const ChannelAt& channel_at) {
  Best best;
  for (std::uint32_t i = 0; i < ports; ++i) {
    phits_[i] = phits_behind(channel_at(i));
    best.phits = std::min(best.phits, phits_[i]);
  }
  fabric::Channel* tie = ties_.data();
  for (std::uint32_t i = 0; i < ports; ++i) {
    const fabric::Channel c = channel_at(i);
    const bool is_best = phits_[i] == best.phits;
    *tie = c;
    tie += is_best;
    best.any_idle |= is_best && idle(c);
  }
  best.ports = static_cast<std::uint32_t>(tie - ties_.data());
  return best;
}

// All queues that wait in a group request one of the ports with most credits.
template <class Router, Requests requests>
void Engine<Router, requests>::ask(Group g) {
  const GroupState& group = groups_[g];
  const Best best = find_best(group.ports % scattered, [&](std::uint32_t i) { return channel(group, i); });
  if (!best.any_idle || !buffers_.has_room(best.phits)) return;

  // Request. If all of them request the same port, and no others do, choose at once.
  const std::uint32_t count = best.ports;
  if (count == 1 && groups_[group.leader].members == 1) {
    grant(g, choose(g, ties_[0]), ties_[0]);
    return;
  }
  waiters_.for_each(g, [&](std::uint32_t port) {
    const fabric::Channel c = ties_[draw_tie(count)];
    if (idle(c)) request(g, port, c);
  });
}

template <class Router, Requests requests>
std::uint32_t Engine<Router, requests>::draw_tie(std::uint32_t count) {
  if (count == 1) return 0;
  if (options_.ties == Ties::uniform) return random_.below(count);
  const std::uint32_t drawn = random_.below(count + 1);
  return drawn == 0 ? 0 : drawn - 1;
}

// Keeps one of the requests for a port: each of r with probability 1 / r, or the next in turn.
template <class Router, Requests requests>
void Engine<Router, requests>::request(Group g, std::uint32_t port, fabric::Channel c) {
  auto asked = requests_.begin();
  while (asked != requests_.end() && asked->channel != c) ++asked;
  if (asked == requests_.end()) {
    requests_.push_back({c, g, port, 1});
    return;
  }
  ++asked->count;
  const bool takes_over = options_.arbitration == Arbitration::round_robin
                              ? turns_to(port, c) < turns_to(asked->port, c)
                              : random_.below(asked->count) == 0;
  if (takes_over) {
    asked->group = g;
    asked->port = port;
  }
}

template <class Router, Requests requests>
void Engine<Router, requests>::serve() {
  for (const Request& asked : requests_) grant(asked.group, asked.port, asked.channel);
  requests_.clear();
}

// If a queue still waits although a port is idle, finds the earliest cycle in which that port can be chosen.
template <class Router, Requests requests>
void Engine<Router, requests>::look_again(Group leader) {
  GroupState& domain = groups_[leader];
  std::int32_t soonest = INT32_MAX;
  for (Group g = leader; g < leader + domain.members; ++g) {
    const GroupState& group = groups_[g];
    if (group.waiting == 0) continue;
    std::int32_t least = INT32_MAX, least_idle = INT32_MAX;
    for (std::uint32_t i = 0; i < group.ports % scattered; ++i) {
      const fabric::Channel c = channel(group, i);
      const std::int32_t have = phits_behind(c);
      least = std::min(least, have);
      const bool free = static_cast<int>(idle(c)) & static_cast<int>(buffers_.has_room(have));
      least_idle = std::min(least_idle, free ? have : INT32_MAX);
    }
    if (least_idle != INT32_MAX) soonest = std::min(soonest, std::max(1, (least_idle - least + 1) / 2));
  }
  if (soonest == INT32_MAX) return;
  soonest = std::min(soonest, P_ + 1);
  if (domain.look_at > now_ && domain.look_at <= now_ + soonest) return;
  domain.look_at = now_ + soonest;
  looks_.add(domain.look_at, leader);
  ++pending_;
}

// Number of turns from the port last served on the channel to this one.
template <class Router, Requests requests>
std::uint32_t Engine<Router, requests>::turns_to(std::uint32_t port, fabric::Channel c) const {
  const std::uint32_t ports = network_.most_ports;
  return (port + ports - last_served_[static_cast<std::size_t>(c)] - 1) % ports;
}

// Chooses one of the queues that wait in a group, all of which request channel c.
template <class Router, Requests requests>
std::uint32_t Engine<Router, requests>::choose(Group g, fabric::Channel c) {
  const std::uint32_t waiting = groups_[g].waiting;
  if (waiting == 1) return waiters_.nth(g, 0);
  if (options_.arbitration == Arbitration::random) return waiters_.nth(g, random_.below(waiting));
  std::uint32_t best = UINT32_MAX, fewest = UINT32_MAX;
  waiters_.for_each(g, [&](std::uint32_t port) {
    if (turns_to(port, c) >= fewest) return;
    fewest = turns_to(port, c);
    best = port;
  });
  return best;
}

// The first packet of the queue at `port`, which waits in group g, leaves by channel c in this cycle.
template <class Router, Requests requests>
void Engine<Router, requests>::grant(Group g, std::uint32_t port, fabric::Channel c) {
  GroupState& group = groups_[g];
  waiters_.remove(g, port);
  --group.waiting;
  --groups_[group.leader].domain_waiting;
  if (!last_served_.empty()) last_served_[static_cast<std::size_t>(c)] = static_cast<std::uint16_t>(port);
  const auto to = static_cast<std::uint32_t>(c);
  granted_.push_back({queue_at_[group.first_queue + port], to, group.leader, buffers_.enter(to, now_ + P_)});
}

// Copies the packets that were granted a port from queue to queue.
template <class Router, Requests requests>
void Engine<Router, requests>::begin_all() {
  for (std::size_t i = 0; i < granted_.size(); ++i) {
    if (i + ahead < granted_.size()) {
      const auto& [from, to, sender, slot] = granted_[i + ahead];
      buffers_.prefetch(from);
      buffers_.prefetch_packets(to);
      if (injects(from)) feed_.prefetch(task_of(from));
    }
    begin_transmission(granted_[i]);
  }
  result_.packet_hops += static_cast<std::int64_t>(granted_.size());
  granted_.clear();
}

template <class Router, Requests requests>
void Engine<Router, requests>::begin_transmission(const Transmission& granted) {
  const auto& [from, to, sender, slot] = granted;
  const std::int32_t over = now_ + P_;
  Packet packet;
  if (injects(from)) {
    const Feed::Packet taken = feed_.take(task_of(from));
    packet = {taken.message, key_[static_cast<std::size_t>(taken.message)], taken.entered};
    buffers_[from].left = over;
    buffers_[from].receiver = sender;
  } else {
    packet = buffers_.pop(from, over, sender);
  }
  ends_.add(over, from);
  ++pending_;

  Place& place = buffers_.place(to);
  ++place.load;
  if (place.switch_entered < 0) {
    --buffers_[to].count;  // hosts store none
    deliver(packet);
    return;
  }
  buffers_.put(to, slot, packet);
  // A packet behind another one need not be examined on arrival: the end of the other's transmission will do
  // so.
  const Queue& queue = buffers_[to];
  const std::int32_t arrives = now_ + switch_cycles_;
  if (queue.count > 1 || arrives <= queue.left) return;
  heads_.add(arrives, to);
  ++pending_;
}

}  // namespace sortlast::simulate
