// Mod-K routing of intact PGFTs in closed form: a few operations per port, and no tables. In D-mod-K the
// destination's number determines the up-ports, in S-mod-K the source's. Zahavi, "D-Mod-K Routing Providing
// Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees" (2010).
//
// Problem. A tree has many paths up and, except for parallel links, one path down. If all traffic for
// destination d, from any source, meets at one top of the tree, then d's flows share no downward link with
// flows to other hosts. On a tree of constant bisection every host then has a separate downward path, and in
// a shift, where every host receives from one other, no two flows share a link. This is why the shift
// algorithms are free of contention when hosts take part in the order of the fabric.
//
// Notation. As in topology/pgft.cpp: level l has W_l = w_1 .. w_l tops per subtree, and up-port q of a switch
// of level l, counted from 0, is copy floor(q / w_{l+1}) of the link to its parent q mod w_{l+1}. The key is
// the number that determines the up-ports: the destination in D-mod-K, the source in S-mod-K. Then
//
//     q_l = floor(key / W_l) mod (w_{l+1} p_{l+1})
//
// is the up-port at level l, and on its way down a flow takes the copy of the link given by q_{l-1}.
//
// Model. The formula with key d. OpenSM's ftree produces the same paths on most intact trees (see ftree.cpp),
// but has to store tables, which would take 1.3 GB for 65,536 hosts on a 16-ary 4-tree. Here a port costs one
// or two divisions, 11 ns. Rejected: multiplication by reciprocals, 9 ns.
//
// Slender-trees also have several paths down, and no published D-mod-K. Every subtree has k' tops, whatever
// its height, and each of them is linked to all tops of the subtrees below it. The top at each level may
// therefore be chosen freely, q_l for level l + 1 (levels from 0 as in topology/builders.cpp), on the way up
// and on the way down. Destinations are spread evenly over a level's links if the pair (q_{l-1}, q_l) is
// spread evenly over the k'^2 pairs. Rejected: q_l = floor(d / k'^l) mod k', the formula of a thin-tree,
// which is constant once k'^l reaches the number of hosts. Used: q_l = floor(d / k'^(l mod 2)) mod k', the
// lowest two digits in alternation. Tables store it, because slender-trees are small.
//
// S-mod-K is the mirror image of D-mod-K: the path from a to b is the D-mod-K path from b to a, reversed.
// Rodriguez et al. ("Oblivious Routing Schemes in Extended Generalized Fat Tree Networks", 2009) compare
// both: S-mod-K concentrates the traffic of a host on its own path up, and flows to one host come down many
// paths. But InfiniBand forwards by destination and does not know sources. S-mod-K can only be realised by
// giving every host several LIDs, one for each choice of up-ports, and letting each source use its own LID.
//
// A plane is such a choice. Planes are numbered by the source, modulo the smallest number after which the
// up-ports of all levels repeat, lcm over l of (W_l w_{l+1} p_{l+1}). LMC can represent 128 planes. The
// 12-ary 2-tree needs 12, which is feasible; the 12-ary 3-tree needs 144, which is not; 11,664 hosts on
// 36-port switches need 324. Here planes cost nothing, so the comparison can be made anyway.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

namespace {

// Common base of both engines: the positions of a tree's switches. Hosts are numbered as in
// topology/pgft.cpp.
class ModK : public Forwarding {
 protected:
  explicit ModK(const TreeShape& shape);

  // Port of switch s towards host d for a given key.
  std::int32_t towards_host(std::int32_t s, std::uint32_t d, std::uint32_t key) const {
    const Place& place = places_[static_cast<std::size_t>(s)];
    const Level& level = levels_[place.level];
    const std::uint32_t below = d - place.first_host;  // wraps to a large number for lower hosts
    if (below >= level.hosts) {
      return static_cast<std::int32_t>(level.down_ports + (key / level.tops) % level.up_ports) + 1;
    }
    std::uint32_t port = below / level.child_hosts;
    if (level.copies > 1) {
      port += level.children * (key / level.child_tops % (level.parents * level.copies) / level.parents);
    }
    return static_cast<std::int32_t>(port) + 1;
  }
  // Port of switch s towards switch t by up*/down*: 0 if they are the same, `unreachable` if there is no such
  // path (from a top of a subtree to another of its tops).
  std::int32_t towards_switch(std::int32_t s, std::int32_t t) const;

  std::int32_t hosts() const { return static_cast<std::int32_t>(levels_.back().hosts); }

 private:
  struct Level {
    std::uint32_t hosts = 1;            // below a switch of this level: m_1 .. m_l
    std::uint32_t child_hosts = 1;      // below each of its children
    std::uint32_t children = 1;         // m_l
    std::uint32_t parents = 1;          // w_l: of each of its children
    std::uint32_t copies = 1;           // p_l
    std::uint32_t down_ports = 0;       // m_l p_l
    std::uint32_t up_ports = 1;         // w_{l+1} p_{l+1}
    std::uint32_t tops = 1;             // W_l
    std::uint32_t child_tops = 1;       // W_{l-1}
    std::uint32_t further_parents = 1;  // w_{l+1}
  };
  struct Place {
    std::uint32_t first_host = 0;  // of the hosts below it
    std::uint32_t level = 0;
    std::uint32_t top = 0;  // r: its number among the tops of its subtree
  };
  std::vector<Level> levels_;  // level 0: hosts
  std::vector<Place> places_;  // by switch
};

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

  // The tops already fixed must be the same: only a step down changes them.
  const std::uint32_t known = levels_[std::min(from.level, to.level)].tops;
  if (from.top % known != to.top % known) return unreachable;

  // Go down to it, over the first copy of each link.
  const std::uint32_t below = to.first_host - from.first_host;
  if (from.level > to.level && below < level.hosts) {
    return static_cast<std::int32_t>(below / level.child_hosts) + 1;
  }
  // Go up, towards switch t or a top above it.
  if (from.level + 1 == levels_.size()) return unreachable;
  return static_cast<std::int32_t>(level.down_ports + to.top / level.tops % level.further_parents) + 1;
}

class DModK final : public ModK {
 public:
  explicit DModK(const TreeShape& shape) : ModK(shape) {}

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t /*plane*/) const override {
    if (destination >= hosts()) return towards_switch(s, destination - hosts());
    const auto d = static_cast<std::uint32_t>(destination);
    return towards_host(s, d, d);
  }
};

// Positions in a slender-tree, by the formulas of topology/builders.cpp.
class Slender {
 public:
  Slender(const Topology& topology, const SlenderShape& shape) : topology_(topology), shape_(shape) {
    first_.assign(static_cast<std::size_t>(shape.n) + 1, topology.switches());
    for (std::int32_t s = topology.switches(); s-- > 0;) first_[level(s)] = s;
  }

  std::size_t level(std::int32_t s) const { return static_cast<std::size_t>(topology_.level(s)) - 1; }
  // Number of switch s within its level.
  std::int32_t index(std::int32_t s) const { return s - first_[level(s)]; }
  std::size_t top_level() const { return static_cast<std::size_t>(shape_.n) - 1; }

  // Number, within level l, of the subtree that contains switch t of a level up to l.
  std::int32_t subtree(std::int32_t t, std::size_t l) const {
    std::int32_t x = level(t) == 0 ? index(t) : index(t) / shape_.up;
    for (std::size_t at = level(t); at < l; ++at) x /= at == 0 ? shape_.k : shape_.k / shape_.up;
    return x;
  }
  // Port of s, down to child x of the next lower level, or up to parent q.
  std::int32_t down_port(std::int32_t x) const { return 1 + x % shape_.k; }
  std::int32_t up_port(std::int32_t q) const { return 1 + shape_.k + q; }

  // Port of s towards switch t or what is below it, where top(l) selects the top at level l.
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
  std::vector<std::int32_t> first_;  // first switch of each level, from 0
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

namespace {

// Number of sources after which all choices repeat; at most the number of hosts.
std::int32_t period(const TreeShape& shape, std::int32_t hosts) {
  std::int64_t tops = 1, result = 1;
  for (std::size_t l = 0; l < shape.w.size(); ++l) {
    const std::int64_t choices = tops * shape.w[l] * shape.p[l];
    result = choices < hosts ? std::lcm(result, choices) : hosts;
    tops *= shape.w[l];
    if (result >= hosts) return hosts;
  }
  return static_cast<std::int32_t>(result);
}

class SModK final : public ModK {
 public:
  explicit SModK(const TreeShape& shape) : ModK(shape), planes_(period(shape, hosts())) {}

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t plane) const override {
    if (destination >= hosts()) return towards_switch(s, destination - hosts());
    return towards_host(s, static_cast<std::uint32_t>(destination), static_cast<std::uint32_t>(plane));
  }
  std::int32_t planes() const override { return planes_; }
  std::int32_t plane(std::int32_t source, std::int32_t /*destination*/) const override {
    return source % planes_;
  }

 private:
  std::int32_t planes_;
};

}  // namespace

Outcome engine::s_mod_k(const Topology& topology, const RouteOptions& options) {
  if (options.lmc > 0) return refuse("its planes follow from the tree, and an LMC cannot be chosen");
  if (const auto* tree = std::get_if<TreeShape>(&topology.shape())) {
    return {std::make_shared<SModK>(*tree), ""};
  }
  return refuse("its formula needs an intact PGFT, which '" + topology.name() + "' is not, or is no longer");
}

}  // namespace sortlast::fabric
