// Node lists for tests: the ways in which p ranks may lie on nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sortlast::testing {

using NodeList = std::vector<std::int32_t>;  // rank -> node

// Ranks 0 to size - 1 on node 0, and so on; the last node may be smaller.
inline NodeList block_nodes(std::int32_t p, std::int32_t size) {
  NodeList nodes;
  for (std::int32_t rank = 0; rank < p; ++rank) nodes.push_back(rank / size);
  return nodes;
}

// Ranks dealt to m <= p nodes in turn.
inline NodeList cyclic_nodes(std::int32_t p, std::int32_t m) {
  NodeList nodes;
  for (std::int32_t rank = 0; rank < p; ++rank) nodes.push_back(rank % m);
  return nodes;
}

// m <= p nodes of any size, their ranks anywhere.
inline NodeList random_nodes(std::int32_t p, std::int32_t m, std::mt19937& random) {
  NodeList nodes(static_cast<std::size_t>(p));
  for (std::int32_t& node : nodes) node = std::uniform_int_distribution(0, m - 1)(random);
  std::iota(nodes.begin(), nodes.begin() + m, 0);
  std::shuffle(nodes.begin(), nodes.end(), random);
  return nodes;
}

inline std::vector<std::pair<std::string, NodeList>> node_lists(std::int32_t p, std::mt19937& random) {
  std::vector<std::pair<std::string, NodeList>> lists{{"no", {}},
                                                      {"one", NodeList(static_cast<std::size_t>(p), 0)}};
  for (const std::int32_t size : {1, 2, 3, 4}) {
    if (size <= p) lists.emplace_back("blocks of " + std::to_string(size), block_nodes(p, size));
  }
  for (const std::int32_t m : {2, 3, p / 2}) {
    if (m < 1 || m > p) continue;
    lists.emplace_back(std::to_string(m) + " cyclic", cyclic_nodes(p, m));
    lists.emplace_back(std::to_string(m) + " random", random_nodes(p, m, random));
  }
  return lists;
}

}  // namespace sortlast::testing
