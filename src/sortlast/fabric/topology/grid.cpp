// Meshes and tori of any number of dimensions.
//
// Switches are numbered with x fastest. Each has its hosts on ports 1 .. hosts, then ports -x, +x, -y, +y,
// ...: port hosts + 1 + 2 i leads one step down along dimension i, the next one step up. Ports at the faces
// of a mesh have no cable, nor have those along a dimension of size 1. Along one of size 2 a torus has both
// its links, so that two cables join the same pair of switches. A grid has no levels.
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/topology/family_parts.hpp"

namespace sortlast::fabric {

namespace {

// Coordinates of switch s, by dimension.
Counts coordinates(const Counts& size, std::int32_t s) {
  Counts at;
  for (const std::int32_t extent : size) {
    at.push_back(s % extent);
    s /= extent;
  }
  return at;
}

std::int32_t count_switches(const std::string& name, const GridShape& shape) {
  if (shape.size.empty())
    throw ArgumentError(name + ": it has no dimensions; expected a size along x, y, ...");
  std::int64_t switches = 1;
  for (std::size_t i = 0; i < shape.size.size(); ++i) {
    check_parameter(name, "size along dimension " + std::to_string(i + 1), shape.size[i]);
    switches = bounded_product(name, "switches", switches, shape.size[i], most_level_switches);
  }
  check_parameter(name, "hosts a switch", shape.hosts, 0);
  bounded_product(name, "hosts", switches, shape.hosts, most_family_hosts);
  bounded_product(name, "ports", switches, shape.hosts + 2 * static_cast<std::int64_t>(shape.size.size()),
                  most_family_channels);
  return static_cast<std::int32_t>(switches);
}

Topology build_grid(const GridShape& shape) {
  const std::string name = join(shape.size, "x") + (shape.wraps ? " torus" : " mesh");
  const std::int32_t switches = count_switches(name, shape);
  const auto dimensions = static_cast<std::int32_t>(shape.size.size());
  TopologyBuilder builder(name);

  // Add the switches with their hosts.
  for (std::int32_t s = 0; s < switches; ++s) {
    Switch added = family_switch(0, s, shape.hosts + 2 * dimensions);
    added.name = "sw-" + join(coordinates(shape.size, s), "-");
    builder.add_switch(std::move(added));
    for (std::int32_t i = 0; i < shape.hosts; ++i) {
      builder.connect_host(builder.add_host(family_host(std::int64_t{s} * shape.hosts + i)), s, 1 + i);
    }
  }

  // Lay the cables upward along each dimension.
  for (std::int32_t s = 0; s < switches; ++s) {
    const Counts at = coordinates(shape.size, s);
    std::int32_t step = 1;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::int32_t extent = shape.size[i];
      const bool last = at[i] + 1 == extent;
      if (extent > 1 && (!last || shape.wraps)) {
        const auto down = shape.hosts + 1 + 2 * static_cast<std::int32_t>(i);
        builder.connect(s, down + 1, last ? s - step * (extent - 1) : s + step, down);
      }
      step *= extent;
    }
  }
  builder.set_shape(shape);
  return std::move(builder).finish();
}

}  // namespace

Topology mesh(const Counts& size, std::int32_t hosts) { return build_grid({size, false, hosts}); }
Topology torus(const Counts& size, std::int32_t hosts) { return build_grid({size, true, hosts}); }

}  // namespace sortlast::fabric
