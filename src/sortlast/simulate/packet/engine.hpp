// Engine: the packet simulator proper.
//
// Model, one cycle being the time of a phit on a link (Navaridas et al., section 3.1, and the simulator FSIN
// of the same group, from which everything that the paper leaves open was learnt):
//   - A packet is P = packet_phits long. If its head leaves a vertex in cycle t, its tail leaves in t + P -
//   1;
//     the link and the buffer's output are free again in t + P. The head may leave the next switch in t + 1.
//   - Every input port of a switch has one queue of `buffer_packets`. The first packet of a queue, and only
//     that, asks for one output port a cycle: of the ports on its shortest paths the one with most credits,
//     that is, with the fewest phits in the queue behind it, whether the port is busy or not; one at random
//     if several have that many. It asks only if there is room for a whole packet behind the port.
//   - An idle output port that is asked for goes to one of those that ask. Virtual cut-through: room for the
//     whole packet is there, so that it never stops in between.
//   - Credits are out of band and take no time: a queue has room again when a tail has left.
//   - Hosts take in what arrives without delay. A message is there when the tails of all its packets are;
//   what
//     it causes may enter the injection queue in the next cycle. So one packet alone over h pairs of an up-
//     and a down-link takes 2h + P - 1 cycles from entering the injection queue to the arrival of its tail.
//
// Method. Three things happen: a transmission ends (an output port is idle, a queue has its next packet at
// the front and room for another), a head arrives at an empty queue, a message is complete. They lie in
// wheels by cycle. A port is decided only if somebody waits for it and one of these happened to it: idle
// ports cost nothing, and a hop costs two entries in a wheel. The phits in queues follow from times: see
// buffers.hpp.
//
// A queue can fill up or drain without any of these, and with that the choice of those that wait at several
// ports can change. Between two ports the difference in phits changes by at most 2 a cycle, so a port that is
// idle and has d phits more than the best cannot be chosen within the next (d + 1) / 2 - 1 cycles: the domain
// is looked at again after that, and no earlier.
//
// Rejected: an event for every phit (16 times the events); events in a heap (a transmission takes P cycles,
// so wheels of P + 2 places do); a pool of packets (a packet of 16 bytes is copied from queue to queue for
// less than following an index costs); one array a property (every hop would touch a line of each).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/packet/buffers.hpp"
#include "sortlast/simulate/packet/deadlock.hpp"
#include "sortlast/simulate/packet/feed.hpp"
#include "sortlast/simulate/packet/network.hpp"
#include "sortlast/simulate/packet/random.hpp"
#include "sortlast/simulate/packet/waiters.hpp"
#include "sortlast/simulate/packet/wheel.hpp"

namespace sortlast::simulate {

template <class Router>
class Engine {
 public:
  // All but the options' copy must outlive the engine.
  Engine(const fabric::Topology& topology, const Network& network, const Router& router,
         const Traffic& traffic, const fabric::Placement& placement, const PacketOptions& options);
  PacketRun run();

 private:
  // What a decision needs of a group; the part of a domain is that of its leader.
  struct GroupState {
    std::uint32_t first = 0;        // as in Network::Ports
    std::uint32_t first_queue = 0;  // as in Network::Ports
    Group leader = 0;
    std::uint16_t ports = 0;
    std::uint16_t members = 0;  // of a leader
    std::uint16_t waiting = 0;  // queues that wait in this group
    std::uint16_t domain_waiting = 0;
    std::int32_t touched = -1;  // cycle for which the domain was last noted to be decided
    std::int32_t look_at = -1;  // cycle in which the domain will be looked at again
    bool consecutive = true;
  };
  // What those who wait in a domain ask of one of its channels.
  struct Request {
    fabric::Channel channel = 0;
    Group group = 0;
    std::uint32_t port = 0;   // of the queue that has the best claim so far
    std::uint32_t count = 0;  // of those that asked
  };
  static constexpr std::int32_t last_cycle = INT32_MAX - (1 << 18);

  bool injects(std::uint32_t q) const { return q >= channels_; }
  std::int32_t task_of(std::uint32_t q) const { return static_cast<std::int32_t>(q - channels_); }
  fabric::Channel channel(const GroupState& group, std::uint32_t i) const {
    return group.consecutive ? static_cast<fabric::Channel>(group.first + i)
                             : network_.scattered[group.first + i];
  }
  std::int32_t phits_behind(fabric::Channel c) const {
    return buffers_.phits(buffers_[static_cast<std::size_t>(c)], now_);
  }
  bool idle(fabric::Channel c) const { return buffers_.idle(buffers_[static_cast<std::size_t>(c)], now_); }

  void begin_cycle();
  void end_transmission(std::uint32_t q);
  void wait(std::uint32_t q);
  void touch(Group leader);
  void decide(Group leader);
  void decide_port(Group g);
  void ask(Group g);
  std::uint32_t draw_tie(std::uint32_t count);
  void request(Group g, std::uint32_t port, fabric::Channel c);
  void serve();
  void look_again(Group leader);
  std::uint32_t choose(Group g, fabric::Channel c);
  std::uint32_t turns_to(std::uint32_t port, fabric::Channel c) const;
  void grant(Group g, std::uint32_t port, fabric::Channel c);
  void deliver(const Packet& packet);
  bool next_cycle();
  void report();
  void sample();
  [[noreturn]] void report_deadlock() const;
  std::int64_t bytes_used() const;

  const fabric::Topology& topology_;
  const Network& network_;
  const Router& router_;
  const Traffic& traffic_;
  const PacketOptions& options_;
  const std::int32_t P_;
  const std::uint32_t channels_;
  Feed feed_;
  Random random_;
  std::int32_t now_ = 0;

  Buffers buffers_;
  std::vector<GroupState> groups_;
  Waiters waiters_;
  std::vector<std::uint32_t> queue_at_;  // by place in Network::queues
  std::vector<std::uint32_t> key_;       // by message
  std::vector<Group> to_decide_;         // leaders
  std::vector<fabric::Channel> ties_;
  std::vector<Request> requests_;
  std::vector<std::uint16_t> last_served_;  // round robin: by channel, port of the queue

  Wheel<std::uint32_t> ends_, heads_, looks_, complete_;
  std::int64_t pending_ = 0;   // what lies in the wheels
  std::int64_t reported_ = 0;  // packet hops at the last report of progress
  PacketRun result_;
};

template <class Router>
Engine<Router>::Engine(const fabric::Topology& topology, const Network& network, const Router& router,
                       const Traffic& traffic, const fabric::Placement& placement,
                       const PacketOptions& options)
    : topology_(topology),
      network_(network),
      router_(router),
      traffic_(traffic),
      options_(options),
      P_(options.packet_phits),
      channels_(static_cast<std::uint32_t>(topology.channels())),
      feed_(traffic, options),
      random_(options.seed),
      buffers_(network, static_cast<std::size_t>(traffic.tasks), P_, options.buffer_packets),
      waiters_(network.groups.size(), network.most_ports),
      queue_at_(network.queues),
      last_served_(options.arbitration == Arbitration::round_robin ? channels_ : 0),
      ends_(P_ + 2),
      heads_(2),
      looks_(P_ + 2),
      complete_(P_ + 2) {
  for (const Network::Ports& ports : network.groups) {
    GroupState& group = groups_.emplace_back();
    group.first = ports.first;
    group.first_queue = ports.first_queue;
    group.leader = ports.leader;
    group.ports = static_cast<std::uint16_t>(ports.count);
    group.members = static_cast<std::uint16_t>(ports.members);
    group.consecutive = ports.consecutive;
  }

  // Put the tasks on their hosts.
  for (std::size_t task = 0; task < placement.size(); ++task) {
    const auto q = channels_ + static_cast<std::uint32_t>(task);
    buffers_[q].sender = static_cast<Group>(placement[task]);
    queue_at_[static_cast<std::size_t>(placement[task])] = q;
  }
  const std::vector<std::int32_t> source = sources(traffic);
  for (std::size_t m = 0; m < source.size(); ++m) {
    key_.push_back(router.key(placement[static_cast<std::size_t>(source[m])],
                              placement[static_cast<std::size_t>(traffic.destination[m])]));
  }
}

template <class Router>
PacketRun Engine<Router>::run() {
  feed_.start();
  do {
    begin_cycle();
    for (const Group leader : to_decide_) decide(leader);
    to_decide_.clear();
    if (options_.sample_cycles > 0 && now_ % options_.sample_cycles == 0) sample();
    if (result_.packet_hops - reported_ >= (1 << 20)) report();
  } while (next_cycle());
  if (feed_.delivered() < feed_.total()) report_deadlock();

  result_.seconds =
      static_cast<double>(result_.cycles) * options_.packet_bytes / P_ / options_.link_bytes_per_second;
  result_.bytes_used = bytes_used();
  for (std::uint32_t c = 0; c < channels_; ++c) result_.link_loads.push_back(buffers_[c].load);
  if (options_.message_log) result_.log = feed_.log();
  return std::move(result_);
}

// Take what has happened up to this cycle, and note which domains have to be decided.
template <class Router>
void Engine<Router>::begin_cycle() {
  // Complete messages and computations, whose consequences enter the injection queues.
  for (const std::uint32_t m : complete_.at(now_)) {
    feed_.arrived(static_cast<Traffic::Message>(m), now_);
    ++result_.messages;
    result_.cycles = now_;
  }
  if (feed_.computing() && feed_.next_timer() <= now_) {
    feed_.fire(now_);
    result_.cycles = now_;
  }
  for (const std::int32_t task : feed_.woken()) {
    const std::uint32_t q = channels_ + static_cast<std::uint32_t>(task);
    if (now_ - buffers_[q].leaving > P_) wait(q);  // else the end of its transmission will see it
  }
  feed_.woken().clear();

  // End transmissions, and let heads that have arrived at an empty queue wait.
  for (const std::uint32_t q : ends_.at(now_)) end_transmission(q);
  for (const std::uint32_t q : heads_.at(now_)) {
    if (buffers_[q].count == 1 && now_ - buffers_[q].leaving > P_) wait(q);
  }
  for (const Group leader : looks_.at(now_)) {
    if (groups_[leader].look_at == now_) touch(leader);
  }
  pending_ -= complete_.clear(now_) + ends_.clear(now_) + heads_.clear(now_) + looks_.clear(now_);
}

template <class Router>
void Engine<Router>::end_transmission(std::uint32_t q) {
  const Queue& queue = buffers_[q];
  touch(buffers_[queue.out].sender);
  if (injects(q)) {
    feed_.left(task_of(q), now_);
    feed_.woken().clear();
    if (!feed_.empty(task_of(q))) wait(q);
  } else {
    if (buffers_.gained_room(queue) && buffers_.idle(queue, now_)) touch(queue.sender);
    if (queue.count > 0) wait(q);
  }
}

// The first packet of a queue begins to wait for a port.
template <class Router>
void Engine<Router>::wait(std::uint32_t q) {
  const Group g = injects(q) ? buffers_[q].sender : buffers_.front(q).group;
  GroupState& group = groups_[g];
  waiters_.add(g, buffers_[q].port);
  ++groups_[group.leader].domain_waiting;
  // If others wait already, it is known when one of these ports can be had, and this changes nothing about
  // it.
  if (group.waiting++ == 0) touch(group.leader);
}

template <class Router>
void Engine<Router>::touch(Group leader) {
  GroupState& domain = groups_[leader];
  if (domain.domain_waiting == 0 || domain.touched == now_) return;
  domain.touched = now_;
  to_decide_.push_back(leader);
}

template <class Router>
void Engine<Router>::decide(Group leader) {
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

// A domain of one port: whoever is left waiting will be woken by the end of a transmission.
template <class Router>
void Engine<Router>::decide_port(Group g) {
  const fabric::Channel c = channel(groups_[g], 0);
  if (!idle(c) || !buffers_.has_room(phits_behind(c))) return;
  grant(g, choose(g, c), c);
}

// Everybody who waits in a group asks for one of the ports with most credits.
template <class Router>
void Engine<Router>::ask(Group g) {
  // Find these ports.
  const GroupState& group = groups_[g];
  std::int32_t least = INT32_MAX;
  bool any_idle = false;
  for (std::uint32_t i = 0; i < group.ports; ++i) {
    const fabric::Channel c = channel(group, i);
    const std::int32_t have = phits_behind(c);
    if (have > least) continue;
    if (have < least) {
      ties_.clear();
      any_idle = false;
      least = have;
    }
    ties_.push_back(c);
    any_idle = any_idle || idle(c);
  }
  if (!any_idle || !buffers_.has_room(least)) return;

  // Ask. If all ask for the same, and nobody else does, choose at once.
  const auto count = static_cast<std::uint32_t>(ties_.size());
  if (count == 1 && groups_[group.leader].members == 1) {
    grant(g, choose(g, ties_[0]), ties_[0]);
    return;
  }
  waiters_.for_each(g, [&](std::uint32_t port) {
    const fabric::Channel c = ties_[draw_tie(count)];
    if (idle(c)) request(g, port, c);
  });
}

template <class Router>
std::uint32_t Engine<Router>::draw_tie(std::uint32_t count) {
  if (count == 1) return 0;
  if (options_.ties == Ties::uniform) return random_.below(count);
  const std::uint32_t drawn = random_.below(count + 1);
  return drawn == 0 ? 0 : drawn - 1;
}

// Keep one of those that ask for a port: each of r with probability 1 / r, or the next in turn.
template <class Router>
void Engine<Router>::request(Group g, std::uint32_t port, fabric::Channel c) {
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

template <class Router>
void Engine<Router>::serve() {
  for (const Request& asked : requests_) grant(asked.group, asked.port, asked.channel);
  requests_.clear();
}

// If somebody still waits although a port is idle, find out when that port can be chosen at the earliest.
template <class Router>
void Engine<Router>::look_again(Group leader) {
  GroupState& domain = groups_[leader];
  std::int32_t soonest = INT32_MAX;
  for (Group g = leader; g < leader + domain.members; ++g) {
    const GroupState& group = groups_[g];
    if (group.waiting == 0) continue;
    std::int32_t least = INT32_MAX, least_idle = INT32_MAX;
    for (std::uint32_t i = 0; i < group.ports; ++i) {
      const fabric::Channel c = channel(group, i);
      const std::int32_t have = phits_behind(c);
      least = std::min(least, have);
      if (idle(c) && buffers_.has_room(have)) least_idle = std::min(least_idle, have);
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

// How many places after the one that had the channel last a port comes.
template <class Router>
std::uint32_t Engine<Router>::turns_to(std::uint32_t port, fabric::Channel c) const {
  const std::uint32_t ports = network_.most_ports;
  return (port + ports - last_served_[static_cast<std::size_t>(c)] - 1) % ports;
}

// One of those that wait in a group, all of whom ask for channel c.
template <class Router>
std::uint32_t Engine<Router>::choose(Group g, fabric::Channel c) {
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
template <class Router>
void Engine<Router>::grant(Group g, std::uint32_t port, fabric::Channel c) {
  // Take it out of the group and its queue.
  GroupState& group = groups_[g];
  waiters_.remove(g, port);
  --group.waiting;
  --groups_[group.leader].domain_waiting;
  if (!last_served_.empty()) last_served_[static_cast<std::size_t>(c)] = static_cast<std::uint16_t>(port);
  const std::uint32_t q = queue_at_[group.first_queue + port];
  Packet packet;
  if (injects(q)) {
    const Feed::Packet taken = feed_.take(task_of(q));
    packet = {taken.message, key_[static_cast<std::size_t>(taken.message)], taken.entered, 0};
  } else {
    packet = buffers_.pop(q);
  }
  buffers_[q].leaving = now_;
  buffers_[q].out = static_cast<std::uint32_t>(c);
  ends_.add(now_ + P_, q);

  // Put it where the channel leads.
  const auto to = static_cast<std::uint32_t>(c);
  Queue& behind = buffers_[to];
  behind.entering = now_;
  ++behind.load;
  ++result_.packet_hops;
  ++pending_;
  if (behind.switch_entered >= 0) {
    packet.group = router_.group(behind.switch_entered, packet.key);
    buffers_.push(to, packet);
    heads_.add(now_ + 1, to);
    ++pending_;
  } else {
    deliver(packet);
  }
}

// A packet enters its destination in this cycle: it will be there in P more, whatever happens.
template <class Router>
void Engine<Router>::deliver(const Packet& packet) {
  ++result_.packets;
  result_.delay.add(now_ + P_ - packet.entered);
  if (!feed_.count_packet(packet.message)) return;
  complete_.add(now_ + P_ + 1, static_cast<std::uint32_t>(packet.message));
  ++pending_;
}

// Go on to the next cycle in which something happens; false: nothing will.
template <class Router>
bool Engine<Router>::next_cycle() {
  std::int64_t next = std::int64_t{now_} + 1;
  if (pending_ == 0) {
    if (!feed_.computing()) return false;
    next = std::max(next, feed_.next_timer());
  }
  if (next > last_cycle) {
    throw Error("traffic '" + traffic_.name + "' takes more than 2^31 cycles; choose larger packets");
  }
  now_ = static_cast<std::int32_t>(next);
  return true;
}

template <class Router>
void Engine<Router>::report() {
  reported_ = result_.packet_hops;
  if (!options_.progress) return;
  const double part =
      feed_.total() > 0 ? static_cast<double>(feed_.delivered()) / static_cast<double>(feed_.total()) : 1;
  if (!options_.progress(part)) throw Error("cancelled");
}

template <class Router>
void Engine<Router>::sample() {
  OccupationSample& made = result_.occupation.emplace_back();
  made.cycle = now_;
  made.packets.assign(static_cast<std::size_t>(topology_.levels()) + 1, 0);
  for (std::uint32_t q = 0; q < channels_; ++q) {
    const Queue& queue = buffers_[q];
    if (queue.switch_entered < 0) continue;
    made.packets[static_cast<std::size_t>(topology_.level(queue.switch_entered))] +=
        queue.count + (now_ - queue.leaving < P_ ? 1 : 0);
  }
}

template <class Router>
void Engine<Router>::report_deadlock() const {
  // Every queue whose first packet waits, and the channels that it waits for.
  std::vector<WaitingQueue> waiting;
  for (Group g = 0; g < groups_.size(); ++g) {
    waiters_.for_each(g, [&](std::uint32_t port) {
      const std::uint32_t q = queue_at_[groups_[g].first_queue + port];
      if (!injects(q)) waiting.push_back({static_cast<fabric::Channel>(q), network_.channels(g)});
    });
  }
  throw Error(describe_deadlock(topology_, waiting, feed_.waits()));
}

template <class Router>
std::int64_t Engine<Router>::bytes_used() const {
  const auto size = [](const auto& values) {
    return static_cast<std::int64_t>(values.capacity() * sizeof(values[0]));
  };
  return feed_.bytes() + buffers_.bytes() + waiters_.bytes() + size(groups_) + size(queue_at_) + size(key_) +
         size(network_.groups) + size(network_.queues) + size(network_.sender) +
         size(network_.switch_entered) + size(network_.port_entered);
}

}  // namespace sortlast::simulate
