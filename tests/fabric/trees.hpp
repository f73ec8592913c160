// Trees of all kinds, and what tests of tree engines ask of routes.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {

inline std::vector<std::shared_ptr<const Topology>> pgfts() {
  std::vector<std::shared_ptr<const Topology>> trees;
  for (Topology& tree : std::vector<Topology>{
           crossbar(5), k_ary_n_tree(4, 2), k_ary_n_tree(3, 3), k_ary_n_tree(2, 4), var_ary_n_tree({4, 2, 3}),
           thin_tree(4, 2, 3), thin_tree(5, 2, 3), pgft({8, 4}, {1, 4}, {1, 2}), pgft({4, 6}, {1, 3}, {1, 4}),
           pgft({3, 2, 4}, {1, 2, 3}, {1, 3, 2}), xgft({3, 4, 2}, {1, 5, 2})}) {
    trees.push_back(std::make_shared<const Topology>(std::move(tree)));
  }
  return trees;
}

// Most flows on a channel in any shift i -> i + s of all hosts: counted flow by flow.
inline std::int32_t most_flows_of_shifts(const Routes& routes) {
  const Topology& topology = *routes.topology;
  std::int32_t most = 0;
  for (std::int32_t shift = 1; shift < topology.hosts(); ++shift) {
    std::vector<std::int32_t> flows(static_cast<std::size_t>(topology.channels()));
    for (std::int32_t source = 0; source < topology.hosts(); ++source) {
      for (const Channel c : walk(routes, source, (source + shift) % topology.hosts())) {
        most = std::max(most, ++flows[static_cast<std::size_t>(c)]);
      }
    }
  }
  return most;
}

}  // namespace sortlast::fabric
