// updn: no way goes up after it went down, so none waits in a circle; its roots; when it refuses.
#include <gtest/gtest.h>

#include <random>

#include "fabric/naive_hops.hpp"
#include "sortlast/error.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {
namespace {

// Whether the step from one switch to another is up: nearer to the roots, or else to the lower GUID.
bool goes_up(const Topology& topology, const std::vector<std::vector<std::int32_t>>& hops,
             const std::vector<std::int32_t>& roots, std::int32_t from, std::int32_t to) {
  const auto rank = [&](std::int32_t s) {
    std::int32_t least = naive_no_way;
    for (const std::int32_t root : roots) {
      least = std::min(least, hops[static_cast<std::size_t>(root)][static_cast<std::size_t>(s)]);
    }
    return least;
  };
  if (rank(from) != rank(to)) return rank(to) < rank(from);
  return topology.switch_at(to).guid < topology.switch_at(from).guid;
}

// The most times that a way turns from down to up; counts the ways that lead nowhere in `lost`.
int turns(const Routes& routes, const std::vector<std::int32_t>& roots, std::int64_t& lost) {
  const Topology& topology = *routes.topology;
  const auto hops = naive_hops(topology);
  int most = 0;
  for (std::int32_t a = 0; a < topology.hosts(); ++a) {
    for (std::int32_t b = 0; b < topology.hosts(); ++b) {
      std::vector<std::int32_t> way;
      try {
        way = switches_on_way(routes, a, b);
      } catch (const Error&) {
        ++lost;
        continue;
      }
      int found = 0;
      bool went_down = false;
      for (std::size_t i = 1; i < way.size(); ++i) {
        const bool up = goes_up(topology, hops, roots, way[i - 1], way[i]);
        found += went_down && up;
        went_down = !up;
      }
      most = std::max(most, found);
    }
  }
  return most;
}

// A tree of three levels without a third of its cables between switches.
std::shared_ptr<const Topology> damaged_tree(unsigned seed) {
  std::mt19937 random(seed);
  const Topology tree = make_topology("k-ary-n-tree:3,3");
  std::vector<Channel> cut;
  for (Channel c = tree.hosts(); c < tree.channels(); ++c) {
    if (!tree.target(c).connected() || tree.is_host(tree.target(c).vertex) || tree.reverse(c) < c) continue;
    if (random() % 3 == 0) cut.push_back(c);
  }
  return std::make_shared<const Topology>(without_links(tree, cut));
}

TEST(Updn, NeverGoesUpAfterDownOnDamagedTrees) {
  std::int64_t minhop_turns = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto topology = damaged_tree(seed);
    std::vector<std::int32_t> roots;
    for (std::int32_t s = 0; s < topology->switches(); ++s) {
      if (topology->level(s) == 3) roots.push_back(s);
    }
    const Routes routes = route(topology, "updn", {.roots = roots});
    ASSERT_EQ(routes.engine, "updn");
    std::int64_t lost = 0;
    EXPECT_EQ(turns(routes, roots, lost), 0) << seed;
    minhop_turns += turns(route(topology, "minhop"), roots, lost);
  }
  EXPECT_GT(minhop_turns, 0);  // so the trees are of a kind that tells the two apart
}

// Two rings with a cable in common, which is doubled; OpenSM 3.3.23 on ibsim routes it so too, and ibdmchk
// finds the circle (test_fabric_minhop.py).
TEST(Updn, TurnsUpwardOnIrregularFabricsAsOpenSmDoes) {
  TopologyBuilder builder("two rings");
  for (std::int32_t s = 0; s < 7; ++s) {
    builder.add_switch(
        {.name = std::string(1, "ECFGDAB"[s]), .guid = static_cast<std::uint64_t>(s + 1), .ports = 5});
    builder.connect_host(builder.add_host({.name = "host"}), s, 1);
  }
  enum : std::int32_t { e, c, f, g, d, a, b };
  std::vector<std::int32_t> used(7, 1);
  const std::vector<std::pair<std::int32_t, std::int32_t>> cables = {{a, b}, {a, c}, {a, c}, {a, f}, {b, d},
                                                                     {c, e}, {d, e}, {f, g}, {c, g}};
  for (const auto& [one, other] : cables) {
    builder.connect(one, ++used[static_cast<std::size_t>(one)], other,
                    ++used[static_cast<std::size_t>(other)]);
  }
  const auto topology = std::make_shared<const Topology>(std::move(builder).finish());

  // Seen from root d, a lies below b, and c beside a but with a lower GUID: by b, a, c is down and then up.
  const Routes routes = route(topology, "updn", {.roots = {d}});
  EXPECT_EQ(switches_on_way(routes, b, g), (std::vector<std::int32_t>{b, a, c, g}));
  EXPECT_EQ(find_credit_loop(routes).cycle.size(), 5u);
}

TEST(Updn, FindsTheRootsOfTreesAndIsMinhopThere) {
  for (const char* family : {"crossbar:4", "k-ary-n-tree:12,2", "k-ary-n-tree:4,3", "thin-tree:4,2,3"}) {
    const auto topology = shared_topology(family);
    const Routes updn = route(topology, "updn"), minhop = route(topology, "minhop");
    EXPECT_EQ(updn.engine, "updn") << updn.fallback;
    for (std::int32_t a = 0; a < topology->hosts(); ++a) {
      for (std::int32_t b = 0; b < topology->hosts(); ++b) ASSERT_EQ(walk(updn, a, b), walk(minhop, a, b));
    }
  }
}

TEST(Updn, AvoidsValleysWhereCablesAreCut) {
  // Leaf 0 keeps only its cable to the first switch above it: minhop turns upward again on the way to it.
  const Topology tree = make_topology("k-ary-n-tree:4,3");
  const auto topology = std::make_shared<const Topology>(
      without_links(tree, {tree.channel(0, 6), tree.channel(0, 7), tree.channel(0, 8)}));
  std::vector<std::int32_t> roots;
  for (std::int32_t s = 0; s < topology->switches(); ++s) {
    if (topology->level(s) == 3) roots.push_back(s);
  }
  std::int64_t lost = 0;
  EXPECT_EQ(turns(route(topology, "updn", {.roots = roots}), roots, lost), 0);
  EXPECT_EQ(lost, 0);
}

TEST(Updn, RefusesAFabricWithoutRoots) {
  const auto topology = shared_topology("torus:4,4");
  const Routes routes = route(topology, "updn");
  EXPECT_EQ(routes.asked, "updn");
  EXPECT_EQ(routes.engine, "minhop");
  EXPECT_NE(routes.fallback.find("no roots are given, and none can be found"), std::string::npos)
      << routes.fallback;
  EXPECT_EQ(route(topology, "updn", {.roots = {5}}).engine, "updn");
}

}  // namespace
}  // namespace sortlast::fabric
