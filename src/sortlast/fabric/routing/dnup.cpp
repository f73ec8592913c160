// dnup, OpenSM's Down/Up: updn without roots, balanced as in minhop.
//
// Switches with hosts have rank 0, all others the distance to the nearest of them. OpenSM calls a step to a
// higher rank down, because it draws the hosts at the top; here it is up, as everywhere in this lab. Paths
// never go up after going down. A step between equal ranks is neither, and may follow either, unlike in updn.
//
// On an intact tree with hosts on the lowest level alone, ranks from hosts and ranks from roots agree on
// every cable, so the tables equal updn's. A host on a higher switch, such as an aggregation node, gives that
// switch rank 0 too. Where all switches have hosts, as on a torus, all steps are level: any shortest path is
// then permitted, and there are credit loops. OpenSM 3.3.23, osm_ucast_dnup.c.
#include <vector>

#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/routing/turn_search.hpp"

namespace sortlast::fabric {

namespace {

// By cable: up away from hosts.
std::vector<TurnSearch::Direction> directions(const SwitchGraph& graph,
                                              const std::vector<std::int32_t>& leaves) {
  using Direction = TurnSearch::Direction;
  const std::vector<std::int32_t> ranks = distances(graph, leaves);
  const auto rank = [&](std::int32_t s) {
    return static_cast<std::uint32_t>(ranks[static_cast<std::size_t>(s)]);
  };
  std::vector<Direction> found;
  for (std::int32_t s = 0; s < graph.switches(); ++s) {
    for (const SwitchCable& cable : graph.cables(s)) {
      const std::uint32_t here = rank(s), there = rank(cable.other);
      found.push_back(here == there ? Direction::level : here < there ? Direction::up : Direction::down);
    }
  }
  return found;
}

}  // namespace

Outcome engine::dnup(const Topology& topology, const RouteOptions& options) {
  const SwitchGraph graph(topology);
  std::vector<std::int32_t> leaves;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    leaves.push_back(topology.switch_of(topology.attachment(h).vertex));
  }
  if (leaves.empty()) return refuse("it has no hosts");
  const TurnSearch search(graph, directions(graph, leaves));
  const auto towards = [&search](std::int32_t destination, PortSets& ports) {
    search.ports_towards(destination, ports);
  };
  return {balanced_tables(topology, graph, towards, options.lmc), ""};
}

}  // namespace sortlast::fabric
