// Lash lanes: puts paths between switches on virtual lanes so that the paths of a lane never wait for each
// other in a circle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

// The lane of a path depends on the paths added before it; see lash.cpp.
class LashLanes {
 public:
  LashLanes(const SwitchGraph& graph, std::int32_t most_lanes);

  // The cables of a path, in order, numbered as in SwitchGraph.
  using Way = std::vector<std::size_t>;
  // Puts two paths on the first lane that stays free of circles; each must be free of them alone. Returns the
  // lane; -1: none is left.
  std::int32_t add(const Way& there, const Way& back);
  std::int32_t lanes() const { return static_cast<std::int32_t>(lanes_.size()); }

 private:
  enum class Dependency : std::uint8_t { absent, present, forbidden };
  struct Lane {
    std::vector<Dependency> dependencies;           // by number
    std::vector<std::vector<std::size_t>> waiting;  // by cable: next cables of its paths
  };
  // A path that arrives by cable `first` waits for cable `second`.
  struct Step {
    std::size_t first = 0, second = 0, number = 0;
  };

  bool fits(Lane& lane, const std::vector<Step>& steps);
  bool reaches(const Lane& lane, std::size_t from, std::size_t to);

  const SwitchGraph& graph_;
  std::int32_t most_lanes_;
  std::vector<std::size_t> first_dependency_;  // by cable
  std::vector<std::size_t> first_onward_;      // by cable: the first cable of the switch that it leads to
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> visited_;  // by cable: the last search that reached it
  std::uint32_t search_ = 0;
  std::vector<std::size_t> stack_;
};

}  // namespace sortlast::fabric
