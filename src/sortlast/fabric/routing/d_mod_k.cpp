// D-mod-K: the destination's number chooses the up-ports. Zahavi, "D-Mod-K Routing Providing Non-Blocking
// Traffic for Shift Permutations on Real Life Fat Trees" (2010).
//
// Problem. In a tree there are many ways up and, but for parallel links, one way down. If all that is meant
// for destination d meets at one top of the tree, whoever sends it, then d's flows share no downward link
// with those of others. On a tree of constant bisection all hosts then have a downward path of their own, and
// in a shift, where every host receives from one other, no two flows share a link. This is why the shift
// algorithms are free of contention when hosts take part in the order of the fabric.
//
// Model. The formula in d_mod_k.hpp with key d. OpenSM's ftree walks the same paths on most intact trees (see
// ftree.cpp), but has to hold tables: those of 65,536 hosts on a 16-ary 4-tree would need 1.3 GB. Here a port
// is a division or two, 11 ns. Rejected: multiplication by reciprocals, 9 ns.
//
// Slender-trees have several ways down as well, and no published D-mod-K. Every subtree has k' tops, whatever
// its height, and each of them is linked to all tops of the subtrees below it. So the top at each level may
// be chosen freely, q_l for level l + 1 (levels from 0 as in topology/slender_tree.cpp), on the way up and on
// the way down. Destinations are spread evenly over a level's links if the pair (q_{l-1}, q_l) is spread
// evenly over the k'^2 pairs. Rejected: q_l = floor(d / k'^l) mod k', the formula of a thin-tree, which is
// constant once k'^l reaches the number of hosts. Taken: q_l = floor(d / k'^(l mod 2)) mod k', the lowest two
// digits in turn. The tables hold it, because slender-trees are small.
#include "sortlast/fabric/routing/d_mod_k.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <variant>

#include "sortlast/fabric/routing/engine.hpp"

namespace sortlast::fabric {

ModK::ModK(const TreeShape& shape) {
  const std::size_t h = shape.m.size();
  const auto at = [](const std::vector<std::int32_t>& counts, std::size_t l) {
    return l <= counts.size() ? static_cast<std::uint32_t>(counts[l - 1]) : 1U;
  };
  levels_.resize(h + 1);
  for (std::size_t l = 1; l <= h; ++l) {
    Level& level = levels_[l];
    level.children = at(shape.m, l);
    level.parents = at(shape.w, l);
    level.copies = at(shape.p, l);
    level.child_hosts = levels_[l - 1].hosts;
    level.hosts = level.child_hosts * level.children;
    level.down_ports = level.children * level.copies;
    level.child_tops = levels_[l - 1].tops;
    level.tops = level.child_tops * level.parents;
    level.further_parents = at(shape.w, l + 1);
    level.up_ports = level.further_parents * at(shape.p, l + 1);
  }
  for (std::uint32_t l = 1; l <= h; ++l) {
    const Level& level = levels_[l];
    const std::uint32_t subtrees = levels_.back().hosts / level.hosts;
    for (std::uint32_t x = 0; x < subtrees * level.tops; ++x) {
      places_.push_back({x / level.tops * level.hosts, l, x % level.tops});
    }
  }
}

std::int32_t ModK::towards_switch(std::int32_t s, std::int32_t t) const {
  if (s == t) return 0;
  const Place &from = places_[static_cast<std::size_t>(s)], &to = places_[static_cast<std::size_t>(t)];
  const Level& level = levels_[from.level];

  // What both have been reached through must be the same: no step changes it but a step down.
  const std::uint32_t known = levels_[std::min(from.level, to.level)].tops;
  if (from.top % known != to.top % known) return unreachable;

  // Go down to it, over the first copy of each link.
  const std::uint32_t below = to.first_host - from.first_host;
  if (from.level > to.level && below < level.hosts) {
    return static_cast<std::int32_t>(below / level.child_hosts) + 1;
  }
  // Go up, towards the top that it is, or is below.
  if (from.level + 1 == levels_.size()) return unreachable;
  return static_cast<std::int32_t>(level.down_ports + to.top / level.tops % level.further_parents) + 1;
}

namespace {

class DModK final : public ModK {
 public:
  explicit DModK(const TreeShape& shape) : ModK(shape) {}

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t /*plane*/) const override {
    if (destination >= hosts()) return towards_switch(s, destination - hosts());
    const auto d = static_cast<std::uint32_t>(destination);
    return towards_host(s, d, d);
  }
};

// Places in a slender-tree, by the formulas of topology/slender_tree.cpp.
class Slender {
 public:
  Slender(const Topology& topology, const SlenderShape& shape) : topology_(topology), shape_(shape) {
    first_.assign(static_cast<std::size_t>(shape.n) + 1, topology.switches());
    for (std::int32_t s = topology.switches(); s-- > 0;) first_[level(s)] = s;
  }

  std::size_t level(std::int32_t s) const { return static_cast<std::size_t>(topology_.level(s)) - 1; }
  // Switch s among those of its level.
  std::int32_t index(std::int32_t s) const { return s - first_[level(s)]; }
  std::size_t top_level() const { return static_cast<std::size_t>(shape_.n) - 1; }

  // Number, among those of level l, of the subtree that holds switch t of a level up to l.
  std::int32_t subtree(std::int32_t t, std::size_t l) const {
    std::int32_t x = level(t) == 0 ? index(t) : index(t) / shape_.up;
    for (std::size_t at = level(t); at < l; ++at) x /= at == 0 ? shape_.k : shape_.k / shape_.up;
    return x;
  }
  // Port of s, down to child x of the next lower level, or up to parent q.
  std::int32_t down_port(std::int32_t x) const { return 1 + x % shape_.k; }
  std::int32_t up_port(std::int32_t q) const { return 1 + shape_.k + q; }

  // Port of s towards what is below or is switch t, where top(l) chooses the top at level l.
  template <typename Top>
  std::int32_t towards(std::int32_t s, std::int32_t t, Top&& top) const {
    const std::size_t l = level(s);
    if (l > level(t) && subtree(t, l) == subtree(s, l)) {
      const std::int32_t below = l - 1 == level(t) ? index(t) : shape_.up * subtree(t, l - 1) + top(l - 1);
      return down_port(below);
    }
    if (l == top_level()) return Forwarding::unreachable;
    const bool parent = l + 1 == level(t) && subtree(s, l + 1) == subtree(t, l + 1);
    return up_port(parent ? index(t) % shape_.up : top(l + 1));
  }

 private:
  const Topology& topology_;
  SlenderShape shape_;
  std::vector<std::int32_t> first_;  // switch of each level, from 0
};

std::shared_ptr<const Tables> slender_tables(const Topology& topology, const SlenderShape& shape) {
  auto tables = std::make_shared<Tables>(topology);
  const Slender tree(topology, shape);
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    for (std::int32_t d = 0; d < topology.hosts(); ++d) {
      const End& leaf = topology.attachment(d);
      const std::int32_t t = topology.switch_of(leaf.vertex);
      const auto top = [&](std::size_t l) { return (l % 2 == 1 ? d : d / shape.up) % shape.up; };
      tables->set(s, d, s == t ? leaf.port : tree.towards(s, t, top));
    }
    for (std::int32_t t = 0; t < topology.switches(); ++t) {
      const auto top = [&](std::size_t) { return tree.index(t) % shape.up; };
      tables->set(s, topology.vertex_of_switch(t), s == t ? 0 : tree.towards(s, t, top));
    }
  }
  return tables;
}

}  // namespace

Outcome engine::d_mod_k(const Topology& topology, const RouteOptions& options) {
  if (options.lmc > 0) return refuse("it has one path to a host, and an LMC of 0");
  if (const auto* tree = std::get_if<TreeShape>(&topology.shape())) {
    return {std::make_shared<DModK>(*tree), ""};
  }
  if (const auto* slender = std::get_if<SlenderShape>(&topology.shape())) {
    return {slender_tables(topology, *slender), ""};
  }
  return refuse("its formula needs an intact tree of a known family, which '" + topology.name() +
                "' is not, or is no longer");
}

}  // namespace sortlast::fabric
