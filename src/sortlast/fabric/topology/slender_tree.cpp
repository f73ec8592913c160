// Slender-trees k:k',n: narrowed trees whose switches are doubled towards the hosts as well, so that packets
// can adapt on their way down. Navaridas, Miguel-Alonso, Ridruejo, Denzel, "Reducing Complexity in Tree-like
// Computer Interconnection Networks", section 2.3.
//
// k down-ports and k' up-ports a switch, n levels; k' divides k. With levels l from 0 there are N = k'^2
// (k/k')^n hosts and S_l = k' (k/k')^(n-1-l) switches. Host d hangs on down-port d mod k of switch floor(d /
// k) of level 0. Up-port p of switch s of any level leads to down-port s mod k of switch k' floor(s / k) + p
// of the next: k switches share their k' parents, and those follow each other. (The printed formulas are
// garbled; these reproduce the paper's Tables 2 and 3.)
//
// Down-ports are numbered first, as in all families. The k' switches of the highest level have no up-ports.
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/topology/family_parts.hpp"

namespace sortlast::fabric {

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

  // Hang the hosts on level 0.
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
