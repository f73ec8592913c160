// OpenSM's routing engine ftree: the same routes, port by port, as OpenSM 3.3.23 walks.
#include <algorithm>
#include <memory>

#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/routing/ftree_tree.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int32_t unknown = -1;

// Sort groups by a counter, ties by the index that they lead to; what is equal stays in order. They are
// nearly sorted already.
template <typename Counter>
void sort_by_load(FtreeTree& tree, std::vector<std::int32_t>& groups, Counter counter) {
  const auto before = [&](std::int32_t a, std::int32_t b) {
    const std::int32_t load_a = tree.group(a).*counter, load_b = tree.group(b).*counter;
    return load_a != load_b ? load_a < load_b : tree.remote_index(a) < tree.remote_index(b);
  };
  for (std::size_t i = 1; i < groups.size(); ++i) {
    for (std::size_t j = i; j > 0 && before(groups[j], groups[j - 1]); --j)
      std::swap(groups[j], groups[j - 1]);
  }
}

template <typename Counter>
FtreeLink& least_loaded(FtreeGroup& group, Counter counter) {
  return *std::min_element(group.links.begin(), group.links.end(),
                           [&](const FtreeLink& a, const FtreeLink& b) { return a.*counter < b.*counter; });
}

// Routes of all switches to one destination after the other.
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

  // The place of a compute node that a leaf lacks: nothing is stored, but the counters go on as if it were
  // there.
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

  bool descend(std::int32_t s, std::int32_t from, std::int32_t hops);
  bool ascend(std::int32_t s, std::int32_t from, bool main, std::int32_t hops);
  bool ascend_by(std::int32_t s, FtreeGroup& group, FtreeLink& link, std::int32_t hops);

  const Topology& topology_;
  FtreeTree& tree_;
  Tables& tables_;
  bool dummy_ = false;
  std::vector<std::int32_t> port_, hops_;  // by switch, of the present destination
};

// Tell all below `s` (and beside it) to come up through it. Returns whether hosts are reached.
bool Router::descend(std::int32_t s, std::int32_t from, std::int32_t hops) {
  FtreeSwitch& at = tree_.at(s);
  if (at.hosts.empty() && at.down.empty()) return false;
  if (at.down_changed) sort_by_load(tree_, at.down, &FtreeGroup::routes_up);
  at.down_changed = false;
  sort_by_load(tree_, at.same, &FtreeGroup::routes_up);

  bool reached = !at.hosts.empty();
  const std::size_t beside = dummy_ ? 0 : at.same.size();
  for (std::size_t i = 0; i < at.down.size() + beside; ++i) {
    FtreeGroup& group = tree_.group(i < at.down.size() ? at.down[i] : at.same[i - at.down.size()]);
    if (group.remote == from) continue;
    const bool known = hops_[static_cast<std::size_t>(group.remote)] != unknown;
    if (known && !nearer(group.remote, hops + 1)) continue;
    FtreeLink& link = least_loaded(group, &FtreeLink::routes_up);
    set(group.remote, link.remote_port, hops + 1);
    if (!descend(group.remote, unknown, hops + 1)) continue;
    reached = true;
    ++link.routes_up;
    ++group.routes_up;
    at.down_changed = true;
  }
  return reached;
}

// Tell what is above `s` to come down through it. `main`: on the path that hosts take, which is balanced;
// else on one that only serves switches and hosts that the main path does not.
bool Router::ascend(std::int32_t s, std::int32_t from, bool main, std::int32_t hops) {
  FtreeSwitch& at = tree_.at(s);
  bool reached = descend(s, from, hops);
  if (at.rank == 0) return reached;

  // Go up the least loaded link of the least loaded group.
  sort_by_load(tree_, at.up, &FtreeGroup::routes_down);
  FtreeGroup& least = tree_.group(at.up.front());
  if (main) {
    FtreeLink& link = least_loaded(least, &FtreeLink::routes_down);
    ++least.routes_down;
    ++link.routes_down;
    const bool known = port_[static_cast<std::size_t>(least.remote)] != unknown;
    if (!known || nearer(least.remote, hops + 1)) set(least.remote, link.remote_port, hops + 1);
    reached |= ascend(least.remote, s, true, hops + 1);
  }

  // Go up all others, where that is news.
  for (std::size_t i = main ? 1 : 0; i < at.up.size(); ++i) {
    FtreeGroup& group = tree_.group(at.up[i]);
    reached |= ascend_by(s, group, least_loaded(group, &FtreeLink::routes_down), hops);
  }

  // The same over links to switches of the same rank. What OpenSM counts there is the route of the link, but
  // of the group that led up.
  sort_by_load(tree_, at.same, &FtreeGroup::routes_down);
  for (std::size_t i = 0; i < at.same.size(); ++i) {
    FtreeGroup& group = tree_.group(at.same[i]);
    FtreeLink& link = least_loaded(group, &FtreeLink::routes_down);
    if (!ascend_by(s, group, link, hops)) continue;
    reached = true;
    ++least.routes_down;
    ++link.routes_down;
  }
  return reached;
}

bool Router::ascend_by(std::int32_t s, FtreeGroup& group, FtreeLink& link, std::int32_t hops) {
  const bool known = port_[static_cast<std::size_t>(group.remote)] != unknown;
  if (known && !nearer(group.remote, hops + 1)) return false;
  set(group.remote, link.remote_port, hops + 1);
  return ascend(group.remote, s, false, hops + 1);
}

}  // namespace

Outcome engine::ftree(const Topology& topology, const RouteOptions& options) {
  if (options.lmc > 0) return refuse("it knows no LMC above 0");
  FtreeTree tree = make_ftree_tree(topology, options);
  if (!tree.refusal.empty()) return refuse(tree.refusal);
  auto tables = std::make_shared<Tables>(topology);
  Router router(topology, tree, *tables);

  // Route to compute nodes, leaf by leaf; a leaf that has fewer than others is filled up with dummies.
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
  return {tables, ""};
}

}  // namespace sortlast::fabric
