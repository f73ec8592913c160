// rail-ring:K, the all-reduce of nodes with K adapters, each on its own rail of the network.
//
// 1. Reduce-scatter on the node: rank a of the K ranks gets the sums of part a of the vector. K - 1 steps of
// a
//    K-th part each, round a ring of the node's ranks.
// 2. For each a, a ring all-reduce of part a among the ranks a of all n nodes: 2 (n - 1) steps of an n-th of
//    the part. All K rings run at once.
// 3. All-gather on the node: the K - 1 steps of 1. again.
//
// No message between nodes changes rails. One ring round all K n ranks, in which the last rank of a node
// sends to the first of the next, does change: with adapters in turn, its only messages between nodes go from
// the last rail to the first, across the core of the network, and every step waits for them. It moves K times
// the bytes over each of these links. NCCL builds one ring per adapter for this reason.
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/pattern/collective.hpp"

namespace sortlast::fabric {

std::int32_t nodes_of(const char* name, std::int32_t p, std::int32_t ranks_per_node) {
  if (p % ranks_per_node == 0) return p / ranks_per_node;
  const std::string k = std::to_string(ranks_per_node);
  throw ArgumentError(std::string(name) + ":" + k + " of " + std::to_string(p) +
                      " ranks, which do not fill nodes of " + k);
}

Stages rail_ring(std::int32_t p, std::int64_t bytes, std::int32_t ranks_per_node) {
  const std::int32_t k = ranks_per_node, nodes = nodes_of("rail-ring", p, k);
  const std::int64_t part = part_of(bytes, k), block = part_of(part, nodes);
  const bool on_node = k > 1, between = nodes > 1;
  const std::int64_t count = (on_node ? 2 : 0) + (between ? 1 : 0);
  const auto is_between = [=](std::int64_t stage) { return between && stage == (on_node ? 1 : 0); };
  return {.count = count,
          .flows =
              [=](std::int64_t stage) {
                const bool rings = is_between(stage);
                std::vector<Flow> flows;
                for (std::int32_t i = 0; i < p; ++i) {
                  const std::int32_t node = i / k, own_rail = i % k;
                  const std::int32_t to =
                      rings ? (node + 1) % nodes * k + own_rail : node * k + (own_rail + 1) % k;
                  flows.push_back({i, to, rings ? block : part});
                }
                return flows;
              },
          .repeats =
              [=](std::int64_t stage) { return is_between(stage) ? 2 * (std::int64_t{nodes} - 1) : k - 1; }};
}

}  // namespace sortlast::fabric
