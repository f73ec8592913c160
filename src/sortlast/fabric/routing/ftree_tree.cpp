// Finds the tree in a fabric, or refuses a fabric that is none, as OpenSM's ftree does; codes like AB09 are
// OpenSM's errors.
#include "sortlast/fabric/routing/ftree_tree.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <unordered_set>

#include "sortlast/fabric/routing/engine.hpp"

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

// Adds a link to its group, which is created if necessary.
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

// Leaves are the switches with compute nodes; all have the same rank.
void mark_leaves(const Topology& topology, FtreeTree& tree) {
  for (const std::int32_t h : tree.host_order) {
    if (!tree.compute[static_cast<std::size_t>(h)]) continue;
    const std::int32_t s = topology.switch_of(topology.attachment(h).vertex);
    tree.at(s).leaf = true;
    if (tree.at(s).rank == tree.leaf_rank) continue;
    tree.refusal = "compute node '" + topology.label(h) + "' hangs on switch '" +
                   topology.label(topology.vertex_of_switch(s)) + "' of rank " +
                   std::to_string(tree.at(s).rank) + ", while leaves have rank " +
                   std::to_string(tree.leaf_rank) +
                   " (AB26); give the roots (--roots top), and as compute nodes only hosts on leaves "
                   "(--compute leaves)";
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

// The switches farthest from hosts.
std::vector<std::int32_t> find_roots(const Topology& topology, const SwitchGraph& graph) {
  std::vector<std::int32_t> next_to_hosts;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    next_to_hosts.push_back(topology.switch_of(topology.attachment(h).vertex));
  }
  const std::vector<std::int32_t> distance = distances(graph, next_to_hosts);
  const std::int32_t farthest = *std::ranges::max_element(distance);
  std::vector<std::int32_t> roots;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    if (distance[static_cast<std::size_t>(s)] == farthest) roots.push_back(s);
  }
  return roots;
}

// Ranks switches as OpenSM's ftree does, by their distance from the roots.
//
// Given roots have rank 0. Otherwise the roots are the switches farthest from all hosts. (A host on a spine
// therefore makes that spine a leaf and not a root.)
void rank_ftree(const Topology& topology, const std::vector<std::int32_t>& roots, FtreeTree& tree) {
  const SwitchGraph graph(topology);
  const std::vector<std::int32_t> distance =
      distances(graph, roots.empty() ? find_roots(topology, graph) : roots);
  std::uint32_t highest = 0;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const std::int32_t rank = distance[static_cast<std::size_t>(s)];
    if (rank < 0) continue;
    tree.at(s).rank = static_cast<std::uint32_t>(rank);
    highest = std::max(highest, tree.at(s).rank);
  }

  std::erase_if(tree.switch_order, [&](std::int32_t s) { return tree.at(s).rank == FtreeSwitch::unranked; });
  if (highest == 0 && tree.switch_order.size() > 1) {
    tree.refusal =
        "all its " + std::to_string(tree.switch_order.size()) +
        " switches have rank 0, because hosts hang on each of them (AB2B); if it is a tree, give the "
        "roots (--roots top), and as compute nodes only hosts on leaves (--compute leaves)";
    return;
  }

  // Leaves are the lowest switches or, if roots are given, the switches of the rank with the first compute
  // node.
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

// Two switches of one rank.
class Pair {
 public:
  Pair(const Topology& topology, const FtreeTree& tree, std::int32_t reference, std::int32_t other)
      : topology_(topology), tree_(tree), reference_(reference), other_(other) {}

  // Their first difference in OpenSM's order; empty if they differ in nothing relevant.
  std::string difference() const {
    const FtreeSwitch &a = tree_.at(reference_), &b = tree_.at(other_);
    if (a.up.size() != b.up.size()) return differ("upper switches", a.up.size(), b.up.size(), "AB09");

    // The lowest rank may lack hosts.
    const bool lowest = a.rank == tree_.leaf_rank;
    const std::size_t down_a = a.down.size() + a.hosts.size(), down_b = b.down.size() + b.hosts.size();
    if (!lowest && down_a != down_b) return differ("switches and hosts below", down_a, down_b, "AB0A");

    for (const std::int32_t g : b.up) {
      const std::size_t links_a = links(a.up.front()), links_b = links(g);
      if (links_a != links_b) return differ("links to an upper switch", links_a, links_b, "AB0B");
    }
    // OpenSM compares only the first group of the links down.
    if (!lowest && down_a > 0) {
      const std::size_t links_a = first_links_down(a), links_b = first_links_down(b);
      if (links_a != links_b) return differ("links to a lower switch", links_a, links_b, "AB0C");
    }
    return "";
  }

 private:
  std::size_t links(std::int32_t g) const { return tree_.links_of(g).size(); }
  std::size_t first_links_down(const FtreeSwitch& at) const {
    return at.down.empty() ? 1 : links(at.down.front());
  }

  std::string differ(const char* what, std::size_t a, std::size_t b, const char* error) const {
    return "switch '" + topology_.label(topology_.vertex_of_switch(reference_)) + "' has " +
           std::to_string(a) + " " + what + ", switch '" +
           topology_.label(topology_.vertex_of_switch(other_)) + "' of the same rank " + std::to_string(b) +
           " (" + error + "); give the roots (--roots top) to have it routed all the same";
  }

  const Topology& topology_;
  const FtreeTree& tree_;
  std::int32_t reference_, other_;
};

// Regularity that ftree requires without given roots: all switches of a rank are equal, except for missing
// hosts.
void check_ftree(const Topology& topology, FtreeTree& tree) {
  std::vector<std::int32_t> reference(tree.leaf_rank + 1, -1);
  for (const std::int32_t s : tree.switch_order) {
    std::int32_t& first = reference[tree.at(s).rank];
    if (first < 0) {
      first = s;
      continue;
    }
    tree.refusal = Pair(topology, tree, first, s).difference();
    if (!tree.refusal.empty()) return;
  }
}

// Indexes switches as OpenSM's ftree does. The indices decide every tie between equally loaded links, and
// therefore the order of leaves and, on an intact tree, all routes.
//
// An index is a tuple of digits, the rank first. Breadth-first from the first leaf, every switch gives its
// neighbours, in order of its own ports, its own tuple with the next free value of one digit: digit r + 1
// when going down from rank r, digit r when going up from rank r. Then it sorts its groups by the indices
// that they lead to.

constexpr std::int32_t most_values = 0xFF;  // per digit

std::uint64_t with_digit(std::uint64_t index, std::uint32_t digit, std::uint64_t value) {
  const std::uint32_t shift = 8 * (7 - digit);
  return (index & ~(std::uint64_t{0xFF} << shift)) | value << shift;
}

class Indexing {
 public:
  explicit Indexing(FtreeTree& tree) : tree_(tree) {}

  // Starts from a leaf.
  void run(std::int32_t first) {
    const std::uint32_t rank = tree_.at(first).rank;
    std::uint64_t index = with_digit(FtreeSwitch::no_index, 0, rank);
    for (std::uint32_t digit = 1; digit <= tree_.leaf_rank; ++digit) index = with_digit(index, digit, 0);
    assign(first, index);

    for (; !queue_.empty() && tree_.refusal.empty(); queue_.pop_front()) {
      FtreeSwitch& at = tree_.at(queue_.front());
      if (at.rank < tree_.leaf_rank) visit(at, at.down, at.rank + 1, at.rank + 1);
      if (at.rank > 0) visit(at, at.up, at.rank - 1, at.rank);
    }
  }

 private:
  void assign(std::int32_t s, std::uint64_t index) {
    tree_.at(s).index = index;
    taken_.insert(index);
    queue_.push_back(s);
  }

  // Indexes the neighbours of rank `rank` behind these groups by values of `digit`; then sorts the groups.
  void visit(const FtreeSwitch& at, std::vector<std::int32_t>& groups, std::uint32_t rank,
             std::uint32_t digit) {
    for (const std::int32_t g : groups) {
      const std::int32_t remote = tree_.group(g).remote;
      if (tree_.at(remote).index != FtreeSwitch::no_index) continue;
      std::uint64_t index = with_digit(at.index, 0, rank);
      std::uint64_t value = 0;
      while (value < most_values && taken_.contains(index = with_digit(index, digit, value))) ++value;
      if (value == most_values) {
        tree_.refusal = "more than 255 switches differ in one digit of their index";
        return;
      }
      assign(remote, index);
    }
    std::stable_sort(groups.begin(), groups.end(), [&](std::int32_t a, std::int32_t b) {
      return tree_.remote_index(a) < tree_.remote_index(b);
    });
  }

  FtreeTree& tree_;
  std::unordered_set<std::uint64_t> taken_;
  std::deque<std::int32_t> queue_;
};

// Ranks the indices in use, so that comparisons are cheap.
void place_groups(FtreeTree& tree) {
  std::vector<std::uint64_t> indices;
  for (const std::int32_t s : tree.switch_order) indices.push_back(tree.at(s).index);
  std::sort(indices.begin(), indices.end());
  for (FtreeGroup& group : tree.groups) {
    const auto place = std::lower_bound(indices.begin(), indices.end(), tree.at(group.remote).index);
    group.position = static_cast<std::int32_t>(place - indices.begin());
  }
}

// The switches of leaf rank by index, from the first switch with compute nodes to the last.
std::vector<std::int32_t> find_leaves(const FtreeTree& tree) {
  std::vector<std::int32_t> all;
  for (const std::int32_t s : tree.switch_order) {
    if (tree.at(s).rank == tree.leaf_rank) all.push_back(s);
  }
  std::stable_sort(all.begin(), all.end(),
                   [&](std::int32_t a, std::int32_t b) { return tree.at(a).index < tree.at(b).index; });
  const auto is_leaf = [&](std::int32_t s) { return tree.at(s).leaf; };
  const auto first = std::find_if(all.begin(), all.end(), is_leaf);
  const auto last = std::find_if(all.rbegin(), all.rend(), is_leaf).base();
  return {first, last};
}

void index_ftree(FtreeTree& tree) {
  Indexing(tree).run(*std::find_if(tree.switch_order.begin(), tree.switch_order.end(),
                                   [&](std::int32_t s) { return tree.at(s).leaf; }));
  if (!tree.refusal.empty()) return;
  place_groups(tree);
  tree.leaves = find_leaves(tree);
  if (tree.leaves.size() < 2) {
    tree.refusal = "all compute nodes hang on one switch";
    return;
  }
  for (const std::int32_t s : tree.leaves) {
    const auto& hosts = tree.at(s).hosts;
    const auto here = std::count_if(hosts.begin(), hosts.end(), [&](std::int32_t h) {
      return static_cast<bool>(tree.compute[static_cast<std::size_t>(h)]);
    });
    tree.most_compute = std::max(tree.most_compute, static_cast<std::int32_t>(here));
  }
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
  // If roots are given, ftree does not require a regular tree.
  if (tree.refusal.empty() && options.roots.empty()) check_ftree(topology, tree);
  return tree;
}

}  // namespace sortlast::fabric
