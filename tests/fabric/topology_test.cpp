// The value and its builder: numbers of vertices and channels, both directions of a link, refused cables.
#include "sortlast/fabric/topology.hpp"

#include <gtest/gtest.h>

#include "sortlast/error.hpp"

namespace sortlast::fabric {
namespace {

TopologyBuilder two_switches() {
  TopologyBuilder builder("two switches");
  builder.add_switch({.name = "a", .guid = 1, .ports = 4});
  builder.add_switch({.name = "b", .guid = 2, .ports = 3});
  for (const char* name : {"x", "y"}) builder.add_host({.name = name});
  builder.connect_host(0, 0, 2);
  builder.connect_host(1, 1, 1, 100);
  builder.connect(0, 4, 1, 3);
  return builder;
}

TEST(Topology, NumbersChannelsByHostThenBySwitchAndPort) {
  const Topology topology = std::move(two_switches()).finish();
  EXPECT_EQ(topology.channels(), 2 + 4 + 3);
  EXPECT_EQ(topology.links(), 3);
  EXPECT_EQ(topology.channel(1, 3), 2 + 4 + 2);
  EXPECT_EQ(topology.target(topology.channel(0, 4)), (End{topology.vertex_of_switch(1), 3}));
  EXPECT_FALSE(topology.target(topology.channel(0, 1)).connected());
  EXPECT_EQ(topology.attachment(1), (End{topology.vertex_of_switch(1), 1}));
  EXPECT_EQ(topology.gbps(1), 100);
}

TEST(Topology, EveryConnectedChannelHasItsReverseAndItsSource) {
  const Topology topology = std::move(two_switches()).finish();
  for (Channel c = 0; c < topology.channels(); ++c) {
    if (!topology.target(c).connected()) continue;
    EXPECT_EQ(topology.reverse(topology.reverse(c)), c);
    EXPECT_EQ(topology.source(topology.reverse(c)), topology.target(c));
  }
}

TEST(Topology, RefusesWrongCables) {
  TopologyBuilder builder = two_switches();
  EXPECT_THROW(builder.connect(0, 4, 1, 2), ArgumentError);
  EXPECT_THROW(builder.connect(0, 5, 1, 2), ArgumentError);
  EXPECT_THROW(builder.connect(0, 0, 1, 2), ArgumentError);
  EXPECT_THROW(builder.connect(2, 1, 1, 2), ArgumentError);
  EXPECT_THROW(builder.connect_host(0, 1, 2), ArgumentError);
  EXPECT_THROW(builder.connect_host(7, 1, 2), ArgumentError);
  builder.add_host({.name = "z"});
  EXPECT_THROW(std::move(builder).finish(), ArgumentError);
}

}  // namespace
}  // namespace sortlast::fabric
