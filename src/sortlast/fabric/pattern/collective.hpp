// Building blocks of collectives.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sortlast/fabric/pattern.hpp"

namespace sortlast::fabric {

// The stages of p ranks; `flows` generates one of them on demand.
struct Stages {
  std::int64_t count = 0;
  std::function<std::vector<Flow>(std::int64_t stage)> flows;
  std::function<std::int64_t(std::int64_t stage)> repeats = [](std::int64_t) { return 1; };
  bool is_shift = false;
};

// Bytes of each of `parts` parts, rounded up.
inline std::int64_t part_of(std::int64_t bytes, std::int64_t parts) { return (bytes + parts - 1) / parts; }

// trees.cpp
Stages binomial_broadcast(std::int32_t p, std::int64_t bytes);
Stages binomial_reduce(std::int32_t p, std::int64_t bytes);
Stages double_tree(std::int32_t p, std::int64_t bytes, std::int32_t pieces);

// all_to_all.cpp
Stages at_once(std::int32_t p, std::int64_t bytes);
Stages pairwise(std::int32_t p, std::int64_t bytes);
Stages bruck(std::int32_t p, std::int64_t bytes);
Stages rail(std::int32_t p, std::int64_t bytes, std::int32_t ranks_per_node);

// rail_ring.cpp
Stages rail_ring(std::int32_t p, std::int64_t bytes, std::int32_t ranks_per_node);

// Number of nodes of K ranks. Throws ArgumentError, with the collective's name, if the ranks do not fill
// them.
std::int32_t nodes_of(const char* name, std::int32_t p, std::int32_t ranks_per_node);

}  // namespace sortlast::fabric
