// See the tree in a fabric, and refuse what is none, as OpenSM's ftree does; numbers as AB09 are its errors'.
#include "sortlast/fabric/routing/ftree_tree.hpp"

#include "sortlast/fabric/routing/guid_order.hpp"

namespace sortlast::fabric {

namespace {

std::int32_t count_adapters(const Topology& topology, const FtreeTree& tree) {
  std::int32_t adapters = 0;
  for (std::size_t i = 0; i < tree.host_order.size(); ++i) {
    const std::uint64_t guid = topology.host(tree.host_order[i]).guid;
    if (i == 0 || guid == 0 || guid != topology.host(tree.host_order[i - 1]).guid) ++adapters;
  }
  return adapters;
}

// Add a link to its group, which it may found.
void add_link(FtreeTree& tree, std::vector<std::int32_t>& groups, std::int32_t remote, FtreeLink link) {
  for (const std::int32_t g : groups) {
    if (tree.group(g).remote != remote) continue;
    tree.links_of(g).push_back(link);
    return;
  }
  groups.push_back(static_cast<std::int32_t>(tree.groups.size()));
  tree.groups.push_back({remote});
  tree.links.push_back({link});
}

void group_links(const Topology& topology, FtreeTree& tree) {
  for (const std::int32_t s : tree.switch_order) {
    FtreeSwitch& at = tree.at(s);
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
      const End& end = topology.target(topology.channel(s, port));
      if (!end.connected()) continue;
      if (topology.is_host(end.vertex)) {
        at.hosts.push_back(end.vertex);
        continue;
      }
      const std::int32_t remote = topology.switch_of(end.vertex);
      if (remote == s) continue;
      const std::uint32_t rank = tree.at(remote).rank;
      add_link(tree, rank < at.rank ? at.up : (rank > at.rank ? at.down : at.same), remote,
               {port, end.port, 0, 0});
    }
  }
}

// Leaves are the switches with compute nodes, all of one rank.
void mark_leaves(const Topology& topology, FtreeTree& tree) {
  for (const std::int32_t h : tree.host_order) {
    if (!tree.compute[static_cast<std::size_t>(h)]) continue;
    const std::int32_t s = topology.switch_of(topology.attachment(h).vertex);
    tree.at(s).leaf = true;
    if (tree.at(s).rank == tree.leaf_rank) continue;
    tree.refusal = "compute node '" + topology.host(h).name + "' hangs on switch '" +
                   topology.switch_at(s).name + "' of rank " + std::to_string(tree.at(s).rank) +
                   ", while leaves have rank " + std::to_string(tree.leaf_rank) +
                   " (AB26); give the roots, and as compute nodes only hosts on leaves";
    return;
  }
}

std::string too_small(const Topology& topology, const FtreeTree& tree) {
  if (topology.switches() < 2) {
    return "it has " + std::to_string(topology.switches()) + " switch; a tree has 2 or more";
  }
  const std::int32_t adapters = count_adapters(topology, tree);
  if (adapters < 2) return "it has " + std::to_string(adapters) + " adapter; a tree has 2 or more";
  return "";
}

}  // namespace

FtreeTree make_ftree_tree(const Topology& topology, const RouteOptions& options) {
  FtreeTree tree;
  tree.switch_order = switches_by_guid(topology);
  tree.host_order = hosts_by_guid(topology);
  tree.refusal = too_small(topology, tree);
  if (!tree.refusal.empty()) return tree;

  tree.switches.resize(static_cast<std::size_t>(topology.switches()));
  tree.compute.assign(static_cast<std::size_t>(topology.hosts()), options.compute.empty());
  for (const std::int32_t h : options.compute) tree.compute[static_cast<std::size_t>(h)] = true;

  rank_ftree(topology, options.roots, tree);
  if (!tree.refusal.empty()) return tree;
  group_links(topology, tree);
  mark_leaves(topology, tree);
  if (!tree.refusal.empty()) return tree;
  index_ftree(tree);
  // With roots given, ftree asks for no regular tree.
  if (tree.refusal.empty() && options.roots.empty()) check_ftree(topology, tree);
  return tree;
}

}  // namespace sortlast::fabric
