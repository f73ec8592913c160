// Network: which ports a packet may ask for, grouped so that a port with nobody waiting costs nothing; and
// how packets can wait for each other for ever.
//
// A group is a set of output ports of one vertex among which the packets that wait for it may choose. Groups
// of a switch that share ports are a domain, and are decided at once: they follow each other, and the first
// leads the domain. Host h has group h, its only port. What comes in through channel c is kept in queue c of
// the switch that c enters, so that a queue is named by its channel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::simulate {

using Group = std::uint32_t;

struct Network {
  static constexpr Group none = UINT32_MAX;

  struct Ports {
    std::uint32_t first =
        0;  // the first channel; if the channels are scattered, the first place in `scattered`
    std::uint32_t count = 0;
    bool consecutive = true;
    Group leader = 0;               // first group of the domain
    std::uint32_t members = 0;      // of a leader: groups of the domain
    std::uint32_t first_queue = 0;  // of the vertex, in `queues`
  };
  std::vector<Ports> groups;
  std::vector<fabric::Channel> scattered;
  std::vector<std::uint32_t> queues;         // by port of every switch; hosts: one entry, left to the user
  std::vector<Group> sender;                 // by channel: leader of the groups that send on it; none: nobody
  std::vector<std::int32_t> switch_entered;  // by channel: -1 if it enters a host, or leads nowhere
  std::vector<std::uint16_t> port_entered;   // by channel: port of that switch, from 0
  std::uint32_t most_ports = 1;              // of a switch

  // Channel i of a group.
  fabric::Channel channel(const Ports& ports, std::uint32_t i) const {
    return ports.consecutive ? static_cast<fabric::Channel>(ports.first + i) : scattered[ports.first + i];
  }
  std::vector<fabric::Channel> channels(Group g) const;
};

// Makes a Network vertex by vertex: all hosts, then the switches' groups in order.
class NetworkBuilder {
 public:
  explicit NetworkBuilder(const fabric::Topology& topology);

  // Adds a group of ports (their channels) to switch s; it begins a domain, or joins that of the group
  // before.
  Group add_group(std::int32_t s, std::span<const fabric::Channel> ports, bool begins_domain);
  Network finish() && { return static_cast<Network&&>(made_); }

 private:
  Group add(std::span<const fabric::Channel> ports, std::uint32_t first_queue, bool begins_domain);

  std::vector<std::uint32_t> first_queue_;  // by switch
  Network made_;
};

// The first packet of the queue behind channel `held` waits for one of `wanted`.
struct WaitingQueue {
  fabric::Channel held = 0;
  std::vector<fabric::Channel> wanted;
};

// Names the cycle of buffers that wait for each other. If there is none, messages wait for messages: then
// `message_waits`, which says so, is all there is to say.
std::string describe_deadlock(const fabric::Topology& topology, const std::vector<WaitingQueue>& waiting,
                              const std::string& message_waits);

}  // namespace sortlast::simulate
