// Parallel-ports generalized fat-trees: PGFT(h; m_1 .. m_h; w_1 .. w_h; p_1 .. p_h), and their numbering.
//
// Problem. k-ary n-trees, XGFTs, thin-trees and the trees that are bought in practice are all PGFTs (Zahavi,
// "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees", 2010), so
// one builder makes them all. The remaining choice is the numbering of vertices and ports. Routing in closed
// form, the packet simulator and OpenSM all depend on it.
//
// Notation. Level 0 are the hosts, levels 1 .. h the switches. W_l = w_1 .. w_l and M_l = m_{l+1} .. m_h
// (products). A vertex of level l is child c of each of its parents, c < m_{l+1}. It has w_{l+1} parents,
// numbered a < w_{l+1}, and p_{l+1} parallel links to each, numbered by their copy b < p_{l+1}.
//
// Vertices. Level l has M_l W_l of them. Number x of level l is
//
//     x = W_l t + r,    t < M_l: the subtree of height l that it tops;    r < W_l: its number among the tops.
//
// Parent a of x is the vertex W_{l+1} floor(t / m_{l+1}) + W_l a + r of level l + 1, and x is its child c = t
// mod m_{l+1}. With w_1 = 1 and l counted from 0 these are the formulas by which Navaridas et al. ("Reducing
// Complexity in Tree-like Computer Interconnection Networks") define fat- and thin-trees. As a tuple, the
// digits of t are the upper part of Zahavi's, and the digits of r the lower part. Switches are numbered level
// by level, from level 1.
//
// Ports. A switch has its m_l p_l down-ports first, then its w_{l+1} p_{l+1} up-ports; a switch of level h
// has no up-ports. Parallel links are strided, as in Zahavi's numbering: the up-ports lead to parent after
// parent, and then to all of them again. Link b to parent a leaves by up-port q = a + w_{l+1} b, counted from
// 0, and enters the parent by down-port c + m_{l+1} b. The up-port of D-mod-K towards host d is then floor(d
// / W_l) mod (w_{l+1} p_{l+1}). Rejected: the copies of a link next to each other (q = b + p_{l+1} a), as
// cables are often laid. It is an isomorphic fabric, but D-mod-K in closed form would fill both copies to one
// parent before it goes to the next.
//
// Hosts. Here a host is one port of an adapter, so a tree with w_1 p_1 > 1 cables per adapter has w_1 p_1
// hosts on each: port q + 1 of adapter a is host w_1 p_1 a + q. Such a tree can be built, but has no
// TreeShape, because a formula by the destination's number applies to adapters there, and not to hosts.
#include "sortlast/fabric/topology/family_parts.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"

namespace sortlast::fabric {

namespace {

// Sizes of a PGFT by level, 0 .. h; sizes without a meaning at a level are 1.
struct LevelSizes {
  std::int32_t h = 0;
  std::vector<std::int64_t> m, w, p;   // by level from 1, with a 1 before the first and after the last
  std::vector<std::int64_t> tops;      // W_l
  std::vector<std::int64_t> subtrees;  // M_l
  std::vector<std::int64_t> first;     // number of the first switch of each level from 1

  std::int32_t ports(std::size_t l) const {
    const std::int64_t up = l == static_cast<std::size_t>(h) ? 0 : w[l + 1] * p[l + 1];
    return static_cast<std::int32_t>(m[l] * p[l] + up);
  }
};

void check_shape(const std::string& name, const TreeShape& shape) {
  const std::size_t h = shape.m.size();
  if (h == 0 || shape.w.size() != h || shape.p.size() != h) {
    throw ArgumentError(name + ": m, w and p have " + std::to_string(h) + ", " +
                        std::to_string(shape.w.size()) + " and " + std::to_string(shape.p.size()) +
                        " elements; expected one a level in each");
  }
  check_levels(name, "h", static_cast<std::int32_t>(h));
  for (std::size_t l = 0; l < h; ++l) {
    const std::string index = std::to_string(l + 1);
    check_parameter(name, "m_" + index, shape.m[l]);
    check_parameter(name, "w_" + index, shape.w[l]);
    check_parameter(name, "p_" + index, shape.p[l]);
  }
}

std::vector<std::int64_t> padded(const std::vector<std::int32_t>& counts) {
  std::vector<std::int64_t> result(counts.size() + 2, 1);
  std::copy(counts.begin(), counts.end(), result.begin() + 1);
  return result;
}

LevelSizes level_sizes(const std::string& name, const TreeShape& shape) {
  check_shape(name, shape);
  const std::size_t h = shape.m.size();
  LevelSizes sizes{static_cast<std::int32_t>(h),
                   padded(shape.m),
                   padded(shape.w),
                   padded(shape.p),
                   std::vector<std::int64_t>(h + 1, 1),
                   std::vector<std::int64_t>(h + 1, 1),
                   std::vector<std::int64_t>(h + 1, 0)};
  for (std::size_t l = h; l-- > 0;) {
    sizes.subtrees[l] =
        bounded_product(name, "hosts", sizes.subtrees[l + 1], sizes.m[l + 1], most_family_hosts);
  }
  const std::int64_t rails =
      bounded_product(name, "cables a host", sizes.w[1], sizes.p[1], most_family_hosts);
  std::int64_t channels = bounded_product(name, "hosts", sizes.subtrees[0], rails, most_family_hosts);

  std::int64_t next = 0;
  for (std::size_t l = 1; l <= h; ++l) {
    sizes.tops[l] = bounded_product(name, "switches", sizes.tops[l - 1], sizes.w[l], most_level_switches);
    const std::int64_t here =
        bounded_product(name, "switches of a level", sizes.subtrees[l], sizes.tops[l], most_level_switches);
    sizes.first[l] = next;
    next += here;
    const std::int64_t down = bounded_product(name, "ports", sizes.m[l], sizes.p[l], most_family_channels);
    const std::int64_t up =
        bounded_product(name, "ports", sizes.w[l + 1], sizes.p[l + 1], most_family_channels);
    channels += bounded_product(name, "ports", here, down + up, most_family_channels);
    bounded_product(name, "ports", channels, 1, most_family_channels);
  }
  return sizes;
}

// Calls connect(q, parent, port) for each up-port q (from 0) of vertex x of level l, with the number of the
// switch that it leads to, and its port (from 1).
template <typename Connect>
void for_each_parent(const LevelSizes& sizes, std::size_t l, std::int64_t x, Connect&& connect) {
  const std::int64_t t = x / sizes.tops[l], r = x % sizes.tops[l];
  const std::int64_t m = sizes.m[l + 1], w = sizes.w[l + 1];
  const std::int64_t below = sizes.first[l + 1] + sizes.tops[l + 1] * (t / m) + r;
  for (std::int64_t q = 0; q < w * sizes.p[l + 1]; ++q) {
    connect(static_cast<std::int32_t>(q), static_cast<std::int32_t>(below + sizes.tops[l] * (q % w)),
            static_cast<std::int32_t>(1 + t % m + m * (q / w)));
  }
}

}  // namespace

Topology build_pgft(std::string name, TreeShape shape) {
  const LevelSizes sizes = level_sizes(name, shape);
  const auto h = static_cast<std::size_t>(sizes.h);
  TopologyBuilder builder(std::move(name));

  // Add the switches, level by level.
  for (std::size_t l = 1; l <= h; ++l) {
    for (std::int64_t x = 0; x < sizes.subtrees[l] * sizes.tops[l]; ++x) {
      const auto level = static_cast<std::int32_t>(l);
      builder.add_switch(family_switch(level, x, sizes.ports(l)), level);
    }
  }

  // Attach the hosts to level 1, one for each cable of an adapter.
  for (std::int64_t a = 0; a < sizes.subtrees[0]; ++a) {
    for_each_parent(sizes, 0, a, [&](std::int32_t q, std::int32_t parent, std::int32_t port) {
      builder.connect_host(builder.add_host(family_host(a, q + 1)), parent, port);
    });
  }

  // Lay the cables between the levels.
  for (std::size_t l = 1; l < h; ++l) {
    const auto down = static_cast<std::int32_t>(sizes.m[l] * sizes.p[l]);
    for (std::int64_t x = 0; x < sizes.subtrees[l] * sizes.tops[l]; ++x) {
      const auto s = static_cast<std::int32_t>(sizes.first[l] + x);
      for_each_parent(sizes, l, x, [&](std::int32_t q, std::int32_t parent, std::int32_t port) {
        builder.connect(s, down + q + 1, parent, port);
      });
    }
  }

  if (sizes.w[1] * sizes.p[1] == 1) builder.set_shape(std::move(shape));
  return std::move(builder).finish();
}

Topology pgft(const Counts& m, const Counts& w, const Counts& p) {
  return build_pgft(
      "PGFT(" + std::to_string(m.size()) + "; " + join(m) + "; " + join(w) + "; " + join(p) + ")", {m, w, p});
}

// Families that are PGFTs with certain parameters. Each function computes the parameters and the name.

// The tree of a single switch.
Topology crossbar(std::int32_t n) {
  return build_pgft("crossbar of " + std::to_string(n) + " hosts", {{n}, {1}, {1}});
}

// Petrini, Vanneschi (1997).
Topology k_ary_n_tree(std::int32_t k, std::int32_t n) {
  const std::string name = std::to_string(k) + "-ary " + std::to_string(n) + "-tree";
  check_parameter(name, "k", k);
  check_levels(name, "n", n);
  const auto levels = static_cast<std::size_t>(n);
  Counts w(levels, k);
  w.front() = 1;
  return build_pgft(name, {Counts(levels, k), w, Counts(levels, 1)});
}

// Zahavi, Johnson, Kerbyson, Lang (2010): a separate arity at each level, as many links up as down: a switch
// of level l has k_l parents, so w_{l+1} = k_l.
Topology var_ary_n_tree(const Counts& k) {
  Counts w = k;
  if (!w.empty()) {
    w.pop_back();
    w.insert(w.begin(), 1);
  }
  return build_pgft("(" + join(k) + ")-ary " + std::to_string(k.size()) + "-tree",
                    {k, w, Counts(k.size(), 1)});
}

// Without parallel links: Oehring, Ibel, Das, Kumar, "On Generalized Fat Trees" (1995).
Topology xgft(const Counts& m, const Counts& w) {
  return build_pgft("XGFT(" + std::to_string(m.size()) + "; " + join(m) + "; " + join(w) + ")",
                    {m, w, Counts(m.size(), 1)});
}

// Every vertex below the roots has w parents, including hosts: for w > 1 they are adapters with w ports.
Topology gft(std::int32_t h, std::int32_t m, std::int32_t w) {
  const std::string name =
      "GFT(" + std::to_string(h) + ", " + std::to_string(m) + ", " + std::to_string(w) + ")";
  check_levels(name, "h", h);
  const auto levels = static_cast<std::size_t>(h);
  return build_pgft(name, {Counts(levels, m), Counts(levels, w), Counts(levels, 1)});
}

// Navaridas, Miguel-Alonso, Ridruejo, Denzel, "Reducing Complexity in Tree-like Computer Interconnection
// Networks", section 2.2: k' up-ports per switch instead of k. With levels l from 0 it has N = k^n hosts and
// S_l = k^(n-1-l) k'^l switches. Up-port p of switch s of level l leads to down-port floor(s / k'^l) mod k of
// switch p k'^l + s mod k'^l + floor(s / (k k'^l)) k'^(l+1) of level l + 1. This is the numbering of PGFT(n;
// k, ..; 1, k', ..; 1, ..) above.
Topology thin_tree(std::int32_t k, std::int32_t up, std::int32_t n) {
  const std::string arity = std::to_string(k), levels = std::to_string(n);
  const std::string name = up == k ? arity + "," + levels + "-fat-tree"
                                   : arity + ":" + std::to_string(up) + "," + levels + "-thin-tree";
  check_parameter(name, "k", k);
  check_parameter(name, "k'", up);
  check_levels(name, "n", n);
  if (up > k) throw ArgumentError(name + ": k' is above k; expected 1 to " + arity);
  const auto h = static_cast<std::size_t>(n);
  Counts w(h, up);
  w.front() = 1;
  return build_pgft(name, {Counts(h, k), w, Counts(h, 1)});
}

// Real Life Fat-Trees, the PGFTs bought in practice: Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic
// for Shift Permutations on Real Life Fat Trees" (2010). Hosts have one cable, all switches have the same
// number 2 K of ports and use them all, and cross-bisectional bandwidth is constant: a switch of level l < h
// has m_l p_l = w_{l+1} p_{l+1} = K ports down and up, and one of level h has m_h p_h = 2 K down. The largest
// one has no parallel links: 2 K^h hosts.
Topology rlft(std::int32_t ports, std::int32_t levels) {
  const std::string name =
      "RLFT of " + std::to_string(ports) + "-port switches in " + std::to_string(levels) + " levels";
  check_levels(name, "levels", levels);
  check_parameter(name, "ports", ports, 2);
  if (ports % 2 != 0) {
    throw ArgumentError(name + ": " + std::to_string(ports) +
                        " ports cannot be halved between up and down; expected an even number");
  }
  const auto h = static_cast<std::size_t>(levels);
  const std::int32_t half = ports / 2;
  Counts m(h, half), w(h, half);
  m.back() = ports;
  w.front() = 1;
  return build_pgft(name, {m, w, Counts(h, 1)});
}

namespace {

std::string ports_of_level(std::size_t l, std::int64_t down, std::int64_t up) {
  return "switches of level " + std::to_string(l) + " have " + std::to_string(down) + " ports down and " +
         std::to_string(up) + " up";
}

}  // namespace

std::string why_no_rlft(const TreeShape& shape) {
  const std::size_t h = shape.m.size();
  if (h == 0) return "it has no levels";
  if (shape.w.size() != h || shape.p.size() != h) return "m, w and p differ in their number of levels";
  const auto ports = [&](const Counts& counts, std::size_t l) {
    return std::int64_t{counts[l - 1]} * shape.p[l - 1];
  };
  if (ports(shape.w, 1) != 1) {
    return "hosts have " + std::to_string(ports(shape.w, 1)) + " cables; an RLFT has one a host";
  }
  const std::int64_t top = ports(shape.m, h);
  for (std::size_t l = 1; l < h; ++l) {
    const std::int64_t down = ports(shape.m, l), up = ports(shape.w, l + 1);
    if (down != up) {
      return ports_of_level(l, down, up) + "; constant cross-bisectional bandwidth needs as many up as down";
    }
    if (down + up != top) {
      return ports_of_level(l, down, up) + ", those of level " + std::to_string(h) + " have " +
             std::to_string(top) + " down; all switches of an RLFT use the same number of ports";
    }
  }
  return {};
}

}  // namespace sortlast::fabric
