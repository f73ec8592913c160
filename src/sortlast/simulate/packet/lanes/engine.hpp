// Lane engine: packets in queues of several lanes per port; a template over the source of packets.
//
// Model, in addition to packet/engine.hpp:
//   - Behind every link are `lanes` queues of buffer_packets each. In each cycle in which its head may leave,
//     the first packet of each queue requests one lane of one idle port: among the ports that it may take,
//     the port with the fewest phits in the queues behind it, on the emptiest lane of its class.
//   - An input port sends one packet at a time. It offers one of its lanes, in turn among the lanes that can
//     send; an output port serves one of these offers, at random or in turn: separable allocation, input
//     first. Packets on a link are not interleaved. With LaneAllocation::lane_first a packet is first
//     allocated a lane, by the ports in turn, and keeps it until it has left; meanwhile its port may be busy,
//     and its input port may send others. Such a lane is unavailable to all others, which costs some 5 % of
//     the throughput under high load.
//   - A host may put a packet on any lane of its own link that has room, at random. Hop classes begin at the
//     first switch.
//   - With link_cycles or global_cycles d, a head that leaves in cycle t is at the other end of a link
//     between switches d cycles later than without, and the room of a packet that has left is known d cycles
//     later.
//   - UGAL and Valiant choose a path once, when the packet leaves its host's queue; UGAL by the phits that
//     are then in the queues of the neighbours of its host's switch.
//
// Method. Every switch with a packet in a queue is examined in every cycle: in a loaded network nearly all
// are busy, and a path may depend on any queue of the switch. Rejected: waking only the switches that can
// proceed, as packet/engine.hpp does; its bookkeeping relies on one queue per port, and on a choice that
// depends only on the queues behind the ports of a group. That engine remains for networks without lanes: on
// an 8-ary 3-tree it took a third of the time for a tree of messages, and a ninth for uniform traffic.
//
// A Source has
//   begin(now)                         processes everything up to this cycle
//   hosts()                            hosts with a packet to send, which wait for their link
//   take(host)                         its next packet, with its destination; the host leaves the list
//   left(host, now)                    its tail has left
//   arrives(packet, now)               its tail will have arrived when cycle `now` begins
//   over(now)                          whether enough has been simulated
//   next(now)                          the next cycle in which it has an event; -1: none
//   waits()                            the causes of its waits, if nothing moves any more
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/lanes.hpp"
#include "sortlast/simulate/packet/buffers.hpp"
#include "sortlast/simulate/packet/lanes/claims.hpp"
#include "sortlast/simulate/packet/lanes/queues.hpp"
#include "sortlast/simulate/packet/lanes/router.hpp"
#include "sortlast/simulate/packet/network.hpp"
#include "sortlast/simulate/packet/random.hpp"

namespace sortlast::simulate {

template <class Source>
class LaneEngine {
 public:
  // All arguments must outlive the engine.
  LaneEngine(const LaneRoutes& routes, Source& source, const PacketOptions& options, const LaneOptions& lanes)
      : router_(routes),
        topology_(router_.topology()),
        source_(source),
        options_(options),
        threshold_(lanes.ugal_threshold),
        P_(options.packet_phits),
        lanes_(lanes.lanes == 0 ? routes.classes : lanes.lanes),
        random_(options.seed),
        queues_(topology_, lanes_, options.buffer_packets),
        lane_first_(lanes.allocation == LaneAllocation::lane_first),
        claims_(lane_first_ ? queues_.size() : 0),
        busy_until_(static_cast<std::size_t>(topology_.channels())),
        sends_until_(busy_until_.size()),
        last_lane_(busy_until_.size()),
        last_served_(busy_until_.size()),
        loads_(busy_until_.size()),
        offers_(busy_until_.size()),
        waiting_(static_cast<std::size_t>(topology_.switches())),
        delay_(busy_until_.size()),
        ends_(P_ + std::max(lanes.link_cycles, lanes.global_cycles) + 1) {
    for (fabric::Channel c = topology_.hosts(); c < topology_.channels(); ++c) {
      const fabric::End &from = topology_.source(c), &to = topology_.target(c);
      if (!to.connected() || topology_.is_host(to.vertex)) continue;
      const bool within = !router_.has_groups() || router_.group(topology_.switch_of(from.vertex)) ==
                                                       router_.group(topology_.switch_of(to.vertex));
      delay_[at(c)] = within ? lanes.link_cycles : lanes.global_cycles;
    }
    most_delay_ = *std::max_element(delay_.begin(), delay_.end());
  }

  // Runs until the source has finished. Throws Error, with the circle, if buffers deadlock.
  void run() {
    for (;;) {
      source_.begin(now_);
      end_transmissions();
      moved_ = false;
      inject();
      for (std::size_t i = 0; i < active_.size();) {
        const std::int32_t s = active_[i];
        serve(s);
        if (waiting_[static_cast<std::size_t>(s)] > 0) {
          ++i;
        } else {
          active_[i] = active_.back();
          active_.pop_back();
        }
      }
      if (source_.over(now_) || !next_cycle()) return;
    }
  }

  std::int32_t now() const { return now_; }
  std::int64_t packet_hops() const { return packet_hops_; }
  const std::vector<std::int64_t>& loads() const { return loads_; }  // by channel: packets
  std::int64_t bytes() const { return queues_.bytes(); }

 private:
  // The offer to an output port in this cycle.
  struct Offer {
    fabric::Channel from = 0;  // input port, named by the channel that enters through it
    std::int32_t lane = 0, to_lane = 0;
    std::uint32_t count = 0;  // number of offers; 0: none
    WayState after;
  };

  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

  void end_transmissions() {
    for (const std::int64_t q : ends_.at(now_)) {
      if (q < 0) {
        source_.left(static_cast<std::int32_t>(-1 - q), now_);
      } else {
        queues_.release(static_cast<std::size_t>(q));
      }
    }
    pending_ -= ends_.clear(now_);
  }

  // Lets hosts with an idle link send.
  void inject() {
    std::vector<std::int32_t>& hosts = source_.hosts();
    for (std::size_t i = 0; i < hosts.size();) {
      if (send_from(hosts[i])) {
        hosts[i] = hosts.back();
        hosts.pop_back();
      } else {
        ++i;
      }
    }
  }

  bool send_from(std::int32_t host) {
    const fabric::Channel c = topology_.channel_of_host(host);
    if (busy_until_[at(c)] > now_) return false;
    std::uint32_t open = 0;
    std::int32_t lane = -1;
    for (std::int32_t l = 0; l < lanes_; ++l) {
      if (queues_.has_room(c, l) && random_.below(++open) == 0) lane = l;
    }
    if (lane < 0) return false;
    LanePacket packet = source_.take(host);
    packet.source = host;
    packet.state = choose_way(packet);
    ends_.add(now_ + P_, -1 - std::int64_t{host});
    ++pending_;
    put(c, lane, packet);
    return true;
  }

  // A packet begins to cross a channel in this cycle.
  void put(fabric::Channel c, std::int32_t lane, LanePacket packet) {
    moved_ = true;
    busy_until_[at(c)] = now_ + P_;
    ++loads_[at(c)];
    ++packet_hops_;
    const fabric::Vertex to = topology_.target(c).vertex;
    if (topology_.is_host(to)) {
      source_.arrives(packet, now_ + P_);
      return;
    }
    packet.ready = now_ + delay_[at(c)] + options_.switch_cycles;
    queues_.push(c, lane, packet);
    const std::int32_t s = topology_.switch_of(to);
    if (waiting_[at(s)]++ == 0) active_.push_back(s);
  }

  // Decides which packets leave a switch in this cycle.
  void serve(std::int32_t s) {
    touched_.clear();
    if (lane_first_) give_lanes(s);
    for_inputs(s, [&](std::int32_t port, fabric::Channel in) {
      if (sends_until_[at(in)] <= now_) offer(s, port, in);
    });
    for (const fabric::Channel out : touched_) {
      Offer& taken = offers_[at(out)];
      LanePacket packet = queues_.pop(taken.from, taken.lane);
      --waiting_[at(s)];
      if (lane_first_) {
        claims_.leave(queues_.index(taken.from, taken.lane), queues_.index(out, taken.to_lane), now_ + P_);
      }
      packet.state = taken.after;
      sends_until_[at(taken.from)] = now_ + P_;
      last_lane_[at(taken.from)] = taken.lane;
      last_served_[at(out)] = topology_.target(taken.from).port;
      ends_.add(now_ + P_ + delay_[at(taken.from)],
                static_cast<std::int64_t>(queues_.index(taken.from, taken.lane)));
      ++pending_;
      taken.count = 0;
      put(out, taken.to_lane, packet);
    }
  }

  // Visits the input ports of a switch at which packets wait.
  template <class Visit>
  void for_inputs(std::int32_t s, const Visit& visit) const {
    const std::int32_t ports = topology_.switch_at(s).ports;
    for (std::int32_t port = 1; port <= ports; ++port) {
      const fabric::Channel out = topology_.channel(s, port);
      if (!topology_.target(out).connected()) continue;
      const fabric::Channel in = topology_.reverse(out);
      if (queues_.waiting(in) > 0) visit(port, in);
    }
  }

  // Packets without a lane request a free one, even if its port is busy.
  void give_lanes(std::int32_t s) {
    for_inputs(s, [&](std::int32_t port, fabric::Channel in) {
      for (std::int32_t lane = 0; lane < lanes_; ++lane) {
        const std::size_t queue = queues_.index(in, lane);
        if (queues_.waiting(in, lane) == 0 || claims_.of(queue).channel >= 0) continue;
        const LanePacket& packet = queues_.front(in, lane);
        if (packet.ready > now_) continue;
        const LaneChoice choice = want(s, port, packet);
        if (choice.channel < 0) continue;
        claims_.ask(queue, port, queues_.index(choice.channel, choice.lane), choice);
      }
    });
    claims_.grant(topology_.switch_at(s).ports);
  }

  // An input port offers one of its lanes, the next in turn that can send.
  void offer(std::int32_t s, std::int32_t port_in, fabric::Channel in) {
    for (std::int32_t i = 1; i <= lanes_; ++i) {
      const std::int32_t lane = (last_lane_[at(in)] + i) % lanes_;
      if (queues_.waiting(in, lane) == 0) continue;
      const LanePacket& packet = queues_.front(in, lane);
      if (packet.ready > now_) continue;
      const LaneChoice choice = lane_first_ ? claims_.of(queues_.index(in, lane)) : want(s, port_in, packet);
      if (choice.channel < 0 || !can_go(choice)) continue;
      Offer& offered = offers_[at(choice.channel)];
      if (offered.count++ == 0) touched_.push_back(choice.channel);
      if (offered.count == 1 || takes_over(s, port_in, choice.channel, offered)) {
        offered = {in, lane, choice.lane, offered.count, choice.after};
      }
      return;
    }
  }

  // Whether an input port is served instead of the previous offer.
  bool takes_over(std::int32_t s, std::int32_t port_in, fabric::Channel out, const Offer& before) {
    if (options_.arbitration == Arbitration::random) return random_.below(before.count) == 0;
    const std::int32_t ports = topology_.switch_at(s).ports;
    const auto turns = [&](std::int32_t port) { return (port + ports - last_served_[at(out)] - 1) % ports; };
    return turns(port_in) < turns(topology_.target(before.from).port);
  }

  // The lanes that a hop may take on a channel, from the first up to the end: the lanes of its class; on a
  // host's link the first, because hosts have no queues.
  std::pair<std::int32_t, std::int32_t> lanes_of(const LaneRouter::Hop& hop, fabric::Channel c) const {
    if (topology_.is_host(topology_.target(c).vertex)) return {0, 1};
    return {hop.hop_class * lanes_ / router_.classes(), (hop.hop_class + 1) * lanes_ / router_.classes()};
  }

  // The port and lane that the first packet of a queue requests; none: all lanes of its class are allocated.
  LaneChoice want(std::int32_t s, std::int32_t port_in, const LanePacket& packet) {
    const LaneRouter::Hop hop = router_.next(s, port_in, packet.source, packet.destination, packet.state);
    LaneChoice choice{-1, 0, hop.after};
    std::int32_t fewest = INT32_MAX;
    std::uint32_t ties = 0;
    for (const std::int32_t port : hop.ports) {
      const fabric::Channel c = topology_.channel(s, port);
      const std::int32_t packets = queues_.used(c);
      if (packets > fewest) continue;
      if (packets < fewest) ties = 0;
      fewest = packets;
      if (random_.below(++ties) == 0) choice.channel = c;
    }

    // Choose the emptiest lane.
    const auto [first, end] = lanes_of(hop, choice.channel);
    choice.lane = -1;
    for (std::int32_t l = first; l < end; ++l) {
      if (lane_first_ && !claims_.is_free(queues_.index(choice.channel, l), now_)) continue;
      if (choice.lane < 0 || queues_.slots(choice.channel, l) < queues_.slots(choice.channel, choice.lane)) {
        choice.lane = l;
      }
    }
    return choice.lane < 0 ? LaneChoice{} : choice;
  }

  // Whether the port is idle, and the lane has room.
  bool can_go(const LaneChoice& choice) const {
    if (busy_until_[at(choice.channel)] > now_) return false;
    return topology_.is_host(topology_.target(choice.channel).vertex) ||
           queues_.has_room(choice.channel, choice.lane);
  }

  // The path of a packet that leaves its host: Valiant's and UGAL's may lead through another group.
  WayState choose_way(const LanePacket& packet) {
    const WayState direct = router_.start(packet.source, packet.destination);
    if (router_.kind() == WayKind::tables || router_.kind() == WayKind::adaptive) return direct;
    const std::int32_t s = router_.switch_of_host(packet.source);
    const std::int32_t to = router_.switch_of_host(packet.destination);
    if (router_.group(s) == router_.group(to)) return direct;
    const std::vector<std::int32_t>& leaves = router_.leaves();
    std::int32_t by = s;
    while (router_.group(by) == router_.group(s)) {
      by = leaves[random_.below(static_cast<std::uint32_t>(leaves.size()))];
    }
    const WayState around = router_.start(packet.source, packet.destination, by);
    if (router_.kind() == WayKind::ugal) {
      const std::int64_t minimal = phits_behind(s, packet, direct);
      if (minimal <= 2 * phits_behind(s, packet, around) + threshold_) return direct;
    }
    return around;
  }

  // Phits in the queues behind the first port of a path.
  std::int64_t phits_behind(std::int32_t s, const LanePacket& packet, const WayState& way) {
    const LaneRouter::Hop hop = router_.next(s, 0, packet.source, packet.destination, way);
    const fabric::Channel c = topology_.channel(s, hop.ports[0]);
    const std::int32_t to_enter = std::max(0, busy_until_[at(c)] - now_);
    const std::int32_t to_leave = std::max(0, sends_until_[at(c)] - now_);
    return std::int64_t{P_} * queues_.used(c) - to_enter - (to_leave > 0 ? P_ - to_leave : 0);
  }

  // Advances to the next cycle in which something happens; false: there is none.
  bool next_cycle() {
    std::int64_t next = std::int64_t{now_} + 1;
    quiet_ = moved_ || pending_ > 0 ? 0 : quiet_ + 1;
    if (quiet_ > 0 && active_.empty() && source_.hosts().empty()) {
      next = source_.next(now_);
      if (next < 0) return false;
    } else if (quiet_ > options_.switch_cycles + most_delay_ && !active_.empty()) {
      report_deadlock();  // every head could leave by now if there were room
    }
    if (next > INT32_MAX - 2 * P_ - options_.switch_cycles - most_delay_) {
      throw Error("the simulation takes more than 2^31 cycles; choose larger packets");
    }
    now_ = static_cast<std::int32_t>(next);
    return true;
  }

  [[noreturn]] void report_deadlock() {
    std::vector<WaitingQueue> waiting;
    queues_.for_fronts([&](std::size_t q, fabric::Channel c, const LanePacket& packet) {
      const fabric::End& at = topology_.target(c);
      const std::int32_t s = topology_.switch_of(at.vertex);
      const LaneRouter::Hop hop = router_.next(s, at.port, packet.source, packet.destination, packet.state);
      WaitingQueue& queue = waiting.emplace_back();
      queue.held = q;
      for (const std::int32_t port : hop.ports) {
        const fabric::Channel to = topology_.channel(s, port);
        const auto [first, end] = lanes_of(hop, to);
        for (std::int32_t l = first; l < end; ++l) queue.wanted.push_back(queues_.index(to, l));
      }
    });
    throw Error(describe_deadlock(topology_, waiting, source_.waits(), static_cast<std::size_t>(lanes_)));
  }

  LaneRouter router_;
  const fabric::Topology& topology_;
  Source& source_;
  const PacketOptions& options_;
  const std::int32_t threshold_, P_, lanes_;
  Random random_;
  std::int32_t now_ = 0;

  LaneQueues queues_;
  const bool lane_first_;
  LaneClaims claims_;
  std::vector<std::int32_t> busy_until_;   // by channel: cycle in which it becomes idle
  std::vector<std::int32_t> sends_until_;  // by channel: the same for the input port that it enters
  std::vector<std::int32_t> last_lane_;    // by channel: the lane served last at its input port
  std::vector<std::int32_t> last_served_;  // by channel: the input port served last
  std::vector<std::int64_t> loads_;
  std::vector<Offer> offers_;             // by channel
  std::vector<fabric::Channel> touched_;  // with an offer in this cycle
  std::vector<std::int32_t> waiting_;     // by switch: packets in its queues
  std::vector<std::int32_t> delay_;       // by channel: additional cycles under way ...
  std::int32_t most_delay_ = 0;           // ... and their maximum
  std::vector<std::int32_t> active_;      // switches with packets
  Wheel<std::int64_t> ends_;              // ends of transmissions: the queue, or -1 - host
  std::int64_t pending_ = 0;              // entries in the wheel
  std::int64_t packet_hops_ = 0;
  std::int32_t quiet_ = 0;  // cycles in which nothing moved
  bool moved_ = false;      // whether a packet began to move in this cycle
};

}  // namespace sortlast::simulate
