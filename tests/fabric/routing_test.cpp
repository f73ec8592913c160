// Tables, the engines by name, what route() refuses, and what every engine has to do.
#include "sortlast/fabric/routing.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {
namespace {

std::shared_ptr<const Topology> shared(Topology topology) {
  return std::make_shared<const Topology>(std::move(topology));
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

TEST(Tables, HoldPortsOfSmallAndLargeSwitches) {
  for (const std::int32_t ports : {3, 254, 255, 60000}) {
    const Topology topology = crossbar(ports);
    Tables tables(topology, 2);
    EXPECT_EQ(tables.port(0, 2, 1), Forwarding::unreachable);
    tables.set(0, 2, ports, 1);
    tables.set(0, topology.vertex_of_switch(0), 0);
    EXPECT_EQ(tables.port(0, 2, 1), ports);
    EXPECT_EQ(tables.port(0, 2, 0), Forwarding::unreachable);
    EXPECT_EQ(tables.port(0, topology.vertex_of_switch(0)), 0);
    tables.set(0, 2, Forwarding::unreachable, 1);
    EXPECT_EQ(tables.port(0, 2, 1), Forwarding::unreachable);
    EXPECT_EQ(tables.bytes(), 2 * (ports + 1) * (ports > 254 ? 2 : 1));
  }
}

TEST(Tables, SpreadFlowsOverPlanes) {
  const Tables tables(crossbar(4), 4);
  EXPECT_EQ(tables.planes(), 4);
  EXPECT_EQ(tables.plane(2, 3), 1);
  EXPECT_NE(tables.plane(0, 3), tables.plane(1, 3));
}

TEST(Tables, RefuseWhatTheyCannotHold) {
  EXPECT_THROW(Tables(crossbar(4), 0), ArgumentError);
  TopologyBuilder builder("too large a switch");
  builder.add_switch({.name = "s", .ports = 70000});
  const Topology topology = std::move(builder).finish();
  EXPECT_THROW(Tables{topology}, ArgumentError);
}

TEST(Engines, AllLeadFromEveryHostToEveryOther) {
  const auto tree = shared(k_ary_n_tree(3, 3)), groups = shared(dragonfly(1, 4, 2, 5));
  for (const Engine& engine : engines()) {
    const auto& fabric = engine.name == "minimal" ? groups : tree;
    const Routes routes = route(fabric, engine.name);
    EXPECT_EQ(routes.asked, engine.name);
    EXPECT_EQ(routes.engine, engine.name) << routes.fallback;
    EXPECT_EQ(routes.fallback, "");
    for (std::int32_t a = 0; a < fabric->hosts(); ++a) {
      for (std::int32_t b = 0; b < fabric->hosts(); ++b) {
        const std::vector<Channel> path = walk(routes, a, b);
        EXPECT_EQ(path.empty() ? a : fabric->target(path.back()).vertex, b) << engine.name;
      }
    }
  }
}

TEST(Engines, OneThatRefusesIsReplacedByMinhop) {
  const auto grid = shared(torus({4, 4}));
  const Routes minhop = route(grid, "minhop");
  for (const char* name : {"ftree", "d-mod-k", "s-mod-k"}) {
    const Routes routes = route(grid, name);
    EXPECT_EQ(routes.engine, "minhop");
    EXPECT_EQ(routes.asked, name);
    EXPECT_TRUE(routes.fallback.starts_with(std::string(name) + " refuses this fabric: ")) << routes.fallback;
    EXPECT_TRUE(routes.fallback.ends_with("; minhop is used instead")) << routes.fallback;
    for (std::int32_t s = 0; s < grid->switches(); ++s) {
      for (Vertex v = 0; v < grid->vertices(); ++v) {
        EXPECT_EQ(routes.forwarding->port(s, v), minhop.forwarding->port(s, v));
      }
    }
  }
}

TEST(Engines, WrongOptionsAreErrors) {
  const auto tree = shared(k_ary_n_tree(2, 2));
  const std::string unknown = refusal([&] { route(tree, "fat-tree"); });
  EXPECT_NE(unknown.find("'fat-tree'"), std::string::npos);
  for (const Engine& engine : engines()) EXPECT_NE(unknown.find(engine.name), std::string::npos);

  EXPECT_EQ(refusal([&] { route(tree, "ftree", {.roots = {4}}); }),
            "root switch 4 does not exist: there are 4");
  EXPECT_EQ(refusal([&] { route(tree, "ftree", {.roots = {2, 2}}); }), "root switch 2 is listed twice");
  EXPECT_EQ(refusal([&] { route(tree, "minhop", {.compute = {-1}}); }),
            "compute host -1 does not exist: there are 4");
  EXPECT_EQ(refusal([&] { route(tree, "minhop", {.lmc = 8}); }),
            "an LMC of 8; expected 0 to 7 (1 to 128 LIDs)");
}

TEST(Engines, ThoseOfOnePathRefuseAnLmc) {
  const auto tree = shared(k_ary_n_tree(2, 2));
  for (const char* name : {"ftree", "d-mod-k", "s-mod-k"}) {
    const Routes routes = route(tree, name, {.lmc = 2});
    EXPECT_EQ(routes.engine, "minhop");
    EXPECT_NE(routes.fallback, "");
    EXPECT_EQ(routes.forwarding->planes(), 4);
  }
}

}  // namespace
}  // namespace sortlast::fabric
