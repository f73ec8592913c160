// minhop: the rule by which OpenSM chooses a port, written down once more without any thought of speed.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "fabric/naive_hops.hpp"
#include "fabric/random_routes.hpp"
#include "sortlast/error.hpp"
#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {
namespace {

// The hosts of a switch by port.
std::vector<std::int32_t> hosts_on(const Topology& topology, std::int32_t s) {
  std::vector<std::int32_t> hosts;
  for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
    const Vertex to = topology.target(topology.channel(s, port)).vertex;
    if (to >= 0 && topology.is_host(to)) hosts.push_back(to);
  }
  return hosts;
}

// Bytes of a GUID from the last to the first, then what tells equal GUIDs apart.
std::array<std::int64_t, 9> order_key(const Topology& topology, std::int32_t s) {
  std::array<std::int64_t, 9> key = {};
  for (std::size_t byte = 0; byte < 8; ++byte) {
    key[byte] = static_cast<std::int64_t>(topology.switch_at(s).guid >> (8 * byte) & 0xFF);
  }
  key[8] = s;
  return key;
}

// Port of switch s for every host.
std::vector<std::int32_t> naive_row(const Topology& topology,
                                    const std::vector<std::vector<std::int32_t>>& hops, std::int32_t s) {
  // Order the switches that hosts hang on.
  std::map<std::pair<std::int64_t, std::array<std::int64_t, 9>>, std::int32_t> leaves;
  for (std::int32_t leaf = 0; leaf < topology.switches(); ++leaf) {
    leaves[{-static_cast<std::int64_t>(hosts_on(topology, leaf).size()), order_key(topology, leaf)}] = leaf;
  }

  // Give each host the least used port that leads nearer.
  std::vector<std::int32_t> row(static_cast<std::size_t>(topology.hosts()), Forwarding::unreachable);
  std::map<std::int32_t, std::int32_t> used;
  for (const auto& [key, leaf] : leaves) {
    for (const std::int32_t h : hosts_on(topology, leaf)) {
      std::int32_t& chosen = row[static_cast<std::size_t>(h)];
      const std::int32_t here = hops[static_cast<std::size_t>(s)][static_cast<std::size_t>(leaf)];
      if (here == 0) chosen = topology.attachment(h).port;
      if (here == 0 || here >= naive_no_way) continue;
      for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
        const Vertex to = topology.target(topology.channel(s, port)).vertex;
        if (to < topology.hosts()) continue;
        const auto next = static_cast<std::size_t>(topology.switch_of(to));
        if (hops[next][static_cast<std::size_t>(leaf)] != here - 1) continue;
        if (chosen == Forwarding::unreachable || used[port] < used[chosen]) chosen = port;
      }
      ++used[chosen];
    }
  }
  return row;
}

std::vector<std::shared_ptr<const Topology>> fabrics() {
  std::vector<std::shared_ptr<const Topology>> all;
  for (const char* family : {"crossbar:5", "k-ary-n-tree:12,2", "k-ary-n-tree:4,3", "pgft:8,4;1,4;1,2",
                             "torus:4,4,4", "thin-tree:4,2,3", "k-ary-n-tree:17,2"}) {
    all.push_back(shared_topology(family));
  }
  const Topology& tree = *all[2];
  all.push_back(std::make_shared<const Topology>(without_hosts(tree, {1, 2, 3, 9, 17, 40, 41, 42, 43, 60})));
  all.push_back(
      std::make_shared<const Topology>(without_links(tree, {tree.channel(0, 5), tree.channel(20, 6)})));
  for (unsigned seed = 0; seed < 20; ++seed) all.push_back(random_tree(seed));
  return all;
}

TEST(Minhop, EveryEntryIsTheLeastUsedPortThatLeadsNearer) {
  for (const auto& topology : fabrics()) {
    const Routes routes = route(topology, "minhop");
    EXPECT_EQ(routes.engine, "minhop");
    EXPECT_EQ(routes.fallback, "");
    const auto hops = naive_hops(*topology);
    for (std::int32_t s = 0; s < topology->switches(); ++s) {
      const std::vector<std::int32_t> row = naive_row(*topology, hops, s);
      for (std::int32_t h = 0; h < topology->hosts(); ++h) {
        ASSERT_EQ(routes.forwarding->port(s, h), row[static_cast<std::size_t>(h)])
            << topology->name() << ", switch " << s << ", host " << h;
      }
    }
  }
}

TEST(Minhop, LeadsToSwitchesToo) {
  for (const auto& topology : fabrics()) {
    const Routes routes = route(topology, "minhop");
    const auto hops = naive_hops(*topology);
    for (std::int32_t from = 0; from < topology->switches(); ++from) {
      for (std::int32_t to = 0; to < topology->switches(); ++to) {
        std::int32_t at = from, taken = 0;
        const std::int32_t expected = hops[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
        for (; at != to && taken <= expected; ++taken) {
          const std::int32_t port = routes.forwarding->port(at, topology->vertex_of_switch(to));
          if (port == Forwarding::unreachable) break;
          at = topology->switch_of(topology->target(topology->channel(at, port)).vertex);
        }
        if (expected < naive_no_way) {
          EXPECT_EQ(std::pair(at, taken), std::pair(to, expected));
        } else {
          EXPECT_EQ(taken, 0);
        }
      }
      EXPECT_EQ(routes.forwarding->port(from, topology->vertex_of_switch(from)), 0);
    }
  }
}

TEST(Minhop, GoesByGuidsAndNotByNumbers) {
  // The same fabric, its hosts and switches numbered backwards.
  const auto one = shared_topology("k-ary-n-tree:4,3");
  TopologyBuilder builder("backwards");
  for (std::int32_t s = one->switches(); s-- > 0;) builder.add_switch(one->switch_at(s));
  for (std::int32_t h = one->hosts(); h-- > 0;) builder.add_host(one->host(h));
  const auto mirrored = [](std::int32_t number, std::int32_t count) { return count - 1 - number; };
  for (std::int32_t h = 0; h < one->hosts(); ++h) {
    const End& end = one->attachment(h);
    builder.connect_host(mirrored(h, one->hosts()), mirrored(one->switch_of(end.vertex), one->switches()),
                         end.port);
  }
  for (std::int32_t s = 0; s < one->switches(); ++s) {
    for (std::int32_t port = 1; port <= one->switch_at(s).ports; ++port) {
      const End& end = one->target(one->channel(s, port));
      if (!end.connected() || one->is_host(end.vertex) || one->switch_of(end.vertex) < s) continue;
      builder.connect(mirrored(s, one->switches()), port,
                      mirrored(one->switch_of(end.vertex), one->switches()), end.port);
    }
  }
  const auto other = std::make_shared<const Topology>(std::move(builder).finish());

  for (const char* engine : {"minhop", "updn", "dnup", "dor", "lash", "sssp", "dfsssp"}) {
    const Routes a = route(one, engine), b = route(other, engine);
    for (std::int32_t s = 0; s < one->switches(); ++s) {
      for (std::int32_t h = 0; h < one->hosts(); ++h) {
        ASSERT_EQ(a.forwarding->port(s, h),
                  b.forwarding->port(mirrored(s, one->switches()), mirrored(h, one->hosts())));
      }
    }
  }
}

TEST(GuidOrder, TheLastByteCountsMost) {
  TopologyBuilder builder("guids");
  for (const std::uint64_t guid : {0x0200ull, 0x0101ull, 0xFF00000000000000ull, 0x0100ull, 0x0101ull}) {
    builder.add_switch({.name = "s", .guid = guid, .ports = 2});
  }
  builder.add_host({.name = "h"});
  builder.connect_host(0, 4, 1);
  const Topology topology = std::move(builder).finish();
  EXPECT_EQ(switches_by_guid(topology), (std::vector{2, 3, 0, 1, 4}));
  EXPECT_EQ(switches_by_load(topology), (std::vector{4, 2, 3, 0, 1}));
}

TEST(Minhop, KnowsNoPortWhereNoCableLeads) {
  TopologyBuilder builder("two islands");
  for (const char* name : {"a", "b"}) builder.add_switch({.name = name, .ports = 2});
  for (const char* name : {"x", "y"}) builder.add_host({.name = name});
  builder.connect_host(0, 0, 1);
  builder.connect_host(1, 1, 1);
  const auto topology = std::make_shared<const Topology>(std::move(builder).finish());
  for (const char* engine : {"minhop", "dnup", "dor", "lash", "sssp", "dfsssp"}) {
    const Routes routes = route(topology, engine);
    EXPECT_EQ(routes.forwarding->port(0, 1), Forwarding::unreachable);
    EXPECT_THROW(walk(routes, 0, 1), Error);
  }
}

}  // namespace
}  // namespace sortlast::fabric
