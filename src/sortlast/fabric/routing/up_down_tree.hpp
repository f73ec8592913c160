// Up-down tree: shortest paths that go up and then down, and the connected parts below each level.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/fabric/topology.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

class UpDownTree {
 public:
  // Throws ArgumentError if the switches have no levels.
  explicit UpDownTree(const Topology& topology);

  // Finds the paths to a switch, for ways().
  void aim(std::int32_t destination);
  // The cables by which s may forward: on shortest paths down if the destination can be reached by going down
  // alone, else on shortest paths up. None if there is no such path, or s is the destination.
  std::vector<SwitchCable> ways(std::int32_t s) const;

  // The parts connected by switches up to a level.
  struct Parts {
    std::vector<std::int32_t> of;     // by switch; -1: above the level
    std::vector<std::int64_t> links;  // by part: cables up out of it
  };
  // By level from 1, without the highest.
  const std::vector<Parts>& parts() const { return parts_; }

 private:
  Parts connect_below(std::int32_t level) const;
  bool is_up(std::int32_t from, std::int32_t to) const { return topology_.level(to) > topology_.level(from); }

  const Topology& topology_;
  SwitchGraph graph_;
  std::vector<std::int32_t> by_level_;  // switches, the highest first
  std::vector<Parts> parts_;
  std::int32_t aimed_ = -1;
  std::vector<std::int32_t> down_, any_;  // by switch: hops going down alone, and on any path; -1: none
};

}  // namespace sortlast::fabric
