// Paths to a leaf: all hops that flows from some switches may take to a switch with hosts. Switches are
// ordered so that each follows the switches that it leads to.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/routing/allowed_ports.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

class WaysToLeaf {
 public:
  struct Hop {
    Channel channel = 0;
    std::int32_t to = 0;  // place of the next switch
  };

  // `host`: any host of the leaf.
  WaysToLeaf(const AllowedPorts& allowed, std::int32_t host) : allowed_(allowed), host_(host) {
    const Topology& topology = *allowed.topology();
    place_.assign(at(topology.switches()), -1);
    leaf_ = topology.switch_of(topology.attachment(host).vertex);
  }

  // Adds a switch, and all switches behind it first; returns its place. Throws Error if no path leads from it
  // to the leaf.
  std::int32_t add(std::int32_t s) {
    const Topology& topology = *allowed_.topology();
    std::vector<std::int32_t> open{s};
    while (!open.empty()) {
      const std::int32_t here = open.back();
      if (place_[at(here)] >= 0) {
        open.pop_back();
        continue;
      }
      const auto ports = allowed_.towards(here, host_);
      if (ports.empty() && here != leaf_) {
        throw Error("no way leads from switch '" + topology.label(topology.vertex_of_switch(here)) +
                    "' to host '" + topology.label(host_) + "'");
      }
      const std::size_t waiting = open.size();
      for (const std::int32_t port : ports) {
        const std::int32_t next = topology.switch_of(topology.target(topology.channel(here, port)).vertex);
        if (place_[at(next)] < 0) open.push_back(next);
      }
      if (open.size() > waiting) continue;
      place_[at(here)] = static_cast<std::int32_t>(first_.size()) - 1;
      for (const std::int32_t port : ports) {
        const Channel c = topology.channel(here, port);
        hops_.push_back({c, place_[at(topology.switch_of(topology.target(c).vertex))]});
      }
      first_.push_back(hops_.size());
      open.pop_back();
    }
    return place_[at(s)];
  }

  std::int32_t places() const { return static_cast<std::int32_t>(first_.size()) - 1; }
  std::span<const Hop> all_hops() const { return hops_; }
  // The first hop from a place, and one past its last.
  std::pair<std::size_t, std::size_t> hops(std::int32_t place) const {
    return {first_[at(place)], first_[at(place) + 1]};
  }

 private:
  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

  const AllowedPorts& allowed_;
  std::int32_t host_ = 0, leaf_ = 0;
  std::vector<std::int32_t> place_;  // by switch; -1: none
  std::vector<std::size_t> first_{0};
  std::vector<Hop> hops_;
};

}  // namespace sortlast::fabric
