// All-to-alls: every rank has a block for every other one.
//
// at once    all p (p - 1) blocks in one stage.
// pairwise   p - 1 stages; at stage s rank i sends its block to i + s mod p: the shift. Any p.
// bruck      Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in
//            multiport message-passing systems" (1997). ceil(log2 p) stages; at stage j rank i sends to i +
//            2^j mod p all blocks, its own and received ones, for which bit j of the distance d - i mod p to
//            their destination d is set. Any p; if it is not a power of two, the last stage has fewer blocks.
// rail:K     for nodes of K ranks, where rank a of each node is on rail a of the network (NCCL's PXN). First
//            each rank gives its neighbours on the node the blocks for their rails, K - 1 stages of n blocks,
//            for n nodes. Then rank a sends to rank a of the other nodes, n - 1 stages of K blocks, which
//            include its neighbours' blocks. No message between nodes changes rails. Any n and K.
#include <algorithm>
#include <bit>
#include "sortlast/fabric/pattern/collective.hpp"

namespace sortlast::fabric {

namespace {

Stages staged(const std::shared_ptr<const Pattern>& pattern) {
  return {.count = pattern->stages(),
          .flows = [pattern](std::int64_t stage) { return pattern->flows(stage); },
          .is_shift = pattern->is_shift()};
}

}  // namespace

Stages at_once(std::int32_t p, std::int64_t bytes) {
  return staged(all_to_all_pattern(p, part_of(bytes, p)));
}

Stages pairwise(std::int32_t p, std::int64_t bytes) { return staged(shift_pattern(p, part_of(bytes, p))); }

Stages bruck(std::int32_t p, std::int64_t bytes) {
  const std::int64_t block = part_of(bytes, p);
  return {.count = std::bit_width(static_cast<std::uint32_t>(p - 1)), .flows = [=](std::int64_t stage) {
            // Count the distances of 0 .. p - 1 with this bit.
            const std::int64_t bit = std::int64_t{1} << stage;
            const std::int64_t blocks = p / (2 * bit) * bit + std::max<std::int64_t>(0, p % (2 * bit) - bit);
            std::vector<Flow> flows;
            for (std::int32_t i = 0; i < p; ++i) {
              flows.push_back({i, static_cast<std::int32_t>((i + bit) % p), blocks * block});
            }
            return flows;
          }};
}

Stages rail(std::int32_t p, std::int64_t bytes, std::int32_t ranks_per_node) {
  const std::int32_t k = ranks_per_node, nodes = nodes_of("rail", p, k);
  const std::int64_t block = part_of(bytes, p);
  return {.count = k - 1 + nodes - 1, .flows = [=](std::int64_t stage) {
            const bool on_node = stage < k - 1;
            const std::int64_t s = on_node ? stage + 1 : stage + 1 - (k - 1);
            std::vector<Flow> flows;
            for (std::int32_t i = 0; i < p; ++i) {
              const std::int64_t node = i / k, own_rail = i % k;
              const std::int64_t to =
                  on_node ? node * k + (own_rail + s) % k : (node + s) % nodes * k + own_rail;
              flows.push_back({i, static_cast<std::int32_t>(to), (on_node ? nodes : k) * block});
            }
            return flows;
          }};
}

}  // namespace sortlast::fabric
