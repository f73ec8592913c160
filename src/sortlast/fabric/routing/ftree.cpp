// OpenSM's routing engine ftree, as in OpenSM 3.3.23: the same port for every switch and destination.
//
// Problem. Real fat-trees are routed by ftree. Predicting their contention requires exactly its routes, also
// on damaged trees, where they depend on orders and counters that no paper mentions. This file describes
// them, as learnt from OpenSM's behaviour and its source, osm_ucast_ftree.c.
//
// Model. Switches are ranked from the roots, links between two switches form a group, switches get indices,
// and a tree without given roots has to be regular (ftree_tree.cpp). Then destinations are routed one after
// the other, with routes counted on every group and link:
//
// First the compute nodes, leaf by leaf in order of index, and on a leaf by port. A leaf with fewer compute
// nodes than the fullest leaf is padded with dummies; their routes are counted but not stored, so that later
// routes do not shift. Then the other hosts by GUID (see engine.hpp), then switches by GUID.
//
// Each begins at the destination's switch. `descend` routes all switches below up through it: through each
// group, fewest routes first, over its link with fewest routes, unless a switch already has a path that is
// not longer. `ascend` then takes the group up with fewest routes, ties by index, and its link with fewest
// routes: the main path, by which all traffic from above will come down. It continues from there; on its way
// back it visits the upper switches that the main path left out, and the switches of the same rank.
//
// On an intact tree, taking the group with fewest routes in order of index is round-robin. This is D-mod-K if
// the number of hosts that a switch serves is a multiple of its up-links; otherwise ftree starts over at each
// switch, where D-mod-K continues. After a cut it is greedy.
//
// So if every switch is evenly round-robin, and leaves and up-links are in the order of the shape, traffic
// between hosts is forwarded by D-mod-K's formula. Tables are made only when an entry is requested that no
// message between hosts uses. For 65,536 hosts on 3,584 switches tables take 8 s and 250 MB, the formula
// nothing.
//
// Not reproduced. (1) Links between two leaves, and switches below leaves: OpenSM then sorts the hosts of
// such a leaf by heap contents at the place of a switch's index, while it iterates over them. It skips some
// hosts, which cannot be reached. Here they stay in order of their ports. (2) I/O nodes (-G, -H),
// connect_roots and quasi_ftree_indexing, which are off by default. (3) For each switch OpenSM also keeps the
// lowest count of its groups downward, to decide between equal groups; but these counts are never increased,
// so they decide nothing.
//
// Measured on one core, with tables: 1,728 hosts in 0.1 s, 11,664 hosts (36-port switches, 3 levels) in 3 s;
// OpenSM takes 10 s for the first. Rejected, because the second took 10 s: storing the links of a group in
// it, and comparing indices as tuples.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/routing/ftree_tree.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int32_t unknown = -1;

// Sorts groups by a counter, with ties by the index that they lead to; equal groups keep their order. They
// are nearly sorted already.
void sort_by_load(const FtreeTree& tree, std::vector<std::int32_t>& groups,
                  std::int32_t FtreeGroup::* routes) {
  const auto key = [&](std::int32_t g) {
    const FtreeGroup& group = tree.group(g);
    return static_cast<std::int64_t>(group.*routes) << 32 | group.position;
  };
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const std::int32_t moved = groups[i];
    const std::int64_t moved_key = key(moved);
    std::size_t j = i;
    for (; j > 0 && moved_key < key(groups[j - 1]); --j) groups[j] = groups[j - 1];
    groups[j] = moved;
  }
}

// The first link of a group with the minimum count.
FtreeLink& least_loaded(std::vector<FtreeLink>& links, std::int32_t FtreeLink::* routes) {
  return *std::min_element(links.begin(), links.end(),
                           [&](const FtreeLink& a, const FtreeLink& b) { return a.*routes < b.*routes; });
}

// Computes the routes of all switches to one destination after the other.
class Router {
 public:
  Router(const Topology& topology, FtreeTree& tree, Tables& tables)
      : topology_(topology),
        tree_(tree),
        tables_(tables),
        port_(static_cast<std::size_t>(topology.switches())),
        hops_(static_cast<std::size_t>(topology.switches())) {}

  void to_host(std::int32_t h) {
    const End& attachment = topology_.attachment(h);
    begin();
    start(topology_.switch_of(attachment.vertex), attachment.port, 1, true);
    store(h);
  }

  // The place of a compute node that a leaf lacks: nothing is stored, but the counters advance as if it
  // existed.
  void to_dummy(std::int32_t leaf) {
    begin();
    dummy_ = true;
    start(leaf, unknown, 1, true);
    dummy_ = false;
  }

  void to_switch(std::int32_t s) {
    begin();
    start(s, 0, 0, false);
    store(topology_.vertex_of_switch(s));
  }

 private:
  void begin() {
    std::fill(port_.begin(), port_.end(), unknown);
    std::fill(hops_.begin(), hops_.end(), unknown);
  }
  void start(std::int32_t s, std::int32_t port, std::int32_t hops, bool main) {
    set(s, port, hops);
    ascend(s, unknown, main, hops);
  }
  void store(Vertex destination) {
    for (const std::int32_t s : tree_.switch_order) {
      if (port_[static_cast<std::size_t>(s)] != unknown) {
        tables_.set(s, destination, port_[static_cast<std::size_t>(s)]);
      }
    }
  }

  void set(std::int32_t s, std::int32_t port, std::int32_t hops) {
    port_[static_cast<std::size_t>(s)] = port;
    hops_[static_cast<std::size_t>(s)] = hops;
  }
  bool nearer(std::int32_t s, std::int32_t hops) const { return hops < hops_[static_cast<std::size_t>(s)]; }
  bool is_news(std::int32_t s, std::int32_t hops) const {
    return port_[static_cast<std::size_t>(s)] == unknown || nearer(s, hops);
  }

  bool descend(std::int32_t s, std::int32_t from, std::int32_t hops);
  bool ascend(std::int32_t s, std::int32_t from, bool main, std::int32_t hops);
  FtreeLink* ascend_by(std::int32_t s, std::int32_t g, std::int32_t hops);

  const Topology& topology_;
  FtreeTree& tree_;
  Tables& tables_;
  bool dummy_ = false;
  std::vector<std::int32_t> port_, hops_;  // by switch, for the current destination
};

// Routes all switches below `s` (and at the same rank) up through it. Returns whether hosts are reached.
bool Router::descend(std::int32_t s, std::int32_t from, std::int32_t hops) {
  FtreeSwitch& at = tree_.at(s);
  if (at.hosts.empty() && at.down.empty()) return false;
  if (at.down_changed) sort_by_load(tree_, at.down, &FtreeGroup::routes_up);
  at.down_changed = false;
  sort_by_load(tree_, at.same, &FtreeGroup::routes_up);

  bool reached = !at.hosts.empty();
  const std::size_t beside = dummy_ ? 0 : at.same.size();
  for (std::size_t i = 0; i < at.down.size() + beside; ++i) {
    const std::int32_t g = i < at.down.size() ? at.down[i] : at.same[i - at.down.size()];
    FtreeGroup& group = tree_.group(g);
    if (group.remote == from) continue;
    const bool known = hops_[static_cast<std::size_t>(group.remote)] != unknown;
    if (known && !nearer(group.remote, hops + 1)) continue;
    FtreeLink& link = least_loaded(tree_.links_of(g), &FtreeLink::routes_up);
    set(group.remote, link.remote_port, hops + 1);
    if (!descend(group.remote, unknown, hops + 1)) continue;
    reached = true;
    ++link.routes_up;
    ++group.routes_up;
    at.down_changed = true;
  }
  return reached;
}

// Routes the switches above `s` down through it. `main`: on the balanced path that hosts use; otherwise on a
// path that only serves switches and hosts that the main path does not.
bool Router::ascend(std::int32_t s, std::int32_t from, bool main, std::int32_t hops) {
  FtreeSwitch& at = tree_.at(s);
  bool reached = descend(s, from, hops);
  if (at.rank == 0) return reached;

  // Go up the least loaded link of the least loaded group.
  sort_by_load(tree_, at.up, &FtreeGroup::routes_down);
  FtreeGroup& least = tree_.group(at.up.front());
  if (main) {
    FtreeLink& link = least_loaded(tree_.links_of(at.up.front()), &FtreeLink::routes_down);
    ++least.routes_down;
    ++link.routes_down;
    if (is_news(least.remote, hops + 1)) set(least.remote, link.remote_port, hops + 1);
    reached |= ascend(least.remote, s, true, hops + 1);
  }

  // Go up by all other groups that lead to switches without a path as short.
  for (std::size_t i = main ? 1 : 0; i < at.up.size(); ++i) {
    const FtreeLink* const link = ascend_by(s, at.up[i], hops);
    reached |= link != nullptr;
  }

  // The same over links to switches of the same rank. OpenSM counts the route on that link, but on the group
  // that led up.
  sort_by_load(tree_, at.same, &FtreeGroup::routes_down);
  for (const std::int32_t g : at.same) {
    FtreeLink* const link = ascend_by(s, g, hops);
    if (link == nullptr) continue;
    reached = true;
    ++least.routes_down;
    ++link->routes_down;
  }
  return reached;
}

// Goes up off the main path, over the least loaded link of a group, unless the switch has a path as short.
// Returns the link if hosts are reached, else null.
FtreeLink* Router::ascend_by(std::int32_t s, std::int32_t g, std::int32_t hops) {
  const std::int32_t remote = tree_.group(g).remote;
  if (!is_news(remote, hops + 1)) return nullptr;
  FtreeLink& link = least_loaded(tree_.links_of(g), &FtreeLink::routes_down);
  set(remote, link.remote_port, hops + 1);
  return ascend(remote, s, false, hops + 1) ? &link : nullptr;
}

std::shared_ptr<const Tables> make_tables(const Topology& topology, FtreeTree& tree) {
  auto tables = std::make_shared<Tables>(topology);
  Router router(topology, tree, *tables);

  // Route to compute nodes, leaf by leaf; a leaf with fewer than others is padded with dummies.
  for (const std::int32_t leaf : tree.leaves) {
    std::int32_t here = 0;
    for (const std::int32_t h : tree.at(leaf).hosts) {
      if (!tree.compute[static_cast<std::size_t>(h)]) continue;
      router.to_host(h);
      ++here;
    }
    for (; here < tree.most_compute; ++here) router.to_dummy(leaf);
  }
  // Route to other hosts, then to switches.
  for (const std::int32_t h : tree.host_order) {
    if (!tree.compute[static_cast<std::size_t>(h)]) router.to_host(h);
  }
  for (const std::int32_t s : tree.switch_order) router.to_switch(s);
  return tables;
}

// Whether the number of hosts that each switch serves is a multiple of its up-links, so that its counters
// stay even. Notation as in mod_k.cpp.
bool is_even(const TreeShape& shape) {
  std::int64_t hosts = 1, tops = 1;
  for (std::size_t l = 0; l + 1 < shape.m.size(); ++l) {
    hosts *= shape.m[l];
    tops *= shape.w[l];
    if (hosts % (tops * shape.w[l + 1] * shape.p[l + 1]) != 0) return false;
  }
  return shape.m.size() > 1 && shape.w.front() == 1 && shape.p.front() == 1;
}

// Whether ftree visits leaves, and the up-links of each switch, in the order of their numbers, and balances
// for all hosts.
bool is_in_order(const FtreeTree& tree) {
  if (!std::is_sorted(tree.leaves.begin(), tree.leaves.end())) return false;
  if (std::find(tree.compute.begin(), tree.compute.end(), false) != tree.compute.end()) return false;
  const auto port = [&](std::int32_t g) { return tree.links[static_cast<std::size_t>(g)].front().port; };
  return std::ranges::all_of(tree.switches, [&](const FtreeSwitch& at) {
    return at.same.empty() && std::is_sorted(at.up.begin(), at.up.end(), [&](std::int32_t a, std::int32_t b) {
             return port(a) < port(b);
           });
  });
}

// The formula for entries that messages between hosts use, tables for others. At level l, messages for host d
// use only top number d mod W_l of each subtree.
class EvenFtree final : public Forwarding {
 public:
  EvenFtree(const Topology& topology, const TreeShape& shape, FtreeTree tree)
      : topology_(topology), tree_(std::move(tree)), formula_(engine::d_mod_k(topology, {}).forwarding) {
    std::int32_t subtrees = topology.hosts(), tops = 1;
    for (std::size_t l = 0; l < shape.m.size(); ++l) {
      subtrees /= shape.m[l];
      tops *= shape.w[l];
      for (std::int32_t x = 0; x < subtrees * tops; ++x) places_.push_back({tops, x % tops});
    }
  }

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t plane) const override {
    const Place& place = places_[static_cast<std::size_t>(s)];
    if (topology_.is_host(destination) && destination % place.tops == place.top) {
      return formula_->port(s, destination, plane);
    }
    std::call_once(made_, [this] { tables_ = make_tables(topology_, tree_); });
    return tables_->port(s, destination, plane);
  }

 private:
  struct Place {
    std::int32_t tops = 1;  // W_l of its level
    std::int32_t top = 0;   // its number among the tops of its subtree
  };

  Topology topology_;  // a copy, because the caller's may be destroyed
  mutable FtreeTree tree_;
  std::shared_ptr<const Forwarding> formula_;
  std::vector<Place> places_;  // by switch
  mutable std::once_flag made_;
  mutable std::shared_ptr<const Tables> tables_;
};

}  // namespace

Outcome engine::ftree(const Topology& topology, const RouteOptions& options) {
  if (options.lmc > 0) return refuse("it knows no LMC above 0");
  FtreeTree tree = make_ftree_tree(topology, options);
  if (!tree.refusal.empty()) return refuse(tree.refusal);
  const auto* shape = std::get_if<TreeShape>(&topology.shape());
  if (shape != nullptr && options.roots.empty() && is_even(*shape) && is_in_order(tree)) {
    return {std::make_shared<EvenFtree>(topology, *shape, std::move(tree)), ""};
  }
  return {make_tables(topology, tree), ""};
}

}  // namespace sortlast::fabric
