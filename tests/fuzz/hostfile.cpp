// Lists of nodes in all their forms. What is placed has a host a rank.
#include <algorithm>

#include "rails.hpp"
#include "sortlast/fabric/nodes.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Topology topology = fuzz::rails();
  static const std::vector<Node> nodes = find_nodes(topology);
  return fuzz::run(data, size, [](std::string_view text) {
    const std::vector<NodeRanks> list = read_hostfile(topology, text, fuzz::file);
    const RankPlacement placed = place_ranks(topology, nodes, list, {.rail = "all", .file = fuzz::file});
    fuzz::expect(placed.placement.size() == placed.nodes.size());
    fuzz::expect(
        std::ranges::all_of(placed.placement, [](std::int32_t h) { return h >= 0 && h < topology.hosts(); }));
  });
}
