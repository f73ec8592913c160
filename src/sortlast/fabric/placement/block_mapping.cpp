// Block mappings: increasing ranks fill one block of a torus after the other, so that ranks which exchange
// much in the first rounds of radix-k are near. Peterka, Goodell, Ross, Shen, Thakur, "A Configurable
// Algorithm for Parallel Image-Compositing Applications" (2009), section 4.3.
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/placement.hpp"

namespace sortlast::fabric {

namespace {

void check_block(const Topology& grid, const GridShape& shape, const std::vector<std::int32_t>& block) {
  if (block.size() != shape.size.size()) {
    throw ArgumentError("a block of " + std::to_string(block.size()) + " dimensions for '" + grid.name() +
                        "'; expected " + std::to_string(shape.size.size()));
  }
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i] >= 1 && shape.size[i] % block[i] == 0) continue;
    throw ArgumentError("blocks of size " + std::to_string(block[i]) + " along dimension " +
                        std::to_string(i + 1) + " do not fill the " + std::to_string(shape.size[i]) +
                        " switches of '" + grid.name() + "'; expected a divisor of that");
  }
}

}  // namespace

Placement block_mapping(const Topology& grid, const std::vector<std::int32_t>& block) {
  const auto* shape = std::get_if<GridShape>(&grid.shape());
  if (shape == nullptr) {
    throw ArgumentError("'" + grid.name() + "' is no intact mesh or torus; blocks are parts of one");
  }
  check_block(grid, *shape, block);

  Placement placement;
  for (std::int32_t i = 0; i < grid.switches(); ++i) {
    // Split i into coordinates in the block (x fastest), then of the block, and find that switch.
    std::int32_t rest = i;
    std::vector<std::int32_t> at;
    for (const std::int32_t extent : block) {
      at.push_back(rest % extent);
      rest /= extent;
    }
    std::int32_t s = 0, stride = 1;
    for (std::size_t d = 0; d < block.size(); ++d) {
      const std::int32_t blocks = shape->size[d] / block[d];
      s += stride * (at[d] + block[d] * (rest % blocks));
      rest /= blocks;
      stride *= shape->size[d];
    }
    for (std::int32_t port = 1; port <= shape->hosts; ++port) {
      placement.push_back(grid.target(grid.channel(s, port)).vertex);
    }
  }
  return placement;
}

}  // namespace sortlast::fabric
