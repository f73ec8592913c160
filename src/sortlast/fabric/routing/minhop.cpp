// minhop, OpenSM's default: a least-hop port for every destination, the least used one of them. It refuses no
// fabric, and promises neither freedom from credit loops nor balance for any pattern. See balance.cpp.
#include "sortlast/fabric/routing/balance.hpp"
#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/routing/hops.hpp"

namespace sortlast::fabric::engine {

Outcome minhop(const Topology& topology, const RouteOptions& options) {
  const SwitchGraph graph(topology);
  const auto towards = [&graph](std::int32_t destination, PortSets& ports) {
    least_hop_ports(graph, destination, ports);
  };
  return {balanced_tables(topology, graph, towards, options.lmc), ""};
}

}  // namespace sortlast::fabric::engine
