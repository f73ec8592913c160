// dor, OpenSM's dimension order: among all shortest-path ports only the ports to one neighbour, the one
// behind the lowest port number. Several cables to it share the hosts as in minhop.
//
// This is dimension order only if the ports are -x, +x, -y, +y, ... on every switch of a mesh or torus. On a
// mesh it is then free of credit loops; on a torus it is not, because rings remain rings. It accepts every
// fabric, even if it is not a grid: on a tree all traffic goes through the first root.
//
// On an intact grid it corrects the first coordinate that differs, in the shorter direction, or by the lower
// port if both directions are equally long. This closed form needs no tables, which would take 3 GB for
// 40,960 nodes. Tables are used where they differ from it: rings of two switches have two cables, and hop
// counts are limited to a byte.
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

  // Whether the tables of this grid would be the same.
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
  std::vector<std::int32_t> coordinates_;  // coordinates of switch s start at s * dimensions
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
