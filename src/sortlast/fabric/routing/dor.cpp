// dor, OpenSM's dimension order: of all least-hop ports only those to one neighbour, the one behind the port
// of the lowest number. Several cables to it share the hosts as in minhop.
//
// It is dimension order only if the ports are: -x, +x, -y, +y, ... on every switch of a mesh or torus. On a
// mesh that makes it free of credit loops; on a torus not, for rings stay rings. It refuses no fabric,
// whether it is a grid or not: on a tree everything goes by the first root.
//
// On an intact grid that is: correct the first coordinate that differs, by the shorter way round, and by the
// lower port where both are as short. This takes no tables, which for 40,960 nodes would hold 3 GB. Tables
// stay where they say more: rings of two switches have two cables, and hops are counted in a byte.
#include <memory>
#include <variant>
#include <vector>

#include "sortlast/fabric/routing/engine.hpp"

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

// Dimension order on a grid in closed form. Notation as in topology/builders.cpp.
class Grid final : public Forwarding {
 public:
  Grid(const Topology& topology, const GridShape& shape) : shape_(shape), hosts_(topology.hosts()) {
    for (std::int32_t s = 0; s < topology.switches(); ++s) {
      std::int32_t rest = s;
      for (const std::int32_t extent : shape.size) {
        coordinates_.push_back(rest % extent);
        rest /= extent;
      }
    }
  }

  // Whether the tables of this grid say the same.
  static bool suits(const GridShape& shape) {
    std::int64_t most_hops = 0;
    for (const std::int32_t extent : shape.size) {
      if (shape.wraps && extent == 2) return false;
      most_hops += shape.wraps ? extent / 2 : extent - 1;
    }
    return most_hops < no_hops;
  }

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t /*plane*/) const override {
    const bool is_host = destination < hosts_;
    const std::int32_t t = is_host ? destination / shape_.hosts : destination - hosts_;
    if (s == t) return is_host ? 1 + destination % shape_.hosts : 0;
    const std::size_t dimensions = shape_.size.size();
    const std::int32_t* from = &coordinates_[static_cast<std::size_t>(s) * dimensions];
    const std::int32_t* to = &coordinates_[static_cast<std::size_t>(t) * dimensions];
    std::size_t i = 0;
    while (from[i] == to[i]) ++i;
    const std::int32_t down = shape_.hosts + 1 + 2 * static_cast<std::int32_t>(i);
    if (!shape_.wraps) return to[i] < from[i] ? down : down + 1;
    const std::int32_t extent = shape_.size[i];
    const std::int32_t steps_down = (from[i] - to[i] + extent) % extent;
    return 2 * steps_down <= extent ? down : down + 1;
  }

 private:
  GridShape shape_;
  std::int32_t hosts_;
  std::vector<std::int32_t> coordinates_;  // of switch s from s * dimensions
};

}  // namespace

Outcome dor(const Topology& topology, const RouteOptions& options) {
  const auto* grid = std::get_if<GridShape>(&topology.shape());
  if (grid != nullptr && options.lmc == 0 && Grid::suits(*grid)) {
    return {std::make_shared<Grid>(topology, *grid), ""};
  }
  const SwitchGraph graph(topology);
  const auto towards = [&graph](std::int32_t destination, PortSets& ports) {
    first_neighbour_ports(graph, destination, ports);
  };
  return {balanced_tables(topology, graph, towards, options.lmc, PlaneRule::cables), ""};
}

}  // namespace sortlast::fabric::engine
