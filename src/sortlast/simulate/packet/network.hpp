// Network: which ports a packet may ask for, grouped so that a port with nobody waiting costs nothing.
//
// A group is a set of output ports of one vertex among which the packets that wait for it may choose; a
// domain is a set of groups that share ports, and is decided at once. Host h has group h and domain h, its
// only port. The switch that channel c enters keeps what comes in through c in queue c, so that a queue is
// named by its channel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/fabric/topology/topology.hpp"

namespace sortlast::simulate {

using Group = std::uint32_t;
using Domain = std::uint32_t;

struct Network {
  static constexpr Domain none = UINT32_MAX;

  std::vector<std::int32_t> switch_of_queue;  // by channel: the switch that it enters; -1: a host, or nothing
  std::vector<std::uint32_t> first_port;      // by group, and one more
  std::vector<fabric::Channel> ports;
  std::vector<std::uint32_t> first_waiter;  // by group, and one more: room for all queues of its vertex
  std::vector<Domain> domain_of_group;
  std::vector<Group> first_group;           // by domain, and one more
  std::vector<Domain> domain_of_channel;    // domain that decides who sends on a channel; none: nobody does
  std::vector<std::int32_t> port_of_queue;  // by channel: port of the switch that it enters

  std::size_t groups() const { return domain_of_group.size(); }
  std::size_t domains() const { return first_group.size() - 1; }
  std::span<const fabric::Channel> ports_of(Group g) const {
    return {ports.data() + first_port[g], first_port[g + 1] - first_port[g]};
  }
};

// Makes a Network vertex by vertex: all hosts, then the switches' groups in order.
class NetworkBuilder {
 public:
  explicit NetworkBuilder(const fabric::Topology& topology);

  // Adds a group of ports (their channels) to switch s; it begins a domain, or joins that of the group
  // before.
  Group add_group(std::int32_t s, std::span<const fabric::Channel> ports, bool begins_domain);
  Network finish() &&;

 private:
  void add(std::span<const fabric::Channel> ports, std::uint32_t queues, bool begins_domain);

  const fabric::Topology& topology_;
  Network made_;
};

}  // namespace sortlast::simulate
