// Rank switches as OpenSM's ftree does: their distance from the roots.
//
// Roots that are given have rank 0. If none are given they are found: the switches farthest from all hosts.
// (A host on a spine therefore makes that spine a leaf and no root.) All others get their distance from the
// roots.
#include <deque>
#include <string>

#include "sortlast/fabric/routing/ftree_tree.hpp"

namespace sortlast::fabric {

namespace {

// Give the neighbours of ranked switches the next rank, and so on. Returns the highest that was given, 0:
// none.
std::uint32_t spread_ranks(const Topology& topology, std::deque<std::int32_t> ranked, FtreeTree& tree) {
  std::uint32_t highest = 0;
  for (; !ranked.empty(); ranked.pop_front()) {
    const std::int32_t s = ranked.front();
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
      const End& end = topology.target(topology.channel(s, port));
      if (!end.connected() || topology.is_host(end.vertex)) continue;
      FtreeSwitch& remote = tree.at(topology.switch_of(end.vertex));
      if (remote.rank != FtreeSwitch::unranked && remote.rank <= tree.at(s).rank + 1) continue;
      highest = remote.rank = tree.at(s).rank + 1;
      ranked.push_back(topology.switch_of(end.vertex));
    }
  }
  return highest;
}

// The switches farthest from hosts. All ranks are left unset.
std::vector<std::int32_t> find_roots(const Topology& topology, FtreeTree& tree) {
  std::deque<std::int32_t> next_to_hosts;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const std::int32_t s = topology.switch_of(topology.attachment(h).vertex);
    if (tree.at(s).rank == 0) continue;
    tree.at(s).rank = 0;
    next_to_hosts.push_back(s);
  }
  const std::uint32_t farthest = spread_ranks(topology, std::move(next_to_hosts), tree);
  std::vector<std::int32_t> roots;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    if (tree.at(s).rank == farthest) roots.push_back(s);
    tree.at(s).rank = FtreeSwitch::unranked;
  }
  return roots;
}

}  // namespace

void rank_ftree(const Topology& topology, const std::vector<std::int32_t>& roots, FtreeTree& tree) {
  std::deque<std::int32_t> ranked;
  for (const std::int32_t s : roots.empty() ? find_roots(topology, tree) : roots) {
    tree.at(s).rank = 0;
    ranked.push_back(s);
  }
  const std::uint32_t highest = spread_ranks(topology, std::move(ranked), tree);

  std::erase_if(tree.switch_order, [&](std::int32_t s) { return tree.at(s).rank == FtreeSwitch::unranked; });
  if (highest == 0 && tree.switch_order.size() > 1) {
    tree.refusal = "all its " + std::to_string(tree.switch_order.size()) +
                   " switches have rank 0, because hosts hang on each of them (AB2B)";
    return;
  }

  // Leaves are the lowest switches; or, if roots are given, those with the first compute node.
  std::erase_if(tree.host_order, [&](std::int32_t h) {
    return tree.at(topology.switch_of(topology.attachment(h).vertex)).rank == FtreeSwitch::unranked;
  });
  tree.leaf_rank = highest;
  bool any = false;
  for (const std::int32_t h : tree.host_order) {
    if (any || !tree.compute[static_cast<std::size_t>(h)]) continue;
    any = true;
    if (!roots.empty()) tree.leaf_rank = tree.at(topology.switch_of(topology.attachment(h).vertex)).rank;
  }
  if (!any) {
    tree.refusal = "it has no compute nodes";
  } else if (tree.leaf_rank < 1 || tree.leaf_rank > 7) {
    tree.refusal = "the number of its levels, from roots to leaves, is " +
                   std::to_string(tree.leaf_rank + 1) + "; ftree takes 2 to 8";
  }
}

}  // namespace sortlast::fabric
