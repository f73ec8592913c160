// D-mod-K beside the definition: the up-ports of Zahavi's formula, and shifts free of contention.
#include <gtest/gtest.h>

#include "sortlast/fabric/topology.hpp"
#include "trees.hpp"

namespace sortlast::fabric {
namespace {

// Up-port, counted from 0, at level l towards d: floor(d / w_1 .. w_l) mod (w_{l+1} p_{l+1}).
std::int32_t up_port(const TreeShape& shape, std::size_t level, std::int32_t d) {
  for (std::size_t l = 0; l < level; ++l) d /= shape.w[l];
  return d % (shape.w[level] * shape.p[level]);
}

TEST(DModK, GoesUpByTheFormulaAndDownTheLinksOfAnUpwardPath) {
  for (const auto& tree : pgfts()) {
    const Routes routes = route(tree, "d-mod-k");
    const auto& shape = std::get<TreeShape>(tree->shape());
    for (std::int32_t a = 0; a < tree->hosts(); ++a) {
      for (std::int32_t b = 0; b < tree->hosts(); ++b) {
        if (a == b) continue;
        const std::vector<Channel> path = walk(routes, a, b);
        EXPECT_EQ(path.size() % 2, 0U);
        for (std::size_t i = 1; i < path.size() / 2; ++i) {
          const End from = tree->source(path[i]);
          const std::int32_t down = shape.m[i - 1] * shape.p[i - 1];
          EXPECT_EQ(from.port, down + 1 + up_port(shape, i, b)) << tree->name();
          // The copy of the link by which the flow comes down at this level is that of the same up-port.
          const End lower = tree->target(path[path.size() - 1 - i]);
          EXPECT_EQ(lower.port, down + 1 + up_port(shape, i, b)) << tree->name();
        }
      }
    }
  }
}

TEST(DModK, ShiftsAreFreeOnTreesOfConstantBisection) {
  for (Topology tree : {k_ary_n_tree(4, 2), k_ary_n_tree(3, 3), pgft({8, 4}, {1, 4}, {1, 2}), rlft(6, 3)}) {
    EXPECT_EQ(most_flows_of_shifts(route(std::make_shared<const Topology>(std::move(tree)), "d-mod-k")), 1);
  }
}

TEST(DModK, ThinTreesContendByTheirNarrowing) {
  const auto thin = std::make_shared<const Topology>(thin_tree(4, 2, 3));
  EXPECT_EQ(most_flows_of_shifts(route(thin, "d-mod-k")), 4);
}

TEST(DModK, ReachesSwitchesWhereUpDownDoes) {
  std::vector<std::shared_ptr<const Topology>> trees = pgfts();
  trees.push_back(std::make_shared<const Topology>(slender_tree(4, 2, 4)));
  for (const auto& tree : trees) {
    const Routes routes = route(tree, "d-mod-k"), other = route(tree, "random");
    for (std::int32_t s = 0; s < tree->switches(); ++s) {
      for (std::int32_t t = 0; t < tree->switches(); ++t) {
        // Follow the tables.
        const Vertex destination = tree->vertex_of_switch(t);
        std::int32_t at = s, steps = 0, port = 0;
        while ((port = routes.forwarding->port(at, destination)) > 0) {
          at = tree->switch_of(tree->target(tree->channel(at, port)).vertex);
          ASSERT_LE(++steps, tree->switches()) << tree->name();
        }
        if (port == 0) {
          EXPECT_EQ(at, t) << tree->name();
        } else {
          EXPECT_EQ(at, s) << tree->name() << ": led into a dead end";
        }
        EXPECT_EQ(port == 0, other.forwarding->port(s, destination) != Forwarding::unreachable)
            << tree->name() << " from " << s << " to " << t;
      }
    }
  }
}

TEST(DModK, SlenderTreesAreRoutedUpAndDownAndEvenly) {
  for (const auto& [k, up, n] : {std::tuple{4, 2, 2}, {4, 2, 4}, {8, 2, 3}, {6, 3, 5}}) {
    const auto tree = std::make_shared<const Topology>(slender_tree(k, up, n));
    const Routes routes = route(tree, "d-mod-k");
    EXPECT_EQ(routes.engine, "d-mod-k");
    std::vector<std::int32_t> paths(static_cast<std::size_t>(tree->channels()));
    for (std::int32_t a = 0; a < tree->hosts(); ++a) {
      for (std::int32_t b = 0; b < tree->hosts(); ++b) {
        const std::vector<Channel> path = walk(routes, a, b);
        std::int32_t last = 0;
        bool down = false;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
          const std::int32_t level = tree->level(tree->switch_of(tree->target(path[i]).vertex));
          EXPECT_FALSE(down && level > last);
          down = down || level < last;
          last = level;
        }
        for (const Channel c : path) ++paths[static_cast<std::size_t>(c)];
      }
    }
    // All links between two levels carry as many paths in one direction.
    for (std::int32_t level = 1; level < n; ++level) {
      std::vector<std::int32_t> up_loads, down_loads;
      for (Channel c = tree->hosts(); c < tree->channels(); ++c) {
        const End &from = tree->source(c), &to = tree->target(c);
        if (tree->is_host(to.vertex)) continue;
        const std::int32_t lower = tree->level(tree->switch_of(from.vertex)),
                           upper = tree->level(tree->switch_of(to.vertex));
        if (std::min(lower, upper) == level) {
          (lower < upper ? up_loads : down_loads).push_back(paths[static_cast<std::size_t>(c)]);
        }
      }
      for (const auto& loads : {up_loads, down_loads}) {
        EXPECT_EQ(*std::min_element(loads.begin(), loads.end()),
                  *std::max_element(loads.begin(), loads.end()))
            << k << ":" << up << "," << n << " level " << level;
      }
    }
  }
}

TEST(DModK, RefusesWhatHasLostItsShape) {
  const Topology tree = k_ary_n_tree(3, 2);
  const auto missing = std::make_shared<const Topology>(without_hosts(tree, {4}));
  const Routes routes = route(missing, "d-mod-k");
  EXPECT_EQ(routes.engine, "minhop");
  EXPECT_NE(routes.fallback.find("intact tree"), std::string::npos);
}

}  // namespace
}  // namespace sortlast::fabric
