// minimal: hops of every way, spread over the links between groups, and lanes without which it could
// deadlock.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <variant>

#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {
namespace {

std::shared_ptr<const Topology> made(const char* name) {
  return std::make_shared<const Topology>(make_topology(name));
}

constexpr const char* families_of_minimal[] = {
    "dragonfly:2,4,2,9",    "dragonfly:1,4,2,4",    "dragonfly:3,2,1,1",
    "dragonfly:2,3,2,7",    "dragonfly+:2,2,2,2,5", "dragonfly+:3,4,2,3,4",
    "dragonfly+:1,1,3,1,2", "dragonfly+:2,3,2,0,1", "hyperx:4",
    "hyperx:3,4,2;2",       "hyperx:1,5;3"};

class EveryForm : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Minimal, EveryForm, testing::ValuesIn(families_of_minimal));

TEST_P(EveryForm, WaysAreAsShortAsTheFormAllows) {
  const Routes routes = route(made(GetParam()), "minimal");
  ASSERT_TRUE(routes.fallback.empty()) << routes.fallback;
  const Topology& topology = *routes.topology;
  for (std::int32_t a = 0; a < topology.hosts(); ++a) {
    for (std::int32_t b = 0; b < topology.hosts(); ++b) {
      const std::vector<Channel> way = walk(routes, a, b);
      if (a == b) continue;
      std::size_t most = 2 + 3;  // local, global, local; or up, global, down
      if (const auto* shape = std::get_if<HyperXShape>(&topology.shape())) {
        std::int32_t from = a / shape->hosts, to = b / shape->hosts;
        most = 2;
        for (const std::int32_t extent : shape->size) {
          if (from % extent != to % extent) ++most;
          from /= extent;
          to /= extent;
        }
        EXPECT_EQ(way.size(), most);
      }
      EXPECT_LE(way.size(), most) << topology.host(a).name << " to " << topology.host(b).name;
    }
  }
}

TEST_P(EveryForm, SwitchesAreReachedFromEverySwitch) {
  const Routes routes = route(made(GetParam()), "minimal");
  const Topology& topology = *routes.topology;
  for (std::int32_t t = 0; t < topology.switches(); ++t) {
    for (std::int32_t s = 0; s < topology.switches(); ++s) {
      std::int32_t at = s, hops = 0;
      for (; at != t && hops <= 8; ++hops) {
        const std::int32_t port = routes.forwarding->port(at, topology.vertex_of_switch(t));
        ASSERT_GE(port, 1);
        const End& end = topology.target(topology.channel(at, port));
        ASSERT_TRUE(end.connected() && !topology.is_host(end.vertex));
        at = topology.switch_of(end.vertex);
      }
      EXPECT_EQ(at, t) << s;
      EXPECT_EQ(routes.forwarding->port(t, topology.vertex_of_switch(t)), 0);
    }
  }
}

TEST_P(EveryForm, IsFreeOfCreditLoops) {
  EXPECT_TRUE(find_credit_loop(route(made(GetParam()), "minimal")).cycle.empty());
}

// The same ways on one lane.
class OneLane final : public Forwarding {
 public:
  explicit OneLane(std::shared_ptr<const Forwarding> of) : of_(std::move(of)) {}
  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t plane) const override {
    return of_->port(s, destination, plane);
  }

 private:
  std::shared_ptr<const Forwarding> of_;
};

TEST(Minimal, OnOneLaneADragonflyHasACreditLoop) {
  Routes routes = route(made("dragonfly:2,4,2,9"), "minimal");
  EXPECT_EQ(routes.forwarding->lanes(), 2);
  routes.forwarding = std::make_shared<OneLane>(routes.forwarding);
  const std::vector<Channel> cycle = find_credit_loop(routes).cycle;
  ASSERT_FALSE(cycle.empty());
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    EXPECT_EQ(routes.topology->target(cycle[i]).vertex,
              routes.topology->source(cycle[(i + 1) % cycle.size()]).vertex);
  }
}

// The global links by which a host's flows to all hosts of group 1 leave, and how many.
std::map<Channel, std::int32_t> global_flows(const Routes& routes, std::int32_t host) {
  std::map<Channel, std::int32_t> flows;
  for (std::int32_t d = 8; d < 16; ++d) {
    for (const Channel c : walk(routes, host, d)) {
      const End from = routes.topology->source(c);
      if (!routes.topology->is_host(from.vertex) && from.port >= 2 + 4) ++flows[c];
    }
  }
  return flows;
}

// Four groups, and 8 global ports a group: two links a pair. Those of groups 0 and 1 are on routers 0 and 1.
TEST(Minimal, AllLinksBetweenTwoGroupsAreUsed) {
  const Routes routes = route(made("dragonfly:2,4,2,4"), "minimal");
  const auto flows = global_flows(routes, 4);
  ASSERT_EQ(flows.size(), 2U);
  for (const auto& [c, count] : flows) EXPECT_EQ(count, 4);
}

TEST(Minimal, ARouterWithALinkToTheGroupTakesIt) {
  const Routes routes = route(made("dragonfly:2,4,2,4"), "minimal");
  for (const std::int32_t host : {0, 1, 2, 3}) EXPECT_EQ(global_flows(routes, host).size(), 1U) << host;
  // Router 0 to router 4, at the other end of its link: the links of both hosts, and that.
  EXPECT_EQ(walk(routes, 0, 8).size(), 3U);
  EXPECT_EQ(walk(routes, 0, 9).size(), 3U);
}

TEST(Minimal, RefusesWhatHasNoForm) {
  EXPECT_NE(route(made("k-ary-n-tree:2,2"), "minimal").fallback.find("no intact dragonfly"),
            std::string::npos);
  EXPECT_NE(route(made("hyperx:3,3"), "minimal", {.lmc = 1}).fallback.find("LMC"), std::string::npos);
  const Topology whole = make_topology("dragonfly:1,2,1,3");
  const auto cut = std::make_shared<const Topology>(without_links(whole, {whole.channels() - 1}));
  EXPECT_FALSE(route(cut, "minimal").fallback.empty());
}

}  // namespace
}  // namespace sortlast::fabric
