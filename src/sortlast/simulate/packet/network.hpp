// Network: the ports that a packet may request, grouped so that a port without waiting packets costs nothing;
// and descriptions of deadlocks.
//
// A group is a set of output ports of one vertex among which the packets that wait for it may choose. Groups
// of a switch that share ports form a domain, and are decided together: they are consecutive, and the first
// leads the domain. Host h has group h, its only port. Packets that arrive through channel c are kept in
// queue c of the switch that c enters, so a queue is named by its channel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sortlast/fabric/routing.hpp"
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
  std::vector<std::uint32_t> queues;         // by port of every switch; hosts: one entry, set by the user
  std::vector<Group> sender;                 // by channel: leader of the groups that send on it, or none
  std::vector<std::int32_t> switch_entered;  // by channel: -1 if it enters a host, or leads nowhere
  std::vector<std::uint16_t> port_entered;   // by channel: port of that switch, from 0
  std::uint32_t most_ports = 1;              // maximum of a switch

  // Channel i of a group.
  fabric::Channel channel(const Ports& ports, std::uint32_t i) const {
    return ports.consecutive ? static_cast<fabric::Channel>(ports.first + i) : scattered[ports.first + i];
  }
  std::vector<fabric::Channel> channels(Group g) const;
};

// Builds a Network vertex by vertex: all hosts, then the switches' groups in order.
class NetworkBuilder {
 public:
  explicit NetworkBuilder(const fabric::Topology& topology);

  // Adds a group of ports (their channels) to switch s; it begins a domain, or joins the domain of the
  // previous group.
  Group add_group(std::int32_t s, std::span<const fabric::Channel> ports, bool begins_domain);
  Network finish() && { return static_cast<Network&&>(made_); }

 private:
  Group add(std::span<const fabric::Channel> ports, std::uint32_t first_queue, bool begins_domain);

  std::vector<std::uint32_t> first_queue_;  // by switch
  Network made_;
};

// Every port of every switch as a separate group and domain: switch by switch, in order.
Network port_network(const fabric::Topology& topology);

// The first packet of queue `held` waits for one of the queues `wanted`. The queue of lane l behind channel c
// is c * lanes + l.
struct WaitingQueue {
  std::size_t held = 0;
  std::vector<std::size_t> wanted;
};

// Names the cycle of buffers that wait for each other. If there is none, messages wait for messages, and the
// result is `message_waits`, which describes them.
std::string describe_deadlock(const fabric::Topology& topology, const std::vector<WaitingQueue>& waiting,
                              const std::string& message_waits, std::size_t lanes = 1);

// Routers: the group of ports for which a packet waits at a switch.
//
// Each has
//   key(source, destination)   data of a flow's packets from which their path is determined
//   group(s, key)              the group at switch s
// and is made together with the groups of its network.

// Trees in which every switch has consecutive hosts below it, with the same number below each child: a packet
// goes up by any up-port until its destination is below, and then down by any port towards it.
class TreeRouter {
 public:
  std::uint32_t key(std::int32_t /*source*/, std::int32_t destination) const {
    return static_cast<std::uint32_t>(destination);
  }
  Group group(std::int32_t s, std::uint32_t key) const {
    const Below& below = below_[static_cast<std::size_t>(s)];
    const std::uint32_t offset = key - below.first;  // wraps to a large number before the first host
    return offset < below.hosts ? below.down + offset / below.width : below.up;
  }

 private:
  friend std::optional<struct TreeNetwork> tree_network(const fabric::Topology& topology);
  struct Below {
    std::uint32_t first = 0, hosts = 0;  // the hosts below
    std::uint32_t width = 1;             // hosts below a child
    Group down = 0, up = 0;              // group of the first child; of the up-ports
  };
  std::vector<Below> below_;  // by switch
};

struct TreeNetwork {
  TreeRouter router;
  Network network;
};
// None if the topology is not an intact tree of this kind.
std::optional<TreeNetwork> tree_network(const fabric::Topology& topology);

// Any topology: all ports one hop nearer to the destination's switch.
class DistanceRouter {
 public:
  static constexpr std::uint16_t unreachable = UINT16_MAX;

  std::uint32_t key(std::int32_t /*source*/, std::int32_t destination) const {
    return static_cast<std::uint32_t>(destination);
  }
  Group group(std::int32_t s, std::uint32_t key) const {
    const std::uint32_t leaf = leaf_of_host_[key];
    const std::uint16_t local = local_[static_cast<std::size_t>(s) * leaves_ + leaf];
    return local == 0 ? group_of_host_[key] : first_group_[static_cast<std::size_t>(s)] + local - 1;
  }
  bool reaches(std::int32_t source, std::int32_t destination) const;

 private:
  friend struct DistanceNetwork distance_network(const fabric::Topology& topology);
  std::size_t leaves_ = 0;                   // switches with hosts
  std::vector<std::uint32_t> leaf_of_host_;  // number of its switch among the leaves
  std::vector<std::int32_t> switch_of_host_;
  std::vector<Group> group_of_host_;  // group of the port to the host
  std::vector<Group> first_group_;    // by switch: first of its groups towards other switches
  std::vector<std::uint16_t> local_;  // switches x leaves: group from 1; 0: the switch itself
};

struct DistanceNetwork {
  DistanceRouter router;
  Network network;
};
DistanceNetwork distance_network(const fabric::Topology& topology);

// Forwarding tables: one port.
class TableRouter {
 public:
  explicit TableRouter(const fabric::Routes& routes);

  std::uint32_t key(std::int32_t source, std::int32_t destination) const {
    return static_cast<std::uint32_t>(forwarding_->plane(source, destination)) * hosts_ +
           static_cast<std::uint32_t>(destination);
  }
  Group group(std::int32_t s, std::uint32_t key) const {
    const std::int32_t port = forwarding_->port(s, static_cast<fabric::Vertex>(key % hosts_),
                                                static_cast<std::int32_t>(key / hosts_));
    return first_group_[static_cast<std::size_t>(s)] + static_cast<Group>(port) - 1;
  }

 private:
  friend struct TableNetwork table_network(const fabric::Routes& routes);
  std::shared_ptr<const fabric::Forwarding> forwarding_;
  std::uint32_t hosts_ = 0;
  std::vector<Group> first_group_;  // by switch
};

struct TableNetwork {
  TableRouter router;
  Network network;
};
TableNetwork table_network(const fabric::Routes& routes);

}  // namespace sortlast::simulate
