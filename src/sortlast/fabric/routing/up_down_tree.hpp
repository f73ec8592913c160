// Up-down tree: the shortest ways that go up and then down, and what hangs together below each level.
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

  // Finds the ways to a switch; ways() tells those to the last one.
  void aim(std::int32_t destination);
  // The cables by which s may send on: down wherever the destination can be reached by going down alone, else
  // up; of these, those of shortest ways. None: there is no such way, or s is the destination.
  std::vector<SwitchCable> ways(std::int32_t s) const;

  // What hangs together by switches up to a level.
  struct Parts {
    std::vector<std::int32_t> of;     // by switch; -1: it is above the level
    std::vector<std::int64_t> links;  // by part: cables that lead up out of it
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
  std::vector<std::int32_t> down_, any_;  // by switch: hops going down alone, and by any way; -1: none
};

}  // namespace sortlast::fabric
