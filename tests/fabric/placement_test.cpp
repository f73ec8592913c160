// Orders of hosts, schedulers, names, and blocks of grids.
#include "sortlast/fabric/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {
namespace {

using Hosts = std::vector<std::int32_t>;

Hosts numbers(std::int32_t begin, std::int32_t end) {
  Hosts result(static_cast<std::size_t>(end - begin));
  std::iota(result.begin(), result.end(), begin);
  return result;
}

std::int32_t leaf_of(const Topology& topology, std::int32_t h) {
  return topology.switch_of(topology.attachment(h).vertex);
}

Hosts sorted(Hosts hosts) {
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

// A leaf of each number of hosts, and one spine; hosts are added in the order of `names`.
Topology two_level(const std::vector<std::vector<std::string>>& leaves) {
  TopologyBuilder builder("leaves");
  for (std::size_t s = 0; s < leaves.size(); ++s) {
    builder.add_switch({.name = "leaf" + std::to_string(s), .guid = 0x100 + s, .ports = 40});
    for (std::size_t i = 0; i < leaves[s].size(); ++i) {
      const std::int32_t h = builder.add_host({.name = leaves[s][i], .guid = 0x1000 + 64 * s + i});
      builder.connect_host(h, static_cast<std::int32_t>(s), static_cast<std::int32_t>(i) + 1);
    }
  }
  const std::int32_t spine = builder.add_switch({.name = "spine", .guid = 0x200, .ports = 40});
  for (std::size_t s = 0; s < leaves.size(); ++s) {
    builder.connect(static_cast<std::int32_t>(s), 40, spine, static_cast<std::int32_t>(s) + 1);
  }
  return std::move(builder).finish();
}

TEST(RoutingOrder, OfATreeThatWasBuiltIsItsOwn) {
  for (const char* tree : {"crossbar:7", "k-ary-n-tree:12,2", "k-ary-n-tree:4,3", "pgft:8,4;1,4;1,2",
                           "thin-tree:8,4,3", "slender-tree:4,2,4", "rlft:8,3", "xgft:4,3,2;1,2,3"}) {
    const Topology topology = make_topology(tree);
    EXPECT_EQ(order_hosts(topology, "routing"), numbers(0, topology.hosts())) << tree;
    EXPECT_EQ(order_hosts(topology, "routing-dummies"), numbers(0, topology.hosts())) << tree;
  }
}

TEST(RoutingOrder, OfAGridIsThatOfItsSwitches) {
  const Topology topology = torus({3, 4}, 2);
  EXPECT_EQ(order_hosts(topology, "routing"), numbers(0, 24));
  EXPECT_EQ(order_hosts(topology, "routing", {20, 3, 4}), (Hosts{3, 4, 20}));
}

TEST(RoutingOrder, GoesByPortInALeafWhateverTheNumbers) {
  TopologyBuilder builder("scattered");
  builder.add_switch({.name = "a", .guid = 2, .ports = 4});
  builder.add_switch({.name = "b", .guid = 1, .ports = 4});
  builder.add_switch({.name = "spine", .guid = 3, .ports = 4});
  for (int h = 0; h < 4; ++h) builder.add_host({.name = "h" + std::to_string(h)});
  builder.connect_host(0, 0, 3);
  builder.connect_host(1, 1, 1);
  builder.connect_host(2, 0, 1);
  builder.connect_host(3, 1, 2);
  builder.connect(0, 4, 2, 1);
  builder.connect(1, 4, 2, 2);
  // Leaf b has the lower GUID.
  EXPECT_EQ(order_hosts(std::move(builder).finish(), "routing"), (Hosts{1, 3, 2, 0}));
}

TEST(RoutingOrder, FillsLeavesThatMissHosts) {
  const Topology topology = without_hosts(k_ary_n_tree(4, 2), {0, 5, 6, 15});
  // Hosts 0..2 on the first leaf, 3..4 on the second, then 5..8 and 9..11.
  EXPECT_EQ(order_hosts(topology, "routing"), numbers(0, 12));
  EXPECT_EQ(order_hosts(topology, "routing-dummies"),
            (Hosts{0, 1, 2, -1, 3, 4, -1, -1, 5, 6, 7, 8, 9, 10, 11, -1}));
}

TEST(RoutingOrder, KeepsThePlacesOfHostsThatAreNotInTheJob) {
  const Topology topology = k_ary_n_tree(4, 2);
  EXPECT_EQ(order_hosts(topology, "routing", {14, 1, 3, 12}), (Hosts{1, 3, 12, 14}));
  EXPECT_EQ(order_hosts(topology, "routing-dummies", {14, 1, 3, 12}), (Hosts{-1, 1, -1, 3, 12, -1, 14, -1}));
}

// Of three levels a subtree is a pod: its other leaves stay.
TEST(RoutingOrder, LeavesOutSubtreesWithoutHostsOfTheJob) {
  const Topology topology = k_ary_n_tree(2, 3);
  EXPECT_EQ(order_hosts(topology, "routing-dummies", {6}), (Hosts{-1, -1, 6, -1}));
  EXPECT_EQ(order_hosts(topology, "routing-dummies", {6, 1}), (Hosts{-1, 1, -1, -1, -1, -1, 6, -1}));
}

TEST(RoutingOrder, PutsHostsThatAreNotBalancedForLast) {
  const Topology topology = k_ary_n_tree(4, 2);
  const Hosts compute = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14};
  EXPECT_EQ(order_hosts(topology, "routing", {}, 1, compute),
            (Hosts{0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15}));
  EXPECT_EQ(order_hosts(topology, "routing-dummies", {0, 3, 5, 4}, 1, compute),
            (Hosts{0, -1, -1, 4, 5, -1, 3}));
}

// What dummies are for: shift on any hosts of an RLFT, or a tree of constant width, does not contend under
// D-mod-K.
TEST(RoutingOrder, WithDummiesKeepsEveryJobFreeOfContention) {
  std::int32_t contended = 0;
  for (const char* tree : {"k-ary-n-tree:4,2", "k-ary-n-tree:3,3", "rlft:4,3", "pgft:4,4;1,2;1,2"}) {
    const auto topology = std::make_shared<const Topology>(make_topology(tree));
    const Routes routes = route(topology, "d-mod-k");
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto n = 2 + static_cast<std::int32_t>(seed) % (topology->hosts() - 1);
      const Hosts job = allocate_hosts(*topology, "random", n, {}, seed);
      const auto shift = [&](const Placement& placement) {
        return contention(routes, *shift_pattern(static_cast<std::int32_t>(placement.size())), placement);
      };
      EXPECT_TRUE(shift(order_hosts(*topology, "routing-dummies", job)).contention_free())
          << tree << " " << n;
      contended += shift(order_hosts(*topology, "routing", job)).contention_free() ? 0 : 1;
    }
  }
  EXPECT_GT(contended, 0) << "the same jobs without dummies";
}

TEST(Orders, ByName) {
  const Topology topology = two_level({{"node10 a", "node9 a", "node100 a"}, {"node09 b", "Node2", "node"}});
  EXPECT_EQ(order_hosts(topology, "listed", {3, 1, 2}), (Hosts{3, 1, 2}));
  EXPECT_EQ(order_hosts(topology, "alphabetical"), (Hosts{4, 5, 3, 0, 2, 1}));
  EXPECT_EQ(order_hosts(topology, "natural"), (Hosts{4, 5, 1, 3, 0, 2}));
  EXPECT_EQ(order_hosts(topology, "natural", {2, 0, 1}), (Hosts{1, 0, 2}));
}

TEST(Orders, AtRandomAreFixedByTheSeed) {
  const Topology topology = k_ary_n_tree(6, 2);
  const Placement one = order_hosts(topology, "random", {}, 1);
  EXPECT_EQ(one, order_hosts(topology, "random", {}, 1));
  EXPECT_NE(one, order_hosts(topology, "random", {}, 2));
  EXPECT_EQ(sorted(one), numbers(0, 36));
  // Every host comes first now and then.
  std::set<std::int32_t> first;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    first.insert(order_hosts(topology, "random", {4, 8, 9}, seed)[0]);
  EXPECT_EQ(first, (std::set<std::int32_t>{4, 8, 9}));
}

TEST(Orders, ThatAreWrongSayWhy) {
  const Topology topology = k_ary_n_tree(2, 2);
  EXPECT_EQ(
      message_of([&] { order_hosts(topology, "fast"); }),
      "there is no order 'fast'; expected one of routing, routing-dummies, listed, alphabetical, natural, "
      "random");
  EXPECT_EQ(message_of([&] { order_hosts(topology, "listed", {1, 4}); }),
            "host 4 does not exist: there are 4");
  EXPECT_EQ(message_of([&] { order_hosts(topology, "listed", {1, 1}); }),
            "host 'host00001 HCA-1' is given twice");
  EXPECT_THROW(order_hosts(topology, "routing", {}, 1, {-1}), ArgumentError);
  for (const std::string& order : host_orders())
    EXPECT_EQ(sorted(order_hosts(topology, order)), numbers(0, 4));
}

TEST(ComputeHosts, AreOnLeavesAndNoAggregationNodes) {
  const Topology topology = two_level({{"a", "b", "Mellanox Technologies Aggregation Node"},
                                       {"c", "d", "Mellanox Technologies Aggregation Node"}});
  EXPECT_EQ(compute_hosts(topology), (Hosts{0, 1, 3, 4}));
  EXPECT_EQ(order_hosts(topology, "routing"), (Hosts{0, 1, 3, 4, 2, 5}));
  EXPECT_EQ(order_hosts(topology, "routing-dummies", {1, 3, 4}), (Hosts{-1, 1, 3, 4}));
  EXPECT_EQ(compute_hosts(torus({3, 3})), numbers(0, 9));
}

TEST(Schedulers, TakeTheFirstInRoutingOrder) {
  const Topology topology = k_ary_n_tree(4, 2);
  EXPECT_EQ(allocate_hosts(topology, "contiguous", 6), numbers(0, 6));
  EXPECT_EQ(allocate_hosts(topology, "contiguous", 3, {9, 2, 14, 5}), (Hosts{2, 5, 9}));
}

TEST(Schedulers, TakeAsFewLeavesAsPossible) {
  const Topology topology = k_ary_n_tree(4, 2);
  EXPECT_EQ(allocate_hosts(topology, "leaf", 4, {0, 1, 2, 4, 8, 9, 10, 11}), (Hosts{8, 9, 10, 11}));
  // The fullest first, and for the last host the leaf with one.
  EXPECT_EQ(allocate_hosts(topology, "leaf", 5, {0, 1, 2, 4, 8, 9, 10, 11}), (Hosts{4, 8, 9, 10, 11}));
  // Two leaves suffice: 4 + 2 of 3.
  EXPECT_EQ(allocate_hosts(topology, "leaf", 6, {0, 1, 2, 4, 8, 9, 10, 11}), (Hosts{0, 1, 8, 9, 10, 11}));
  // By trying all sets of leaves for random jobs.
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Hosts free = order_hosts(topology, "random", {}, seed);
    const Hosts some(free.begin(), free.begin() + 9);
    Hosts by_leaf(4, 0);
    for (const std::int32_t h : some) ++by_leaf[static_cast<std::size_t>(leaf_of(topology, h))];
    for (std::int32_t n = 1; n <= 9; ++n) {
      std::set<std::int32_t> leaves;
      for (const std::int32_t h : allocate_hosts(topology, "leaf", n, some))
        leaves.insert(leaf_of(topology, h));
      int fewest = 4;
      for (int set = 1; set < 16; ++set) {
        std::int32_t held = 0;
        int count = 0;
        for (int leaf = 0; leaf < 4; ++leaf) {
          if ((set >> leaf & 1) == 0) continue;
          held += by_leaf[static_cast<std::size_t>(leaf)];
          ++count;
        }
        if (held >= n) fewest = std::min(fewest, count);
      }
      EXPECT_EQ(static_cast<int>(leaves.size()), fewest);
    }
  }
}

TEST(Schedulers, AtRandomAreFixedByTheSeed) {
  const Topology topology = k_ary_n_tree(6, 2);
  const Placement one = allocate_hosts(topology, "random", 10, {}, 3);
  EXPECT_EQ(one, allocate_hosts(topology, "random", 10, {}, 3));
  EXPECT_NE(one, allocate_hosts(topology, "random", 10, {}, 4));
  EXPECT_EQ(one, sorted(one)) << "in routing order";
  EXPECT_EQ(std::set<std::int32_t>(one.begin(), one.end()).size(), 10U);
}

TEST(Schedulers, ThatCannotServeSayWhy) {
  const Topology topology = k_ary_n_tree(2, 2);
  EXPECT_EQ(message_of([&] { allocate_hosts(topology, "contiguous", 5); }),
            "a job of 5 hosts; expected 1 to the 4 that are free");
  EXPECT_EQ(message_of([&] { allocate_hosts(topology, "slurm", 1); }),
            "there is no scheduler 'slurm'; expected one of contiguous, random, leaf");
  EXPECT_THROW(allocate_hosts(topology, "leaf", 0), ArgumentError);
  EXPECT_THROW(allocate_hosts(topology, "leaf", 1, {3, 3}), ArgumentError);
}

TEST(FindHosts, ByEveryNameThatPeopleWrite) {
  const Topology topology = k_ary_n_tree(4, 2);
  EXPECT_EQ(find_hosts(topology, {"host00003 HCA-1", "host00010", "0x10000020", "0x10000021", "10000050"}),
            (Hosts{3, 10, 2, 2, 5}));
  EXPECT_TRUE(find_hosts(topology, {}).empty());
}

TEST(FindHosts, SayWhatIsMissingAndWhatIsNear) {
  const Topology topology = k_ary_n_tree(4, 2);
  EXPECT_EQ(message_of([&] { find_hosts(topology, {"host00003", "host0010"}); }),
            "the fabric has no host 'host0010' (near: 'host00010', 'host00000', 'host00001')");
  EXPECT_EQ(
      message_of([&] { find_hosts(topology, {"zeus", "", "0x", "-1", "12345678901234567890", "x", "y"}); }),
      "the fabric has no host 'zeus', '', '0x', '-1', '12345678901234567890', nor 2 others");
}

TEST(FindHosts, RefuseNamesOfSeveralHosts) {
  const Topology topology = two_level({{"n1 mlx5_0", "n1 mlx5_1"}, {"n2 mlx5_0"}});
  EXPECT_EQ(find_hosts(topology, {"n2", "n1 mlx5_1"}), (Hosts{2, 1}));
  EXPECT_EQ(message_of([&] { find_hosts(topology, {"n1"}); }),
            "'n1' may be any of 2 hosts: 'n1 mlx5_0' port 1, 'n1 mlx5_1' port 1; give the whole name (in a "
            "list: in "
            "quotation marks) or the port's GUID");
  const Topology rails = gft(1, 2, 2);
  EXPECT_THROW(find_hosts(rails, {"host00001 HCA-1"}), ArgumentError);
  EXPECT_EQ(find_hosts(rails, {"0x10000012"}), (Hosts{3}));
}

TEST(BlockMapping, TakesCubesOneAfterTheOther) {
  const Topology grid = torus({4, 4, 4});
  const Placement placement = block_mapping(grid, {2, 2, 2});
  EXPECT_EQ(sorted(placement), numbers(0, 64));
  const auto at = [](std::int32_t x, std::int32_t y, std::int32_t z) { return x + 4 * y + 16 * z; };
  EXPECT_EQ(Hosts(placement.begin(), placement.begin() + 8),
            (Hosts{at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(1, 1, 0), at(0, 0, 1), at(1, 0, 1), at(0, 1, 1),
                   at(1, 1, 1)}));
  EXPECT_EQ(placement[8], at(2, 0, 0));
  EXPECT_EQ(placement[16], at(0, 2, 0));
  EXPECT_EQ(placement[32], at(0, 0, 2));
  EXPECT_EQ(block_mapping(grid, {4, 4, 4}), numbers(0, 64));
  EXPECT_EQ(block_mapping(grid, {1, 1, 1}), numbers(0, 64));
  EXPECT_EQ(block_mapping(torus({4, 2}, 2), {2, 2}),
            (Hosts{0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15}));
}

TEST(BlockMapping, RefusesWhatDoesNotFillTheGrid) {
  EXPECT_THROW(block_mapping(torus({4, 4, 4}), {2, 2}), ArgumentError);
  EXPECT_THROW(block_mapping(torus({4, 4, 4}), {2, 3, 2}), ArgumentError);
  EXPECT_THROW(block_mapping(torus({4, 4, 4}), {2, 0, 2}), ArgumentError);
  EXPECT_THROW(block_mapping(torus({4, 4, 4}), {2, 2, -1}), ArgumentError);
  EXPECT_THROW(block_mapping(k_ary_n_tree(4, 2), {2}), ArgumentError);
}

}  // namespace
}  // namespace sortlast::fabric
