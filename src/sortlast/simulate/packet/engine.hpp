// Engine: the core of the packet simulator; its members are defined in engine_decide.hpp and packet.cpp.
//
// Model, where a cycle is the time of a phit on a link (Navaridas et al., section 3.1; details that the paper
// leaves open follow the simulator FSIN of the same group):
//   - A packet is P = packet_phits long. If its head leaves a vertex in cycle t, its tail leaves in t + P -
//     1; the link and the buffer's output are free again in t + P. The head may leave the next switch in t +
//     1.
//   - Every input port of a switch has one queue of `buffer_packets`. Only the first packet of a queue
//     requests an output port, one per cycle: among the ports on its shortest paths the one with most
//     credits, that is, with the fewest phits in the queue behind it, whether the port is busy or not; a
//     random one if several have as many. It requests a port only if there is room for a whole packet behind
//     it. With Requests::persistent it chooses only once, in the cycle in which it reaches the head of its
//     queue, and requests that port until it leaves.
//   - An idle output port serves one of the requests. Virtual cut-through: there is room for the whole
//     packet, so it never stops halfway.
//   - Credits are out of band and take no time: a queue has room again when a tail has left.
//   - Hosts accept packets without delay. A message has arrived when the tails of all its packets have;
//     messages that it causes may enter the injection queue in the next cycle. A single packet over h
//     pairs of an up- and a down-link takes 2h + P - 1 cycles from entering the injection queue to the
//     arrival of its tail.
//   - With switch_cycles = s a head that leaves a vertex in cycle t may leave the next switch in t + s. It
//     stays in the buffer meanwhile, and packets follow each other as closely as before: over h pairs of
//     links a single packet takes (2h - 1) s + P cycles.
//
// Method. There are three events: a transmission ends (an output port is idle, a queue has its next packet at
// the front and room for another), a head arrives at an empty queue, a message is complete. They are stored
// in timing wheels by cycle. A port is decided only if a queue waits for it and it had one of these events:
// idle ports cost nothing, and a hop costs two entries in a wheel. The phits in queues follow from times: see
// buffers.hpp.
//
// A queue can fill up or drain without any of these events, which can change the choice of packets that wait
// at several ports. The difference in phits between two ports changes by at most 2 per cycle, so an idle port
// with d phits more than the best cannot be chosen within the next (d + 1) / 2 - 1 cycles: the domain is
// examined again after that, and no earlier.
//
// Persistent requests need none of this: a packet waits for one port, so every port is a separate domain, as
// with static tables. They are a template parameter, and the rest runs as if they did not exist.
//
// A hop touches a dozen cache lines, few of which are still in the first-level cache. A cycle therefore
// processes lists, one after the other: transmissions that end, heads that arrive, domains to decide, packets
// to copy; the memory of an item is prefetched some positions ahead.
//
// Rejected: an event for every phit (16 times the events); events in a heap (a transmission takes P cycles,
// so wheels of P + 2 places suffice); a pool of packets (copying a packet of 12 bytes from queue to queue
// costs less than following an index); one array per property (every hop would touch a line of each); copying
// a packet as soon as it is granted a port (a tenth more time: neither queue is in the cache).
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/packet/buffers.hpp"
#include "sortlast/simulate/packet/feed.hpp"
#include "sortlast/simulate/packet/network.hpp"
#include "sortlast/simulate/packet/random.hpp"

namespace sortlast::simulate {

template <class Router, Requests requests>
class Engine {
 public:
  // The router returns groups of `choices`; packets wait in groups of `network`: the same network or, with
  // persistent requests, port_network(). All arguments must outlive the engine.
  Engine(const fabric::Topology& topology, const Network& network, const Network& choices,
         const Router& router, const Traffic& traffic, const fabric::Placement& placement,
         const Background& background, const PacketOptions& options);
  PacketResult run();

 private:
  // The data of a group that a decision needs; data of a domain are in its leader.
  struct alignas(32) GroupState {
    std::uint32_t first = 0;        // as in Network::Ports
    std::uint32_t first_queue = 0;  // as in Network::Ports
    Group leader = 0;
    std::int32_t touched = -1;  // last cycle in which the domain was added to the list
    std::int32_t look_at = -1;  // cycle in which the domain will be examined again
    std::uint16_t ports = 0;    // number of ports; plus `scattered` if their channels are not consecutive
    std::uint16_t members = 0;  // for a leader
    std::uint16_t waiting = 0;  // queues waiting in this group
    std::uint16_t domain_waiting = 0;
  };
  // Requests for a channel from the packets that wait in a domain.
  struct Request {
    fabric::Channel channel = 0;
    Group group = 0;
    std::uint32_t port = 0;   // of the queue with the best claim so far
    std::uint32_t count = 0;  // number of requests
  };
  // A packet that moves from one queue to another in this cycle.
  struct Transmission {
    std::uint32_t from = 0, to = 0;  // queues
    Group sender = 0;                // leader of the domain that grants it
    std::uint32_t slot = 0;          // in the queue that it enters
  };
  // Common properties of the best ports of a group, which are in ties_.
  struct Best {
    std::int32_t phits = INT32_MAX;  // behind each of them
    std::uint32_t ports = 0;         // number of these ports
    bool any_idle = false;
  };
  static constexpr std::uint16_t scattered = 1 << 15;
  static constexpr std::size_t ahead = 8;  // prefetch distance in lists
  static constexpr std::int32_t last_cycle = INT32_MAX - (1 << 18);
  // Cycles without progress after which traffic with a background, which never ends, is aborted.
  static constexpr std::int64_t most_idle = 1 << 20;

  bool injects(std::uint32_t q) const { return q >= channels_; }
  std::int32_t task_of(std::uint32_t q) const { return static_cast<std::int32_t>(q - channels_); }
  fabric::Channel channel(const GroupState& group, std::uint32_t i) const {
    return group.ports < scattered ? static_cast<fabric::Channel>(group.first + i)
                                   : network_.scattered[group.first + i];
  }
  std::int32_t phits_behind(fabric::Channel c) const {
    return buffers_.phits(buffers_[static_cast<std::size_t>(c)], now_);
  }
  // Whether the head of the last packet that entered a queue may leave it.
  bool may_leave(const Queue& queue) const { return now_ >= queue.entered - P_ + switch_cycles_; }
  bool idle(fabric::Channel c) const { return buffers_.idle(buffers_[static_cast<std::size_t>(c)], now_); }

  void begin_cycle();
  void decide_all();
  void begin_all();
  void end_transmission(std::uint32_t q);
  void wait(std::uint32_t q);
  Group waits_in(std::uint32_t q);
  void touch(Group leader);
  [[gnu::flatten]] void decide(Group leader);  // inlined completely: a twelfth less time in total
  void decide_port(Group g);
  template <class ChannelAt>
  Best find_best(std::uint32_t ports, const ChannelAt& channel_at);
  void ask(Group g);
  std::uint32_t draw_tie(std::uint32_t count);
  void request(Group g, std::uint32_t port, fabric::Channel c);
  void serve();
  void look_again(Group leader);
  std::uint32_t choose(Group g, fabric::Channel c);
  std::uint32_t turns_to(std::uint32_t port, fabric::Channel c) const;
  void grant(Group g, std::uint32_t port, fabric::Channel c);
  void begin_transmission(const Transmission& granted);
  void deliver(const Packet& packet);
  void prefetch_group(Group g) const;
  void prefetch_ports(Group leader) const;
  void prefetch_wait(std::uint32_t q) const;
  bool next_cycle();
  void report();
  void sample();
  [[noreturn]] void report_deadlock() const;
  std::int64_t bytes_used() const;

  const fabric::Topology& topology_;
  const Network& network_;
  const Network& choices_;
  const Router& router_;
  const Traffic& traffic_;
  const PacketOptions& options_;
  const std::int32_t P_, switch_cycles_;
  const std::uint32_t channels_;
  Feed feed_;
  Random random_;
  std::int32_t now_ = 0;

  Buffers buffers_;
  std::vector<GroupState> groups_;
  Waiters waiters_;
  std::vector<std::uint32_t> queue_at_;  // by place in Network::queues
  std::vector<std::uint32_t> key_;       // by message, then by number of the background
  std::vector<Transmission> granted_;    // in this cycle
  std::vector<Group> to_decide_;         // leaders
  std::vector<std::int32_t> phits_;      // behind each port of the requesting group ...
  std::vector<fabric::Channel> ties_;    // ... and the ports with most credits
  std::vector<Request> requests_;
  std::vector<std::uint16_t> last_served_;  // round-robin: by channel, port of the queue

  Wheel<std::uint32_t> ends_, heads_, looks_, complete_;
  std::int64_t pending_ = 0;   // entries in the wheels
  std::int64_t reported_ = 0;  // packet hops at the last report of progress
  PacketResult result_;
};

template <class Router, Requests requests>
Engine<Router, requests>::Engine(const fabric::Topology& topology, const Network& network,
                                 const Network& choices, const Router& router, const Traffic& traffic,
                                 const fabric::Placement& placement, const Background& background,
                                 const PacketOptions& options)
    : topology_(topology),
      network_(network),
      choices_(choices),
      router_(router),
      traffic_(traffic),
      options_(options),
      P_(options.packet_phits),
      switch_cycles_(options.switch_cycles),
      channels_(static_cast<std::uint32_t>(topology.channels())),
      feed_(traffic, background, options),
      random_(options.seed),
      buffers_(network, static_cast<std::size_t>(traffic.tasks), P_, options.buffer_packets),
      waiters_(network.groups.size(), network.most_ports),
      queue_at_(network.queues),
      phits_(network.most_ports),
      ties_(network.most_ports),
      last_served_(options.arbitration == Arbitration::round_robin ? channels_ : 0),
      ends_(P_ + 2),
      heads_(options.switch_cycles + 1),
      looks_(P_ + 2),
      complete_(P_ + 2) {
  for (const Network::Ports& ports : network.groups) {
    GroupState& group = groups_.emplace_back();
    group.first = ports.first;
    group.first_queue = ports.first_queue;
    group.leader = ports.leader;
    group.ports = static_cast<std::uint16_t>(ports.count + (ports.consecutive ? 0u : scattered));
    group.members = static_cast<std::uint16_t>(ports.members);
  }

  // Place the tasks on their hosts.
  for (std::size_t task = 0; task < placement.size(); ++task) {
    const auto q = channels_ + static_cast<std::uint32_t>(task);
    buffers_.place(q).sender = static_cast<Group>(placement[task]);
    queue_at_[static_cast<std::size_t>(placement[task])] = q;
  }
  const std::vector<std::int32_t> source = sources(traffic);
  for (std::size_t m = 0; m < source.size(); ++m) {
    key_.push_back(router.key(placement[static_cast<std::size_t>(source[m])],
                              placement[static_cast<std::size_t>(traffic.destination[m])]));
  }
  for (std::size_t task = 0; background.any() && task < placement.size(); ++task) {
    for (std::int32_t i = background.first[task]; i < background.first[task + 1]; ++i) {
      const std::int32_t to = background.destination[static_cast<std::size_t>(i)];
      key_.push_back(router.key(placement[task], placement[static_cast<std::size_t>(to)]));
    }
  }
}

}  // namespace sortlast::simulate
