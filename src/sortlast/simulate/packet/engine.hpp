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
// Method. Within a cycle all decisions see the state before any movement of that cycle. So the phits in a
// queue need not be counted; they follow from the number of its packets and from when the last one began to
// enter and the last one began to leave:
//
//     phits(t) = P n - max(0, P - (t - entering)) + max(0, P - (t - leaving)),   n packets that have not
//     begun
//                                                                                 to leave,
//
// which is right for t itself even when this cycle's decisions are noted already. Three things happen: a
// transmission ends (an output port is idle, a queue has its next packet and room for another), a head
// arrives at an empty queue, a message is complete. They lie in wheels by cycle. A port is decided only if
// somebody waits for it and one of these happened to it: idle ports cost nothing.
//
// A queue can fill up or drain without any of these, and with that the choice of those that wait at several
// ports can change. Between two ports the difference in phits changes by at most 2 a cycle, so a port that is
// idle and has d phits more than the best cannot be chosen within the next (d + 1) / 2 - 1 cycles: the domain
// is looked at again after that, and no earlier.
//
// Rejected: an event for every phit (16 times the events); events at a heap (a transmission takes P cycles,
// so wheels of P + 2 places do); a pool of packets (a packet of 16 bytes is copied from queue to queue for
// less than following an index costs).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/packet/deadlock.hpp"
#include "sortlast/simulate/packet/feed.hpp"
#include "sortlast/simulate/packet/network.hpp"
#include "sortlast/simulate/packet/random.hpp"
#include "sortlast/simulate/packet/wheel.hpp"

namespace sortlast::simulate {

template <class Router>
class Engine {
 public:
  Engine(const fabric::Topology& topology, const Network& network, const Router& router,
         const Traffic& traffic, const fabric::Placement& placement, const PacketOptions& options);
  PacketRun run();

 private:
  // A packet on its way.
  struct Packet {
    Traffic::Message message = 0;
    std::uint32_t key = 0;     // of the router
    std::int32_t entered = 0;  // its injection queue
    Group group = 0;           // that it waits for in the queue where it is
  };
  // A queue: behind each channel, and behind those one injection queue a task.
  struct Queue {
    std::int32_t entering = long_ago, leaving = long_ago;  // cycles in which the last one began to
    std::uint32_t out = 0;                                 // channel by which the last one left
    std::uint16_t count = 0, head = 0;                     // packets that have not begun to leave
  };
  static constexpr std::int32_t long_ago = -(1 << 17);
  static constexpr std::int32_t last_cycle = INT32_MAX - (1 << 18);

  std::int32_t phits(const Queue& queue) const {
    return P_ * queue.count - std::max(0, P_ - (now_ - queue.entering)) +
           std::max(0, P_ - (now_ - queue.leaving));
  }
  bool idle(const Queue& queue) const { return now_ - queue.entering >= P_; }
  bool injects(std::uint32_t q) const { return q >= channels_; }
  std::int32_t task_of(std::uint32_t q) const { return static_cast<std::int32_t>(q - channels_); }
  Packet& place(std::uint32_t q, std::uint32_t offset) {
    std::uint32_t at = queues_[q].head + offset;
    if (at >= capacity_) at -= capacity_;
    return packets_[std::size_t{q} * capacity_ + at];
  }

  void begin_cycle();
  void end_transmission(std::uint32_t q);
  void wait(std::uint32_t q);
  void touch(Domain d);
  void decide(Domain d);
  void decide_port(Group g);
  void ask(Group g);
  void serve_asked();
  void look_again(Domain d);
  std::uint32_t choose(Group g, fabric::Channel c);
  std::uint32_t turns_to(std::uint32_t q, fabric::Channel c) const;
  void note_request(std::uint32_t q, Group g, fabric::Channel c);
  void grant(std::uint32_t q, Group g, fabric::Channel c);
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
  const std::int32_t room_;  // phits in a queue that leave room for a packet
  const std::uint32_t capacity_;
  const std::uint32_t channels_;
  Feed feed_;
  Random random_;
  std::int32_t now_ = 0;

  std::vector<Queue> queues_;           // channels, then tasks
  std::vector<Packet> packets_;         // channels x capacity: rings
  std::vector<std::uint32_t> key_;      // by message
  std::vector<Group> host_group_;       // by task
  std::vector<std::uint32_t> waiters_;  // queues, by group
  std::vector<std::uint16_t> waiting_;  // by group: how many
  std::vector<std::uint32_t> domain_waiting_;
  std::vector<std::int32_t> touched_;  // by domain: cycle in which it was last noted to be decided
  std::vector<std::int32_t> look_at_;  // by domain: cycle in which it will be looked at again
  std::vector<Domain> to_decide_;
  std::vector<std::int64_t> loads_;

  // Requests of the domain that is being decided, by channel.
  struct Request {
    std::uint32_t count = 0, queue = 0;
    Group group = 0;
  };
  std::vector<Request> requests_;
  std::vector<fabric::Channel> asked_, best_;
  std::vector<std::uint32_t> last_served_;  // round robin: by channel, port of the queue

  Wheel<std::uint32_t> ends_, heads_, looks_, complete_;
  std::int64_t pending_ = 0;  // what lies in the wheels
  std::int64_t reported_ = 0;
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
      room_((options.buffer_packets - 1) * options.packet_phits),
      capacity_(static_cast<std::uint32_t>(options.buffer_packets)),
      channels_(static_cast<std::uint32_t>(topology.channels())),
      feed_(traffic, options),
      random_(options.seed),
      queues_(channels_ + static_cast<std::size_t>(traffic.tasks)),
      packets_(std::size_t{channels_} * capacity_),
      waiters_(network.first_waiter.back()),
      waiting_(network.groups()),
      domain_waiting_(network.domains()),
      touched_(network.domains(), -1),
      look_at_(network.domains(), -1),
      loads_(channels_),
      requests_(channels_),
      last_served_(options.arbitration == Arbitration::round_robin ? channels_ : 0),
      ends_(P_ + 2),
      heads_(2),
      looks_(P_ + 2),
      complete_(P_ + 2) {
  const std::vector<std::int32_t> source = sources(traffic);
  for (std::size_t m = 0; m < source.size(); ++m) {
    key_.push_back(router.key(placement[static_cast<std::size_t>(source[m])],
                              placement[static_cast<std::size_t>(traffic.destination[m])]));
  }
  for (const std::int32_t host : placement) host_group_.push_back(static_cast<Group>(host));
}

template <class Router>
PacketRun Engine<Router>::run() {
  feed_.start();
  do {
    begin_cycle();
    for (const Domain d : to_decide_) decide(d);
    to_decide_.clear();
    if (options_.sample_cycles > 0 && now_ % options_.sample_cycles == 0) sample();
    if (result_.packet_hops - reported_ >= (1 << 20)) report();
  } while (next_cycle());
  if (feed_.delivered() < feed_.total()) report_deadlock();

  result_.seconds =
      static_cast<double>(result_.cycles) * options_.packet_bytes / P_ / options_.link_bytes_per_second;
  result_.bytes_used = bytes_used();
  result_.link_loads = std::move(loads_);
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
    if (now_ - queues_[q].leaving > P_) wait(q);  // else the end of its transmission will see it
  }
  feed_.woken().clear();

  // End transmissions, and let heads that have arrived at an empty queue wait.
  for (const std::uint32_t q : ends_.at(now_)) end_transmission(q);
  for (const std::uint32_t q : heads_.at(now_)) {
    if (queues_[q].count == 1 && now_ - queues_[q].leaving > P_) wait(q);
  }
  for (const Domain d : looks_.at(now_)) {
    if (look_at_[d] == now_) touch(d);
  }
  pending_ -= complete_.clear(now_) + ends_.clear(now_) + heads_.clear(now_) + looks_.clear(now_);
}

template <class Router>
void Engine<Router>::end_transmission(std::uint32_t q) {
  touch(network_.domain_of_channel[queues_[q].out]);
  if (injects(q)) {
    feed_.left(task_of(q), now_);
    feed_.woken().clear();
    if (!feed_.empty(task_of(q))) wait(q);
  } else {
    touch(network_.domain_of_channel[q]);
    if (queues_[q].count > 0) wait(q);
  }
}

// The first packet of a queue begins to wait for a port.
template <class Router>
void Engine<Router>::wait(std::uint32_t q) {
  const Group g = injects(q) ? host_group_[static_cast<std::size_t>(task_of(q))] : place(q, 0).group;
  waiters_[network_.first_waiter[g] + waiting_[g]++] = q;
  const Domain d = network_.domain_of_group[g];
  ++domain_waiting_[d];
  touch(d);
}

template <class Router>
void Engine<Router>::touch(Domain d) {
  if (domain_waiting_[d] == 0 || touched_[d] == now_) return;
  touched_[d] = now_;
  to_decide_.push_back(d);
}

template <class Router>
void Engine<Router>::decide(Domain d) {
  const Group first = network_.first_group[d], end = network_.first_group[d + 1];
  if (end - first == 1 && network_.first_port[first + 1] - network_.first_port[first] == 1) {
    decide_port(first);
    return;
  }
  for (Group g = first; g < end; ++g) {
    if (waiting_[g] > 0) ask(g);
  }
  serve_asked();
  look_again(d);
}

// A domain of one port: what is left waiting will be woken by the end of a transmission.
template <class Router>
void Engine<Router>::decide_port(Group g) {
  const fabric::Channel c = network_.ports[network_.first_port[g]];
  const Queue& behind = queues_[static_cast<std::size_t>(c)];
  if (!idle(behind) || phits(behind) > room_) return;
  grant(choose(g, c), g, c);
}

// Everybody who waits in a group asks for one of the ports with most credits.
template <class Router>
void Engine<Router>::ask(Group g) {
  std::int32_t least = INT32_MAX;
  bool any_idle = false;
  best_.clear();
  for (const fabric::Channel c : network_.ports_of(g)) {
    const Queue& behind = queues_[static_cast<std::size_t>(c)];
    const std::int32_t have = phits(behind);
    if (have > least) continue;
    if (have < least) {
      best_.clear();
      any_idle = false;
      least = have;
    }
    best_.push_back(c);
    any_idle = any_idle || idle(behind);
  }
  if (least > room_ || !any_idle) return;
  const std::uint32_t* const queue = waiters_.data() + network_.first_waiter[g];
  for (std::uint32_t i = 0; i < waiting_[g]; ++i) {
    const fabric::Channel c =
        best_.size() == 1 ? best_[0] : best_[random_.below(static_cast<std::uint32_t>(best_.size()))];
    if (idle(queues_[static_cast<std::size_t>(c)])) note_request(queue[i], g, c);
  }
}

// Keep one of those that ask for a port: each of r with probability 1 / r, or the next in turn.
template <class Router>
void Engine<Router>::note_request(std::uint32_t q, Group g, fabric::Channel c) {
  Request& request = requests_[static_cast<std::size_t>(c)];
  if (request.count++ == 0) {
    asked_.push_back(c);
  } else if (options_.arbitration == Arbitration::round_robin ? turns_to(q, c) > turns_to(request.queue, c)
                                                              : random_.below(request.count) != 0) {
    return;
  }
  request.queue = q;
  request.group = g;
}

template <class Router>
void Engine<Router>::serve_asked() {
  for (const fabric::Channel c : asked_) {
    const Request request = std::exchange(requests_[static_cast<std::size_t>(c)], {});
    grant(request.queue, request.group, c);
  }
  asked_.clear();
}

// If somebody still waits although a port is idle, find out when that port can be chosen at the earliest.
template <class Router>
void Engine<Router>::look_again(Domain d) {
  std::int32_t soonest = INT32_MAX;
  for (Group g = network_.first_group[d]; g < network_.first_group[d + 1]; ++g) {
    if (waiting_[g] == 0) continue;
    std::int32_t least = INT32_MAX, least_idle = INT32_MAX;
    for (const fabric::Channel c : network_.ports_of(g)) {
      const Queue& behind = queues_[static_cast<std::size_t>(c)];
      const std::int32_t have = phits(behind);
      least = std::min(least, have);
      if (idle(behind) && have <= room_) least_idle = std::min(least_idle, have);
    }
    if (least_idle != INT32_MAX) soonest = std::min(soonest, std::max(1, (least_idle - least + 1) / 2));
  }
  if (soonest == INT32_MAX) return;
  soonest = std::min(soonest, P_ + 1);
  if (look_at_[d] > now_ && look_at_[d] <= now_ + soonest) return;
  look_at_[d] = now_ + soonest;
  looks_.add(now_ + soonest, d);
  ++pending_;
}

// How many places after the one that had the channel last a queue's port comes.
template <class Router>
std::uint32_t Engine<Router>::turns_to(std::uint32_t q, fabric::Channel c) const {
  if (injects(q)) return 0;
  const std::int32_t s = network_.switch_of_queue[q];
  const auto ports = static_cast<std::uint32_t>(topology_.switch_at(s).ports);
  const auto port = static_cast<std::uint32_t>(network_.port_of_queue[q]);
  return (port + 2 * ports - last_served_[static_cast<std::size_t>(c)] - 1) % ports;
}

// One of those that wait for the only port of a group.
template <class Router>
std::uint32_t Engine<Router>::choose(Group g, fabric::Channel c) {
  const std::uint32_t* const queue = waiters_.data() + network_.first_waiter[g];
  if (waiting_[g] == 1) return queue[0];
  if (options_.arbitration == Arbitration::random) return queue[random_.below(waiting_[g])];
  return *std::min_element(queue, queue + waiting_[g],
                           [&](std::uint32_t a, std::uint32_t b) { return turns_to(a, c) < turns_to(b, c); });
}

// The first packet of queue q leaves by channel c in this cycle.
template <class Router>
void Engine<Router>::grant(std::uint32_t q, Group g, fabric::Channel c) {
  // Take it out of the group and its queue.
  std::uint32_t* const waiting = waiters_.data() + network_.first_waiter[g];
  *std::find(waiting, waiting + waiting_[g], q) = waiting[waiting_[g] - 1];
  --waiting_[g];
  --domain_waiting_[network_.domain_of_group[g]];
  Queue& from = queues_[q];
  Packet packet;
  if (injects(q)) {
    const Feed::Packet taken = feed_.take(task_of(q));
    packet = {taken.message, key_[static_cast<std::size_t>(taken.message)], taken.entered, 0};
  } else {
    packet = place(q, 0);
    from.head = from.head + 1u == capacity_ ? std::uint16_t{0} : static_cast<std::uint16_t>(from.head + 1);
    --from.count;
    if (!last_served_.empty()) {
      last_served_[static_cast<std::size_t>(c)] = static_cast<std::uint32_t>(network_.port_of_queue[q]);
    }
  }
  from.leaving = now_;
  from.out = static_cast<std::uint32_t>(c);
  ends_.add(now_ + P_, q);

  // Put it where the channel leads.
  const auto to = static_cast<std::uint32_t>(c);
  ++loads_[to];
  ++result_.packet_hops;
  ++pending_;
  Queue& behind = queues_[to];
  behind.entering = now_;
  if (const std::int32_t s = network_.switch_of_queue[to]; s >= 0) {
    packet.group = router_.group(s, packet.key);
    place(to, behind.count++) = packet;
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
    const std::int32_t s = network_.switch_of_queue[q];
    if (s < 0) continue;
    made.packets[static_cast<std::size_t>(topology_.level(s))] +=
        queues_[q].count + (now_ - queues_[q].leaving < P_ ? 1 : 0);
  }
}

template <class Router>
void Engine<Router>::report_deadlock() const {
  // Every queue whose first packet waits, and the channels that it waits for.
  std::vector<WaitingQueue> waiting;
  for (Group g = 0; g < network_.groups(); ++g) {
    for (std::uint32_t i = 0; i < waiting_[g]; ++i) {
      const std::uint32_t q = waiters_[network_.first_waiter[g] + i];
      if (!injects(q)) waiting.push_back({static_cast<fabric::Channel>(q), network_.ports_of(g)});
    }
  }
  throw Error(describe_deadlock(topology_, waiting, feed_.waits()));
}

template <class Router>
std::int64_t Engine<Router>::bytes_used() const {
  const auto size = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
  return feed_.bytes() +
         static_cast<std::int64_t>(size(queues_) + size(packets_) + size(key_) + size(host_group_) +
                                   size(waiters_) + size(waiting_) + size(domain_waiting_) + size(touched_) +
                                   size(look_at_) + size(loads_) + size(requests_) + size(network_.ports) +
                                   size(network_.first_port) + size(network_.first_waiter) +
                                   size(network_.domain_of_group) + size(network_.domain_of_channel) +
                                   size(network_.switch_of_queue) + size(network_.port_of_queue));
}

}  // namespace sortlast::simulate
