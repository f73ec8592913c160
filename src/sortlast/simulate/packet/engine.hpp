// Engine: the packet simulator proper; its members are defined in engine_decide.hpp and packet.cpp.
//
// Model, one cycle being the time of a phit on a link (Navaridas et al., section 3.1, and the simulator FSIN
// of the same group, from which everything that the paper leaves open was learnt):
//   - A packet is P = packet_phits long. If its head leaves a vertex in cycle t, its tail leaves in
//     t + P - 1; the link and the buffer's output are free again in t + P. The head may leave the next switch
//     in t + 1.
//   - Every input port of a switch has one queue of `buffer_packets`. The first packet of a queue, and only
//     that, asks for one output port a cycle: of the ports on its shortest paths the one with most credits,
//     that is, with the fewest phits in the queue behind it, whether the port is busy or not; one at random
//     if several have that many. It asks only if there is room for a whole packet behind the port.
//     With Requests::persistent it chooses so once, in the cycle in which it comes to the head of its queue,
//     and asks for that port until it leaves.
//   - An idle output port that is asked for goes to one of those that ask. Virtual cut-through: room for the
//     whole packet is there, so that it never stops in between.
//   - Credits are out of band and take no time: a queue has room again when a tail has left.
//   - Hosts take in what arrives without delay. A message is there when the tails of all its packets are;
//     what it causes may enter the injection queue in the next cycle. So one packet alone over h pairs of an
//     up- and a down-link takes 2h + P - 1 cycles from entering the injection queue to the arrival of its
//     tail.
//   - With switch_cycles = s a head that leaves a vertex in cycle t may leave the next switch in t + s. It is
//     in the buffer meanwhile, and packets follow each other as closely as ever: over h pairs of links a
//     packet alone takes (2h - 1) s + P cycles.
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
// Persistent requests need none of that: a packet waits for one port, so that every port is a domain of its
// own, as with static tables. They are a template parameter, and the rest runs as if there were none.
//
// A hop touches a dozen lines of memory, few of which a first-level cache still holds. So a cycle goes
// through lists, one after the other: transmissions that end, heads that arrive, domains to decide, packets
// to copy; and what an item of a list will need is asked for while those some places in front of it are dealt
// with.
//
// Rejected: an event for every phit (16 times the events); events in a heap (a transmission takes P cycles,
// so wheels of P + 2 places do); a pool of packets (a packet of 12 bytes is copied from queue to queue for
// less than following an index costs); one array a property (every hop would touch a line of each); copying
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
  // The router names groups of `choices`; packets wait in those of `network`: the same, or, with persistent
  // requests, that of port_network(). All of them must outlive the engine.
  Engine(const fabric::Topology& topology, const Network& network, const Network& choices,
         const Router& router, const Traffic& traffic, const fabric::Placement& placement,
         const Background& background, const PacketOptions& options);
  PacketResult run();

 private:
  // What a decision needs of a group; the part of a domain is that of its leader.
  struct alignas(32) GroupState {
    std::uint32_t first = 0;        // as in Network::Ports
    std::uint32_t first_queue = 0;  // as in Network::Ports
    Group leader = 0;
    std::int32_t touched = -1;  // cycle for which the domain was last noted to be decided
    std::int32_t look_at = -1;  // cycle in which the domain will be looked at again
    std::uint16_t ports = 0;    // how many; `scattered` more if their channels do not follow each other
    std::uint16_t members = 0;  // of a leader
    std::uint16_t waiting = 0;  // queues that wait in this group
    std::uint16_t domain_waiting = 0;
  };
  // What those who wait in a domain ask of one of its channels.
  struct Request {
    fabric::Channel channel = 0;
    Group group = 0;
    std::uint32_t port = 0;   // of the queue that has the best claim so far
    std::uint32_t count = 0;  // of those that asked
  };
  // A packet that leaves a queue for another in this cycle.
  struct Transmission {
    std::uint32_t from = 0, to = 0;  // queues
    Group sender = 0;                // leader of the domain that lets it go
    std::uint32_t slot = 0;          // of the queue that it enters
  };
  // What the best ports of a group, which are in ties_, have in common.
  struct Best {
    std::int32_t phits = INT32_MAX;  // behind each of them
    std::uint32_t ports = 0;         // how many
    bool any_idle = false;
  };
  static constexpr std::uint16_t scattered = 1 << 15;
  static constexpr std::size_t ahead = 8;  // items of a list whose memory is asked for before their turn
  static constexpr std::int32_t last_cycle = INT32_MAX - (1 << 18);
  // Cycles without progress after which traffic beside a background, which never rests, is given up.
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
  [[gnu::flatten]] void decide(Group leader);  // as one function: a twelfth less time in all
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
  std::vector<std::int32_t> phits_;      // behind each port of the group that asks ...
  std::vector<fabric::Channel> ties_;    // ... and those with most credits
  std::vector<Request> requests_;
  std::vector<std::uint16_t> last_served_;  // round robin: by channel, port of the queue

  Wheel<std::uint32_t> ends_, heads_, looks_, complete_;
  std::int64_t pending_ = 0;   // what lies in the wheels
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

  // Put the tasks on their hosts.
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
