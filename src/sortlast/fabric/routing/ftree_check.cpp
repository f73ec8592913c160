// What ftree asks of a tree whose roots were not given: all switches of a rank alike, but for missing hosts.
#include <string>

#include "sortlast/fabric/routing/ftree_tree.hpp"

namespace sortlast::fabric {

namespace {

// Both switches are of one rank.
class Pair {
 public:
  Pair(const Topology& topology, const FtreeTree& tree, std::int32_t reference, std::int32_t other)
      : topology_(topology), tree_(tree), reference_(reference), other_(other) {}

  // What they differ in, in OpenSM's order; empty: in nothing that matters.
  std::string difference() const {
    const FtreeSwitch &a = tree_.at(reference_), &b = tree_.at(other_);
    if (a.up.size() != b.up.size()) return differ("upper switches", a.up.size(), b.up.size(), "AB09");

    // The lowest rank may miss hosts.
    const bool lowest = a.rank == tree_.leaf_rank;
    const std::size_t down_a = a.down.size() + a.hosts.size(), down_b = b.down.size() + b.hosts.size();
    if (!lowest && down_a != down_b) return differ("switches and hosts below", down_a, down_b, "AB0A");

    for (const std::int32_t g : b.up) {
      const std::size_t links_a = links(a.up.front()), links_b = links(g);
      if (links_a != links_b) return differ("links to an upper switch", links_a, links_b, "AB0B");
    }
    // Of the links down OpenSM compares the first group alone.
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
    return "switch '" + topology_.switch_at(reference_).name + "' has " + std::to_string(a) + " " + what +
           ", switch '" + topology_.switch_at(other_).name + "' of the same rank " + std::to_string(b) +
           " (" + error + "); give the roots to have it routed all the same";
  }

  const Topology& topology_;
  const FtreeTree& tree_;
  std::int32_t reference_, other_;
};

}  // namespace

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

}  // namespace sortlast::fabric
