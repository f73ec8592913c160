// Collectives along trees: binomial, and NCCL's double binary tree.
//
// Binomial. At each stage every rank that has the data sends it on, which doubles the number of ranks that
// have it: rank r to r + 2^j, for j from the highest. If p is not a power of two, a rank without a partner is
// idle. A reduction is the same in reverse.
//
// Double binary tree (Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction
// and scan", 2009). An all-reduce in two halves of the vector, each up and down a separate binary tree. A
// rank that is an inner node of one tree is a leaf of the other (with one exception for odd p), so together
// they load all links equally. The trees are NCCL's (src/graph/trees.cc): in the first, rank 0 is the root,
// and a rank r > 0 with lowest one bit b has the parent (r - b) with bit 2 b set, or r - b if that does not
// exist. The second tree is its mirror, r -> p - 1 - r, for even p, and its shift, r -> r + 1 mod p, for odd
// p. Any p works.
//
// Stages are levels: the leaves send first, then the ranks above them, and in the opposite order from the
// root down. The two children of a rank send at the same stage. With C pieces one follows the other: while
// one piece is at level l, the next is at level l - 1, as in NCCL with the contents of its buffers. Between
// start and end all levels of both trees are busy, and that stage repeats.
#include <algorithm>
#include <bit>
#include <utility>

#include "sortlast/fabric/pattern/collective.hpp"

namespace sortlast::fabric {

namespace {

std::int32_t doublings(std::int32_t p) { return std::bit_width(static_cast<std::uint32_t>(p - 1)); }

// Edges of the broadcast over distance 2^j, from parent to child.
std::vector<Flow> binomial_edges(std::int32_t p, std::int32_t j, std::int64_t bytes) {
  std::vector<Flow> flows;
  const std::int64_t distance = std::int64_t{1} << j;
  for (std::int64_t r = 0; r + distance < p; r += 2 * distance) {
    flows.push_back({static_cast<std::int32_t>(r), static_cast<std::int32_t>(r + distance), bytes});
  }
  return flows;
}

void turn_round(std::vector<Flow>& flows) {
  for (Flow& flow : flows) std::swap(flow.source, flow.destination);
}

}  // namespace

Stages binomial_broadcast(std::int32_t p, std::int64_t bytes) {
  const std::int32_t k = doublings(p);
  return {.count = k, .flows = [=](std::int64_t stage) {
            return binomial_edges(p, k - 1 - static_cast<std::int32_t>(stage), bytes);
          }};
}

Stages binomial_reduce(std::int32_t p, std::int64_t bytes) {
  return {.count = doublings(p), .flows = [=](std::int64_t stage) {
            std::vector<Flow> flows = binomial_edges(p, static_cast<std::int32_t>(stage), bytes);
            turn_round(flows);
            return flows;
          }};
}

namespace {

// By rank: its parent in the first tree, -1 for the root.
std::vector<std::int32_t> binary_tree(std::int32_t p) {
  std::vector<std::int32_t> parent{-1};
  for (std::int32_t r = 1; r < p; ++r) {
    const std::int32_t bit = r & -r;
    const std::int64_t up = (r ^ bit) | std::int64_t{2} * bit;
    parent.push_back(up < p ? static_cast<std::int32_t>(up) : r ^ bit);
  }
  return parent;
}

// The flows of every level of a tree, up and then down.
struct Levels {
  std::vector<std::vector<Flow>> up, down;
};

void add_tree(const std::vector<std::int32_t>& parent, std::int64_t bytes, Levels& levels) {
  // A rank sends when all ranks below it have sent, and receives when all above it have received.
  std::vector<std::size_t> height(parent.size(), 0), depth(parent.size(), 0);
  for (std::size_t r = 0; r < parent.size(); ++r) {
    std::size_t& up = depth[r];
    for (std::int32_t at = parent[r]; at >= 0; at = parent[static_cast<std::size_t>(at)]) {
      ++up;
      height[static_cast<std::size_t>(at)] = std::max(height[static_cast<std::size_t>(at)], up);
    }
  }
  const auto at_level = [](std::vector<std::vector<Flow>>& list, std::size_t level) -> std::vector<Flow>& {
    if (list.size() <= level) list.resize(level + 1);
    return list[level];
  };
  for (std::size_t r = 0; r < parent.size(); ++r) {
    if (parent[r] < 0) continue;
    const auto rank = static_cast<std::int32_t>(r);
    at_level(levels.up, height[r]).push_back({rank, parent[r], bytes});
    at_level(levels.down, depth[r] - 1).push_back({parent[r], rank, bytes});
  }
}

std::vector<std::vector<Flow>> double_tree_levels(std::int32_t p, std::int64_t bytes) {
  // Build the second tree from the first.
  const std::vector<std::int32_t> first = binary_tree(p);
  const auto placed = [p](std::int32_t r) { return p % 2 == 0 ? p - 1 - r : (r + 1) % p; };
  std::vector<std::int32_t> second(first.size());
  for (std::int32_t r = 0; r < p; ++r) {
    const std::int32_t up = first[static_cast<std::size_t>(r)];
    second[static_cast<std::size_t>(placed(r))] = up < 0 ? -1 : placed(up);
  }

  Levels levels;
  add_tree(first, bytes, levels);
  add_tree(second, bytes, levels);
  std::vector<std::vector<Flow>> all = std::move(levels.up);
  all.insert(all.end(), std::make_move_iterator(levels.down.begin()),
             std::make_move_iterator(levels.down.end()));
  return all;
}

}  // namespace

Stages double_tree(std::int32_t p, std::int64_t bytes, std::int32_t pieces) {
  const auto levels = double_tree_levels(p, part_of(part_of(bytes, 2), pieces));
  const auto height = static_cast<std::int64_t>(levels.size());
  if (height == 0) return {};

  // At step t the pieces are at levels t, t - 1, ..; the step with all levels busy repeats.
  const std::int64_t full = std::max<std::int64_t>(0, pieces - height);  // repetitions of the fullest step
  const std::int64_t steps = pieces + height - 1;
  return {.count = steps - full,
          .flows =
              [=](std::int64_t stage) {
                const std::int64_t t = stage < height ? stage : stage + full;
                std::vector<Flow> flows;
                for (std::int64_t l = std::max<std::int64_t>(0, t - pieces + 1); l <= std::min(t, height - 1);
                     ++l) {
                  const auto& level = levels[static_cast<std::size_t>(l)];
                  flows.insert(flows.end(), level.begin(), level.end());
                }
                return flows;
              },
          .repeats = [=](std::int64_t stage) { return stage == height - 1 ? 1 + full : 1; }};
}

}  // namespace sortlast::fabric
