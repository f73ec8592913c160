// dor, OpenSM's dimension order: of all least-hop ports only those to one neighbour, the one behind the port
// of the lowest number. Several cables to it share the hosts as in minhop.
//
// It is dimension order only if the ports are: -x, +x, -y, +y, ... on every switch of a mesh or torus. On a
// mesh that makes it free of credit loops; on a torus not, for rings stay rings. It refuses no fabric,
// whether it is a grid or not: on a tree everything goes by the first root.
#include "sortlast/fabric/routing/balance.hpp"
#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/routing/hops.hpp"

namespace sortlast::fabric::engine {

namespace {

void first_neighbour_ports(const SwitchGraph& graph, std::int32_t destination, PortSets& ports) {
  const std::vector<std::uint8_t> hops = hops_to(graph, destination);
  ports.clear();
  for (std::int32_t s = 0; s < graph.switches(); ++s) {
    const std::uint8_t here = hops[static_cast<std::size_t>(s)];
    if (here == no_hops) continue;
    std::int32_t neighbour = -1;
    for (const SwitchCable& cable : graph.cables(s)) {
      if (hops[static_cast<std::size_t>(cable.other)] + 1 != here) continue;
      if (neighbour < 0) neighbour = cable.other;
      if (cable.other == neighbour) ports.add(s, cable.port);
    }
  }
}

}  // namespace

Outcome dor(const Topology& topology, const RouteOptions& options) {
  const SwitchGraph graph(topology);
  const auto towards = [&graph](std::int32_t destination, PortSets& ports) {
    first_neighbour_ports(graph, destination, ports);
  };
  return {balanced_tables(topology, graph, towards, options.lmc, PlaneRule::cables), ""};
}

}  // namespace sortlast::fabric::engine
