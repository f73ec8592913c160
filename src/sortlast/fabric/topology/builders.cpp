// Builders of the families that are not PGFTs: meshes and tori, slender-trees.
//
// Meshes and tori have any number of dimensions. Switches are numbered with x fastest. Each has its hosts on
// ports 1 .. hosts, then ports -x, +x, -y, +y, ...: port hosts + 1 + 2 i leads one step down along dimension
// i, the next one step up. Ports at the faces of a mesh, and along a dimension of size 1, have no cable.
// Along a dimension of size 2 a torus has both its links, so two cables join the same pair of switches. A
// grid has no levels.
#include <string>
#include <utility>
#include <vector>

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

// Slender-trees k:k',n: narrowed trees with switches doubled towards the hosts as well, so that packets can
// adapt on their way down. Navaridas, Miguel-Alonso, Ridruejo, Denzel, "Reducing Complexity in Tree-like
// Computer Interconnection Networks", section 2.3.
//
// k down-ports and k' up-ports per switch, n levels; k' divides k. With levels l from 0 there are N = k'^2
// (k/k')^n hosts and S_l = k' (k/k')^(n-1-l) switches. Host d is on down-port d mod k of switch floor(d / k)
// of level 0. Up-port p of switch s of any level leads to down-port s mod k of switch k' floor(s / k) + p of
// the next: k switches share their k' parents, which are consecutive. (The printed formulas are garbled;
// these reproduce the paper's Tables 2 and 3.)
//
// Down-ports are numbered first, as in all families. The k' switches of the highest level have no up-ports.

namespace {

// Number of switches of each level, from 0.
std::vector<std::int64_t> level_sizes(const std::string& name, const SlenderShape& shape) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(shape.n));
  std::int64_t size = shape.up;
  for (std::size_t l = sizes.size(); l-- > 0;) {
    sizes[l] = bounded_product(name, "switches of a level", size, 1, most_level_switches);
    size = sizes[l] * (shape.k / shape.up);
  }
  bounded_product(name, "hosts", sizes.front(), shape.k, most_family_hosts);
  return sizes;
}

void check_slender(const std::string& name, const SlenderShape& shape) {
  check_parameter(name, "k", shape.k);
  check_parameter(name, "k'", shape.up);
  check_levels(name, "n", shape.n);
  if (shape.up >= shape.k || shape.k % shape.up != 0) {
    throw ArgumentError(name + ": k' = " + std::to_string(shape.up) +
                        " is no divisor of k = " + std::to_string(shape.k) + " below k");
  }
}

}  // namespace

Topology slender_tree(std::int32_t k, std::int32_t up, std::int32_t n) {
  const std::string name =
      std::to_string(k) + ":" + std::to_string(up) + "," + std::to_string(n) + "-slender-tree";
  const SlenderShape shape{k, up, n};
  check_slender(name, shape);
  const std::vector<std::int64_t> sizes = level_sizes(name, shape);
  TopologyBuilder builder(name);

  // Add the switches, level by level.
  std::vector<std::int32_t> first;
  for (std::int32_t l = 0; l < n; ++l) {
    for (std::int64_t s = 0; s < sizes[static_cast<std::size_t>(l)]; ++s) {
      const std::int32_t number = builder.add_switch(family_switch(l + 1, s, l + 1 < n ? k + up : k), l + 1);
      if (s == 0) first.push_back(number);
    }
  }

  // Attach the hosts to level 0.
  for (std::int32_t d = 0; d < static_cast<std::int32_t>(sizes.front()) * k; ++d) {
    builder.connect_host(builder.add_host(family_host(d)), d / k, 1 + d % k);
  }

  // Lay the cables between the levels.
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    for (std::int32_t s = 0; s < static_cast<std::int32_t>(sizes[l]); ++s) {
      for (std::int32_t p = 0; p < up; ++p) {
        builder.connect(first[l] + s, 1 + k + p, first[l + 1] + up * (s / k) + p, 1 + s % k);
      }
    }
  }
  builder.set_shape(shape);
  return std::move(builder).finish();
}

}  // namespace sortlast::fabric
