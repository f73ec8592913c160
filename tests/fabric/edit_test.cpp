// Leaving parts out of a topology: what stays, how it is renumbered, and what is refused.
#include "sortlast/fabric/topology.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"

namespace sortlast::fabric {
namespace {

// Cables by the GUIDs and ports of their ends: what does not depend on numbers.
using Cables =
    std::set<std::pair<std::pair<std::uint64_t, std::int32_t>, std::pair<std::uint64_t, std::int32_t>>>;

std::uint64_t guid_of(const Topology& topology, Vertex v) {
  return topology.is_host(v) ? topology.host(v).guid : topology.switch_at(topology.switch_of(v)).guid;
}

Cables cables(const Topology& topology) {
  Cables result;
  for (Channel c = 0; c < topology.channels(); ++c) {
    const End from = topology.source(c), to = topology.target(c);
    if (to.connected())
      result.insert({{guid_of(topology, from.vertex), from.port}, {guid_of(topology, to.vertex), to.port}});
  }
  return result;
}

// Those of `cables` that touch none of the GUIDs.
Cables without(const Cables& cables, const std::set<std::uint64_t>& guids) {
  Cables result;
  for (const auto& cable : cables) {
    if (!guids.contains(cable.first.first) && !guids.contains(cable.second.first)) result.insert(cable);
  }
  return result;
}

const char* const examples[] = {"k-ary-n-tree:4,3", "pgft:8,4;1,4;1,2", "slender-tree:4,2,4", "torus:3,4;2"};

TEST(WithoutHosts, KeepsTheRestAsItIs) {
  for (const char* example : examples) {
    const Topology whole = make_topology(example);
    const Topology part = without_hosts(whole, {0, 5, 5, whole.hosts() - 1});
    EXPECT_EQ(part.hosts(), whole.hosts() - 3);
    EXPECT_EQ(part.switches(), whole.switches());
    EXPECT_EQ(cables(part), without(cables(whole), {whole.host(0).guid, whole.host(5).guid,
                                                    whole.host(whole.hosts() - 1).guid}));
    EXPECT_EQ(part.host(0).name, whole.host(1).name);
    EXPECT_EQ(part.host(4).name, whole.host(6).name);
    EXPECT_EQ(part.name(), whole.name() + " without 3 hosts");
    EXPECT_TRUE(std::holds_alternative<std::monostate>(part.shape()));
    for (std::int32_t s = 0; s < whole.switches(); ++s) EXPECT_EQ(part.level(s), whole.level(s));
  }
}

TEST(WithoutSwitches, TakesTheirHostsAlong) {
  const Topology whole = k_ary_n_tree(4, 2);
  const Topology part = without_switches(whole, {1, 6});
  EXPECT_EQ(part.switches(), 6);
  EXPECT_EQ(part.hosts(), 12);
  EXPECT_EQ(part.host(4).name, whole.host(8).name);
  EXPECT_EQ(part.switch_at(1).name, whole.switch_at(2).name);
  EXPECT_EQ(part.level(2), 1);
  EXPECT_EQ(part.level(3), 2);
  std::set<std::uint64_t> gone = {whole.switch_at(1).guid, whole.switch_at(6).guid};
  for (std::int32_t h = 4; h < 8; ++h) gone.insert(whole.host(h).guid);
  EXPECT_EQ(cables(part), without(cables(whole), gone));
}

TEST(WithoutLinks, CutsBothDirectionsOnce) {
  const Topology whole = make_topology("pgft:8,4;1,4;1,2");
  const Channel up = whole.channel(2, 8 + 3), other = whole.channel(0, 8 + 1);
  const Topology part = without_links(whole, {up, whole.reverse(up), other});
  EXPECT_EQ(part.links(), whole.links() - 2);
  EXPECT_EQ(part.channels(), whole.channels());
  EXPECT_EQ(part.name(), whole.name() + " without 2 links");
  for (Channel c = 0; c < whole.channels(); ++c) {
    const bool gone = c == up || c == other || c == whole.reverse(up) || c == whole.reverse(other);
    EXPECT_EQ(part.target(c), gone ? End{} : whole.target(c));
  }
}

TEST(Without, KeepsEverythingOfAHostAndALink) {
  TopologyBuilder builder("one");
  builder.add_switch({.name = "s", .guid = 7, .ports = 40, .lid = 9}, 1);
  builder.add_host({.name = "x"});
  const Host host{.name = "y", .guid = 3, .port_guid = 4, .port = 2, .lid = 5, .lmc = 1};
  builder.add_host(host);
  builder.connect_host(0, 0, 1, 100);
  builder.connect_host(1, 0, 33, 400);
  const Topology part = without_hosts(std::move(builder).finish(), {0});
  EXPECT_EQ(part.host(0).name, host.name);
  EXPECT_EQ(part.host(0).guid, host.guid);
  EXPECT_EQ(part.host(0).port_guid, host.port_guid);
  EXPECT_EQ(part.host(0).port, host.port);
  EXPECT_EQ(part.host(0).lid, host.lid);
  EXPECT_EQ(part.host(0).lmc, host.lmc);
  EXPECT_EQ(part.attachment(0).port, 33);
  EXPECT_EQ(part.gbps(0), 400);
  EXPECT_EQ(part.gbps(part.reverse(0)), 400);
  EXPECT_EQ(part.switch_at(0).lid, 9);
  EXPECT_EQ(part.switch_at(0).ports, 40);
}

TEST(Without, NothingKeepsTheShape) {
  const Topology whole = k_ary_n_tree(3, 2);
  for (const Topology& same :
       {without_hosts(whole, {}), without_links(whole, {}), without_switches(whole, {})}) {
    EXPECT_EQ(same.shape(), whole.shape());
    EXPECT_EQ(same.name(), whole.name());
  }
}

TEST(Without, RefusesWhatDoesNotExist) {
  const Topology whole = mesh({2, 2});
  EXPECT_THROW(without_hosts(whole, {4}), ArgumentError);
  EXPECT_THROW(without_hosts(whole, {-1}), ArgumentError);
  EXPECT_THROW(without_switches(whole, {4}), ArgumentError);
  EXPECT_THROW(without_links(whole, {whole.channels()}), ArgumentError);
  EXPECT_THROW(without_links(whole, {-1}), ArgumentError);
  EXPECT_THROW(without_links(whole, {whole.channel(0, 2)}), ArgumentError) << "no cable";
  EXPECT_THROW(without_links(whole, {0}), ArgumentError) << "a host's";
  EXPECT_THROW(without_links(whole, {whole.reverse(0)}), ArgumentError) << "a host's";
}

TEST(WithLevels, ChangesNothingElse) {
  const Topology whole = k_ary_n_tree(3, 2);
  const Topology other = with_levels(whole, {3, 3, 3, 4, 4, 4});
  EXPECT_EQ(other.level(0), 3);
  EXPECT_EQ(other.levels(), 4);
  EXPECT_EQ(other.shape(), whole.shape());
  EXPECT_EQ(cables(other), cables(whole));
  EXPECT_THROW(with_levels(whole, {1, 2}), ArgumentError);
}

}  // namespace
}  // namespace sortlast::fabric
