// Turn search: shortest paths that never go up after going down, as OpenSM's updn and dnup search for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

// The search keeps OpenSM's peculiarities (3.3.23, osm_ucast_updn.c and osm_ucast_dnup.c), because the tables
// depend on them: hops are stored per port; a switch in the queue keeps the direction of its first arrival;
// and it is searched again whenever one of its ports finds a path, even if another port has a shorter one.
class TurnSearch {
 public:
  // The direction of a step over a cable. A level step may follow any other, and any other may follow it.
  enum class Direction : std::uint8_t { up, down, level };

  // Directions by cable, numbered as in the graph, which must outlive the search.
  TurnSearch(const SwitchGraph& graph, std::vector<Direction> directions);

  // A PortsTowards.
  void ports_towards(std::int32_t destination, PortSets& ports) const;

 private:
  struct State;
  void visit(std::int32_t s, State& state) const;

  const SwitchGraph& graph_;
  std::vector<Direction> directions_;
  std::vector<std::size_t> reverse_;  // by cable: number of the same cable at its other end
};

}  // namespace sortlast::fabric
