// k-ary n-trees (Petrini, Vanneschi, 1997), their form with an arity of its own at each level (Zahavi,
// Johnson, Kerbyson, Lang, 2010), and the tree of a single switch.
#include <string>

#include "sortlast/fabric/topology/family_parts.hpp"
#include "sortlast/fabric/topology/pgft.hpp"

namespace sortlast::fabric {

Topology crossbar(std::int32_t n) {
  return build_pgft("crossbar of " + std::to_string(n) + " hosts", {{n}, {1}, {1}});
}

Topology k_ary_n_tree(std::int32_t k, std::int32_t n) {
  const std::string name = std::to_string(k) + "-ary " + std::to_string(n) + "-tree";
  check_parameter(name, "k", k);
  check_levels(name, "n", n);
  const auto levels = static_cast<std::size_t>(n);
  Counts w(levels, k);
  w.front() = 1;
  return build_pgft(name, {Counts(levels, k), w, Counts(levels, 1)});
}

// As many links up as down: a switch of level l has k_l parents, so w_{l+1} = k_l.
Topology var_ary_n_tree(const Counts& k) {
  Counts w = k;
  if (!w.empty()) {
    w.pop_back();
    w.insert(w.begin(), 1);
  }
  return build_pgft("(" + join(k) + ")-ary " + std::to_string(k.size()) + "-tree",
                    {k, w, Counts(k.size(), 1)});
}

}  // namespace sortlast::fabric
