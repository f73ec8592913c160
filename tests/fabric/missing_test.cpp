// Missing up-links: what was cut is what is found. And those of a real fabric.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {
namespace {

// By lower and upper switch: links present and expected.
using Found = std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::int32_t, std::int32_t>>;

Found found_in(const Topology& topology) {
  Found found;
  for (const MissingLinks& m : missing_links(topology)) {
    EXPECT_TRUE(found.emplace(std::pair(m.lower, m.upper), std::pair(m.present, m.expected)).second);
  }
  return found;
}

TEST(MissingLinks, AreNoneInIntactTrees) {
  for (const char* tree : {"crossbar:4", "k-ary-n-tree:4,3", "xgft:4,3,2;1,2,3", "pgft:3,2,4;1,2,2;1,3,2",
                           "thin-tree:8,4,3", "slender-tree:8,4,5", "rlft:8,3"}) {
    EXPECT_TRUE(missing_links(make_topology(tree)).empty()) << tree;
  }
}

TEST(MissingLinks, AreThoseThatWereCut) {
  const Topology whole = pgft({6, 4, 4}, {1, 3, 2}, {1, 2, 1});
  const std::int32_t second = 16;  // first switch of level 2
  std::vector<Channel> cut = {whole.channel(0, 6 + 1),
                              whole.channel(0, 6 + 4),            // both links of leaf 0 to its first parent
                              whole.channel(7, 6 + 2),            // one of two of leaf 7 to its second parent
                              whole.channel(second + 5, 8 + 1)};  // the only one to a root
  const auto parent = [&](Channel c) { return whole.switch_of(whole.target(c).vertex); };
  const Found expected = {
      {{0, parent(cut[0])}, {0, 2}}, {{7, parent(cut[2])}, {1, 2}}, {{second + 5, parent(cut[3])}, {0, 1}}};
  EXPECT_EQ(found_in(without_links(whole, cut)), expected);
  // Hosts that are missing change nothing, nor do levels that have to be found.
  const Topology part = without_hosts(without_links(whole, cut), {3, 4, 50});
  EXPECT_EQ(found_in(part), expected);
  EXPECT_EQ(
      found_in(with_levels(part, std::vector<std::int32_t>(static_cast<std::size_t>(part.switches()), 0))),
      expected);
}

TEST(MissingLinks, ExpectTheMoreOfEquallyCommonCounts) {
  const Topology whole = pgft({2, 2}, {1, 1}, {1, 2});
  EXPECT_EQ(found_in(without_links(whole, {whole.channel(1, 3)})), (Found{{{1, 2}, {1, 2}}}));
}

TEST(MissingLinks, AreNotExpectedWhereTheFabricIsIrregular) {
  // A chain of leaves and spines: most pairs have no link.
  TopologyBuilder builder("zigzag");
  for (std::int32_t s = 0; s < 8; ++s) {
    builder.add_switch({.name = "s" + std::to_string(s), .ports = 4}, 1 + s % 2);
    if (s % 2 == 0) builder.connect_host(builder.add_host({.name = "h" + std::to_string(s)}), s, 1);
    if (s > 0) builder.connect(s - 1, 3, s, 4);
  }
  EXPECT_TRUE(missing_links(std::move(builder).finish()).empty());
}

TEST(MissingLinks, RefuseAFabricThatIsNoTree) { EXPECT_THROW(missing_links(torus({3, 3})), ArgumentError); }

}  // namespace
}  // namespace sortlast::fabric
