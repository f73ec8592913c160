#include <array>

#include "sortlast/simulate/packet/routers.hpp"

namespace sortlast::simulate {

TableRouter::TableRouter(const fabric::Routes& routes)
    : forwarding_(routes.forwarding), hosts_(static_cast<std::uint32_t>(routes.topology->hosts())) {}

TableNetwork table_network(const fabric::Routes& routes) {
  const fabric::Topology& topology = *routes.topology;
  NetworkBuilder builder(topology);
  TableRouter router(routes);
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    router.first_group_.push_back(0);
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
      const Group g = builder.add_group(s, std::array{topology.channel(s, port)}, true);
      if (port == 1) router.first_group_.back() = g;
    }
  }
  return {std::move(router), std::move(builder).finish()};
}

}  // namespace sortlast::simulate
