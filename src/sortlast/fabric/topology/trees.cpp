// Families that are PGFTs of certain parameters. Each makes the parameters and the name.
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/topology/family_parts.hpp"

namespace sortlast::fabric {

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

// Zahavi, Johnson, Kerbyson, Lang (2010): an arity of its own at each level, as many links up as down: a
// switch of level l has k_l parents, so w_{l+1} = k_l.
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

// Every vertex below the roots has w parents, hosts too: for w > 1 they are adapters of w ports.
Topology gft(std::int32_t h, std::int32_t m, std::int32_t w) {
  const std::string name =
      "GFT(" + std::to_string(h) + ", " + std::to_string(m) + ", " + std::to_string(w) + ")";
  check_levels(name, "h", h);
  const auto levels = static_cast<std::size_t>(h);
  return build_pgft(name, {Counts(levels, m), Counts(levels, w), Counts(levels, 1)});
}

// Navaridas, Miguel-Alonso, Ridruejo, Denzel, "Reducing Complexity in Tree-like Computer Interconnection
// Networks", section 2.2: k' up-ports a switch instead of k. With levels l from 0 it has N = k^n hosts and
// S_l = k^(n-1-l) k'^l switches. Up-port p of switch s of level l leads to down-port floor(s / k'^l) mod k of
// switch p k'^l + s mod k'^l + floor(s / (k k'^l)) k'^(l+1) of level l + 1. That is the numbering of
// PGFT(n; k, ..; 1, k', ..; 1, ..) in pgft.cpp.
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

// Real Life Fat-Trees, the PGFTs that are bought: Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for
// Shift Permutations on Real Life Fat Trees" (2010). Hosts have one cable, all switches have the same number
// 2 K of ports and use them all, and cross-bisectional bandwidth is constant: a switch of level l < h has
// m_l p_l = w_{l+1} p_{l+1} = K ports down and up, and one of level h has m_h p_h = 2 K down. The one of most
// hosts has no parallel links: 2 K^h hosts.
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
