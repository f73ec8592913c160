// Dragonflies, dragonflies+ and HyperX: the papers' counts, diameters, and equally many links between groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {
namespace {

// Most links from one switch with hosts to another.
std::int32_t diameter(const Topology& topology) {
  const SwitchGraph graph(topology);
  std::int32_t longest = 0;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const std::vector<std::int32_t> away =
        distances(graph, {topology.switch_of(topology.attachment(h).vertex)});
    for (std::int32_t d = 0; d < topology.hosts(); ++d) {
      longest = std::max(longest,
                         away[static_cast<std::size_t>(topology.switch_of(topology.attachment(d).vertex))]);
    }
  }
  return longest;
}

// Links by pair of groups; `size`: switches of a group.
std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> links_of_pairs(const Topology& topology,
                                                                             std::int32_t size) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> links;
  const SwitchGraph graph(topology);
  for (std::int32_t s = 0; s < graph.switches(); ++s) {
    for (const SwitchCable& cable : graph.cables(s)) ++links[{s / size, cable.other / size}];
  }
  return links;
}

TEST(Dragonfly, HasKimsCounts) {
  // Kim et al.: N = a p (a h + 1) with all groups, and a balanced one has a = 2 p = 2 h.
  for (const std::int32_t p : {1, 2, 3, 4}) {
    const std::int32_t a = 2 * p, g = a * p + 1;
    const Topology topology = dragonfly(p, a, p, g);
    EXPECT_EQ(topology.hosts(), a * p * (a * p + 1));
    EXPECT_EQ(topology.switches(), a * g);
    EXPECT_EQ(topology.links(), topology.hosts() + g * a * (a - 1) / 2 + g * (g - 1) / 2);
    EXPECT_EQ(topology.switch_at(0).ports, p + a - 1 + p);
    EXPECT_EQ(diameter(topology), 3) << "local, global, local";
    EXPECT_EQ(topology.levels(), 0);
  }
}

TEST(Dragonfly, PairsOfGroupsHaveEquallyManyLinks) {
  for (const std::int32_t g : {2, 3, 5, 9}) {
    const Topology topology = dragonfly(2, 4, 2, g);
    const auto links = links_of_pairs(topology, 4);
    for (std::int32_t i = 0; i < g; ++i) {
      EXPECT_EQ(links.at({i, i}), 4 * 3);
      for (std::int32_t j = 0; j < g; ++j) {
        if (i != j) {
          EXPECT_EQ(links.at({i, j}), 8 / (g - 1)) << i << " to " << j;
        }
      }
    }
  }
}

TEST(Dragonfly, PortsAreHostsThenTheGroupThenOtherGroups) {
  const Topology topology = dragonfly(2, 4, 2, 9);
  // Router 1 of group 3 is switch 13, with hosts 26 and 27.
  EXPECT_EQ(topology.switch_at(13).name, "sw-3-1");
  EXPECT_EQ(topology.target(topology.channel(13, 2)).vertex, 27);
  for (const auto& [port, router] : {std::pair(3, 0), {4, 2}, {5, 3}}) {
    EXPECT_EQ(topology.target(topology.channel(13, port)).vertex, topology.vertex_of_switch(12 + router));
  }
  // Global ports 2 and 3 of group 3 lead to groups 2 and 4: the group itself is left out.
  EXPECT_EQ(topology.switch_of(topology.target(topology.channel(13, 6)).vertex) / 4, 2);
  EXPECT_EQ(topology.switch_of(topology.target(topology.channel(13, 7)).vertex) / 4, 4);
}

TEST(DragonflyPlus, HasShpinersCounts) {
  const Topology topology = dragonfly_plus(4, 4, 4, 4, 17);
  EXPECT_EQ(topology.hosts(), 17 * 4 * 4);
  EXPECT_EQ(topology.switches(), 17 * 8);
  EXPECT_EQ(topology.links(), topology.hosts() + 17 * 16 + 17 * 16 / 2);
  EXPECT_EQ(diameter(topology), 3) << "up, global, down";
  EXPECT_EQ(diameter(dragonfly_plus(2, 3, 2, 1, 1)), 2);
  const auto links = links_of_pairs(topology, 8);
  for (std::int32_t i = 0; i < 17; ++i) {
    for (std::int32_t j = 0; j < 17; ++j) EXPECT_EQ(links.at({i, j}), i == j ? 2 * 16 : 1);
  }
}

TEST(DragonflyPlus, LeavesHaveHostsAndSpinesHaveGlobalLinks) {
  const Topology topology = dragonfly_plus(2, 3, 2, 2, 4);
  EXPECT_EQ(topology.switch_at(5 + 2).name, "sw-1-leaf-2");
  EXPECT_EQ(topology.switch_at(5 + 4).name, "sw-1-spine-1");
  EXPECT_EQ(topology.attachment(6 + 5), (End{topology.vertex_of_switch(5 + 2), 2}));
  EXPECT_EQ(topology.target(topology.channel(5 + 2, 3 + 1)), (End{topology.vertex_of_switch(5 + 4), 3}));
}

TEST(HyperX, HasAhnsCounts) {
  // Ahn et al.: radix T + sum (S_k - 1), N = T prod S_k, diameter the number of dimensions.
  const Topology topology = hyperx({4, 3, 5}, 2);
  EXPECT_EQ(topology.hosts(), 2 * 60);
  EXPECT_EQ(topology.switch_at(0).ports, 2 + 3 + 2 + 4);
  EXPECT_EQ(topology.links(), 120 + 60 * (3 + 2 + 4) / 2);
  EXPECT_EQ(diameter(topology), 3);
}

TEST(HyperX, PortsLeadToTheOthersOfALineInOrder) {
  const Topology topology = hyperx({4, 3}, 1);
  // Switch 5 is at (1, 1).
  EXPECT_EQ(topology.switch_at(5).name, "sw-1-1");
  for (const auto& [port, s] : {std::pair(2, 4), {3, 6}, {4, 7}, {5, 1}, {6, 9}}) {
    EXPECT_EQ(topology.target(topology.channel(5, port)).vertex, topology.vertex_of_switch(s)) << port;
  }
}

}  // namespace
}  // namespace sortlast::fabric
