// Lane router: the output ports that a packet may request at a switch, and the class of the next hop.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/fabric/routing/allowed_ports.hpp"
#include "sortlast/simulate/lanes.hpp"

namespace sortlast::simulate {

// The state of a packet on its path, in addition to its destination.
struct WayState {
  std::int32_t intermediate = -1;  // switch that it goes to first; -1: none, or already visited
  std::uint8_t base = 0;           // class at which the current part of its path begins
  std::uint8_t lane = 0;           // of the tables, within that part
  bool begun = false;              // whether it has left the first switch of that part
};

class LaneRouter {
 public:
  explicit LaneRouter(const LaneRoutes& routes);

  const fabric::Topology& topology() const { return *topology_; }
  WayKind kind() const { return routes_.kind; }
  std::int32_t classes() const { return routes_.classes; }
  std::int32_t switch_of_host(std::int32_t h) const { return switch_of_host_[static_cast<std::size_t>(h)]; }
  // Part of the fabric that contains a switch: its group on dragonflies, else the switch alone.
  std::int32_t group(std::int32_t s) const { return s / group_size_; }
  bool has_groups() const { return has_groups_; }
  // Switches with hosts, through which a path may lead.
  const std::vector<std::int32_t>& leaves() const { return leaves_; }

  // The plane of the tables that a flow uses.
  std::int32_t plane(std::int32_t source, std::int32_t destination) const {
    return kind() == WayKind::adaptive ? 0 : routes_.routes.forwarding->plane(source, destination);
  }

  // The state of a packet at its source's switch, through an intermediate switch or (-1) none.
  WayState start(std::int32_t source, std::int32_t destination, std::int32_t intermediate = -1) const;

  struct Hop {
    std::span<const std::int32_t> ports;  // of the switch; valid until the next call
    std::uint8_t hop_class = 0;
    WayState after;  // state at the other end
  };
  // At switch s, which it entered by `port_in`. Throws Error if no path continues.
  Hop next(std::int32_t s, std::int32_t port_in, std::int32_t source, std::int32_t destination,
           const WayState& at);

 private:
  [[noreturn]] void no_way(std::int32_t s, std::int32_t destination) const;

  LaneRoutes routes_;
  const fabric::Topology* topology_;
  std::vector<std::int32_t> switch_of_host_, leaves_, host_port_;
  std::int32_t group_size_ = 1;
  bool has_groups_ = false;
  std::array<std::int32_t, 1> one_{};
};

}  // namespace sortlast::simulate
