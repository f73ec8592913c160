// Distances and least-hop ports against Floyd and Warshall.
#include "sortlast/fabric/routing/engine.hpp"

#include <gtest/gtest.h>

#include "fabric/naive_hops.hpp"
#include "fabric/random_routes.hpp"

namespace sortlast::fabric {
namespace {

std::vector<std::shared_ptr<const Topology>> fabrics() {
  std::vector<std::shared_ptr<const Topology>> all;
  for (const char* family : {"crossbar:5", "k-ary-n-tree:3,3", "pgft:8,4;1,4;1,2", "torus:3,4;2"}) {
    all.push_back(shared_topology(family));
  }
  for (unsigned seed = 0; seed < 20; ++seed) all.push_back(random_tree(seed));
  return all;
}

TEST(Hops, AreTheShortest) {
  for (const auto& topology : fabrics()) {
    const SwitchGraph graph(*topology);
    const auto expected = naive_hops(*topology);
    for (std::int32_t d = 0; d < topology->switches(); ++d) {
      const std::vector<std::uint8_t> hops = hops_to(graph, d);
      for (std::size_t s = 0; s < hops.size(); ++s) {
        EXPECT_EQ(hops[s] == no_hops ? naive_no_way : hops[s],
                  std::min(expected[s][static_cast<std::size_t>(d)], naive_no_way))
            << topology->name();
      }
    }
  }
}

TEST(Hops, PortsAreAllThoseThatLeadNearer) {
  for (const auto& topology : fabrics()) {
    const SwitchGraph graph(*topology);
    const auto hops = naive_hops(*topology);
    PortSets ports(graph);
    for (std::int32_t d = 0; d < topology->switches(); ++d) {
      least_hop_ports(graph, d, ports);  // clears what the last destination left
      for (std::int32_t s = 0; s < topology->switches(); ++s) {
        std::vector<std::int32_t> expected, found;
        for (std::int32_t port = 1; port <= topology->switch_at(s).ports; ++port) {
          const Vertex to = topology->target(topology->channel(s, port)).vertex;
          if (to < topology->hosts()) continue;
          const auto next = static_cast<std::size_t>(topology->switch_of(to));
          const auto at = static_cast<std::size_t>(d);
          const std::int32_t here = hops[static_cast<std::size_t>(s)][at];
          if (here < naive_no_way && hops[next][at] == here - 1) expected.push_back(port);
        }
        ports.visit(s, [&](std::int32_t port) { found.push_back(port); });
        EXPECT_EQ(found, expected) << topology->name();
      }
    }
  }
}

TEST(Hops, MoreThanAByteHoldsIsNoWay) {
  const Topology line = mesh({300});
  const SwitchGraph graph(line);
  const std::vector<std::uint8_t> hops = hops_to(graph, 0);
  EXPECT_EQ(hops[254], 254);
  EXPECT_EQ(hops[255], no_hops);
  EXPECT_EQ(hops[299], no_hops);
}

TEST(PortSets, HoldPortsBeyondOneWord) {
  TopologyBuilder builder("wide");
  for (const char* name : {"a", "b"}) builder.add_switch({.name = name, .ports = 200});
  for (const std::int32_t port : {1, 63, 64, 65, 128, 200}) builder.connect(0, port, 1, port);
  const Topology topology = std::move(builder).finish();
  const SwitchGraph graph(topology);
  PortSets ports(graph);
  least_hop_ports(graph, 1, ports);
  std::vector<std::int32_t> found;
  ports.visit(0, [&](std::int32_t port) { found.push_back(port); });
  EXPECT_EQ(found, (std::vector{1, 63, 64, 65, 128, 200}));
  ports.visit(1, [&](std::int32_t port) { ADD_FAILURE() << "the destination sends by port " << port; });
}

}  // namespace
}  // namespace sortlast::fabric
