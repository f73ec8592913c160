// Shares of cores: nodes as the figures of a machine mean them, their ranks and their cores.
#include "sortlast/cores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace sortlast {
namespace {

using Ranks = std::vector<std::int32_t>;

// Ranks 0, 1, 2, ... of machines of 8 cores, all of which each rank may use.
std::vector<Identity> unbound(const std::vector<std::uint64_t>& machines) {
  std::vector<Identity> identities;
  for (const std::uint64_t machine : machines) identities.push_back({machine, 1, 8, 8});
  return identities;
}

Ranks alone(std::int32_t p) {
  Ranks nodes(static_cast<std::size_t>(p));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

TEST(CoreShares, NodesAreMachinesWhereEveryRankIsANodeOfItsOwn) {
  const CoreShares shares(unbound({70, 30, 70, 30, 30}), alone(5));
  EXPECT_EQ(shares.count(), 2);
  EXPECT_EQ(shares.members(0), Ranks({0, 2}));
  EXPECT_EQ(shares.members(1), Ranks({1, 3, 4}));
  EXPECT_EQ(shares.node(4), 1);
  EXPECT_EQ(shares.cores(0), 8);
  EXPECT_EQ(shares.cores(1), 8);
  EXPECT_EQ(shares.most_ranks(), 3);
}

TEST(CoreShares, PartsOfAMachineShareItsCores) {
  const CoreShares shares(unbound({5, 5, 5, 5}), {0, 0, 0, 1});
  EXPECT_EQ(shares.members(0), Ranks({0, 1, 2}));
  EXPECT_EQ(shares.cores(0), 6);
  EXPECT_EQ(shares.cores(1), 2);
  EXPECT_EQ(shares.least_cores(), 2);
  // However small a part is, its ranks run on something.
  EXPECT_EQ(CoreShares(unbound(std::vector<std::uint64_t>(40, 5)),
                       [] {
                         Ranks nodes(40, 0);
                         nodes[39] = 1;
                         return nodes;
                       }())
                .cores(1),
            1);
}

TEST(CoreShares, BoundRanksHaveTheirCoresTogether) {
  // Two ranks on the same two cores, and one on another.
  std::vector<Identity> identities{{9, 1, 2, 8}, {9, 1, 2, 8}, {9, 2, 1, 8}};
  EXPECT_EQ(CoreShares(identities, {0, 0, 0}).cores(0), 3);
  // No more than the machine has.
  for (Identity& identity : identities) identity.most_cores = 2;
  EXPECT_EQ(CoreShares(identities, {0, 0, 0}).cores(0), 2);
}

TEST(CoreShares, OfThisProcessItself) {
  const Identity identity = own_identity();
  EXPECT_EQ(identity.machine, own_identity().machine);
  EXPECT_GE(identity.cores, 1);
  EXPECT_GE(identity.most_cores, 1);
  const CoreShares shares({identity}, {0});
  EXPECT_EQ(shares.count(), 1);
  EXPECT_EQ(shares.cores(0), std::min(identity.cores, identity.most_cores));
}

}  // namespace
}  // namespace sortlast
