// Allowed ports: the ports from which a switch with adaptive routing may choose.
//
// With adaptive routing a switch keeps, in addition to its forwarding table, a group of ports for each
// destination, and sends each packet by the port of this group with the shortest queue. ar_updn uses all
// ports of the shortest up*/down* paths, over which updn balances. ar_ftree uses all ports down if the
// destination is below, and otherwise all ports up that lead to it. On trees both allow only paths that never
// go up after going down, so one lane is free of deadlock for any choice. On irregular fabrics ar_updn, like
// updn, may deadlock; simulate::find_lane_loop() checks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/spreading.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

class AllowedPorts {
 public:
  explicit AllowedPorts(std::shared_ptr<const Topology> topology);

  const std::shared_ptr<const Topology>& topology() const { return topology_; }
  // Switches with hosts, each once.
  const std::vector<std::int32_t>& leaves() const { return leaves_; }
  // Appends the ports of switch s towards leaf number `leaf`. Switches are added in order 0 .. switches - 1
  // for each leaf, and leaves in order.
  void add(std::span<const std::int32_t> ports);

  // Ports of s towards the switch of a host; none if s is that switch, or if no path leads there.
  std::span<const std::int32_t> towards(std::int32_t s, std::int32_t host) const {
    const std::size_t row =
        leaf_of_host_[static_cast<std::size_t>(host)] * static_cast<std::size_t>(topology_->switches()) +
        static_cast<std::size_t>(s);
    return {ports_.data() + first_[row], first_[row + 1] - first_[row]};
  }

 private:
  std::shared_ptr<const Topology> topology_;
  std::vector<std::int32_t> leaves_;
  std::vector<std::size_t> leaf_of_host_;
  std::vector<std::size_t> first_{0};
  std::vector<std::int32_t> ports_;
};

// All ports of shortest paths, regardless of deadlock.
std::shared_ptr<const AllowedPorts> shortest_ports(const std::shared_ptr<const Topology>& topology);
// Options must have been checked (check_options()). Throws ArgumentError if no roots are given and none can
// be found.
std::shared_ptr<const AllowedPorts> ar_updn(const std::shared_ptr<const Topology>& topology,
                                            const RouteOptions& options);
// Throws ArgumentError if the fabric is not a tree.
std::shared_ptr<const AllowedPorts> ar_ftree(const std::shared_ptr<const Topology>& topology,
                                             const RouteOptions& options);

}  // namespace sortlast::fabric
