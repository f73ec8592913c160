// Thin-trees k:k',n: k-ary n-trees with k' up-ports a switch instead of k. Navaridas, Miguel-Alonso,
// Ridruejo, Denzel, "Reducing Complexity in Tree-like Computer Interconnection Networks", section 2.2.
//
// With levels l from 0 it has N = k^n hosts and S_l = k^(n-1-l) k'^l switches. Up-port p of switch s of level
// l leads to down-port floor(s / k'^l) mod k of switch p k'^l + s mod k'^l + floor(s / (k k'^l)) k'^(l+1) of
// level l + 1. That is the numbering of PGFT(n; k, ..; 1, k', ..; 1, ..) in pgft.cpp.
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/topology/family_parts.hpp"
#include "sortlast/fabric/topology/pgft.hpp"

namespace sortlast::fabric {

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

}  // namespace sortlast::fabric
