// Allowed ports: what a switch with adaptive routing may choose from.
//
// With adaptive routing a switch keeps, beside its forwarding table, a group of ports for each destination,
// and sends each packet by the one of them with the shortest queue. ar_updn puts into the group all ports of
// the least-hop up*/down* ways, which are those that updn balances over; ar_ftree all ports down wherever the
// destination is below, and else all ports up that lead to it. On trees both keep to ways that never go up
// after they went down, so that one lane is free of deadlock whatever is chosen; on irregular fabrics ar_updn
// may not, as updn, and simulate::find_lane_loop() tells.
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
  // Appends the ports of switch s, 0 .. switches - 1 in order, towards leaf number `leaf`; leaves in order,
  // all switches of one before the next.
  void add(std::span<const std::int32_t> ports);

  // Ports of s towards the switch of a host; none: it is that switch, or no way leads there.
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

// All ports of least-hop ways, whatever they may wait for.
std::shared_ptr<const AllowedPorts> shortest_ports(const std::shared_ptr<const Topology>& topology);
// Options must be checked (check_options()). Throws ArgumentError if no roots are given and none can be
// found.
std::shared_ptr<const AllowedPorts> ar_updn(const std::shared_ptr<const Topology>& topology,
                                            const RouteOptions& options);
// Throws ArgumentError if the fabric is no tree.
std::shared_ptr<const AllowedPorts> ar_ftree(const std::shared_ptr<const Topology>& topology,
                                             const RouteOptions& options);

}  // namespace sortlast::fabric
