// Routers: which group of ports a packet waits for at a switch.
//
// Each has
//   key(source, destination)   what a packet of that flow carries to find its way
//   group(s, key)              the group at switch s
// and is made together with the groups of its network.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sortlast/fabric/routing.hpp"
#include "sortlast/simulate/packet/network.hpp"

namespace sortlast::simulate {

// Trees in which every switch has consecutive hosts below it, its children equally many each: a packet goes
// up by any up-port until its destination is below, and then down by any port towards it.
class TreeRouter {
 public:
  std::uint32_t key(std::int32_t /*source*/, std::int32_t destination) const {
    return static_cast<std::uint32_t>(destination);
  }
  Group group(std::int32_t s, std::uint32_t key) const {
    const Below& below = below_[static_cast<std::size_t>(s)];
    const std::uint32_t offset = key - below.first;  // wraps to a large number in front of the first
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
// None if the topology is no intact tree of this kind.
std::optional<TreeNetwork> tree_network(const fabric::Topology& topology);

// Any topology: all ports that are one hop nearer to the destination's switch.
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
  std::vector<std::uint32_t> leaf_of_host_;  // number of its switch among them
  std::vector<std::int32_t> switch_of_host_;
  std::vector<Group> group_of_host_;  // that of the port to the host
  std::vector<Group> first_group_;    // by switch: of its groups towards other switches
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
