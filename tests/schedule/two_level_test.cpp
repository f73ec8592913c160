// Two-level schedules: complete for every inner algorithm, node list and depth order; and what they send.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "node_lists.hpp"
#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/nodes.hpp"

namespace sortlast {
namespace {

using sortlast::testing::block_nodes;
using sortlast::testing::cyclic_nodes;
using sortlast::testing::node_lists;
using sortlast::testing::NodeList;
using sortlast::testing::random_nodes;

std::vector<std::int32_t> shuffled(std::int32_t p, std::mt19937& random) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(p));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::shuffle(ranks.begin(), ranks.end(), random);
  return ranks;
}

std::vector<std::string> inner_names() {
  std::vector<std::string> names{"binary-swap:fold"};
  for (const AlgorithmEntry& entry : algorithms()) {
    if (entry.name != "two-level") names.push_back(entry.name);
  }
  return names;
}

// Pixels that a rank sends to other nodes.
std::int64_t sent_between_nodes(const Schedule& schedule, std::int32_t rank) {
  const auto node = [&schedule](std::int32_t r) {
    return schedule.setting().nodes[static_cast<std::size_t>(r)];
  };
  std::int64_t sent = 0;
  for (const Send& send : schedule.program(rank).sends) {
    if (node(send.peer) != node(rank)) sent += send.pixels.size();
  }
  return sent;
}

TEST(TwoLevel, VerifiesForEveryInnerAlgorithmAndNodeList) {
  std::mt19937 random(21);
  for (std::int32_t p = 1; p <= 20; ++p) {
    for (const auto& [kind, nodes] : node_lists(p, random)) {
      for (const std::string& inner : inner_names()) {
        const std::string name = "two-level:" + inner;
        for (const std::int64_t n : {0, 1, p, 1000}) {
          for (const bool commutes : {false, true}) {
            SCOPED_TRACE(::testing::Message() << name << " p=" << p << " n=" << n << " nodes: " << kind
                                              << (commutes ? " commutes" : ""));
            ASSERT_NO_THROW(make_schedule(name, {p, n, {}, {}, commutes, nodes}).verify());
            ASSERT_NO_THROW(
                make_schedule(name, {p, n, shuffled(p, random), shuffled(p, random), commutes, nodes})
                    .verify());
          }
        }
      }
    }
  }
}

TEST(TwoLevel, VerifiesForManyRanks) {
  std::mt19937 random(22);
  for (const std::string& name : inner_names()) {
    const std::int32_t p = std::uniform_int_distribution(100, 300)(random);
    const std::int32_t m = std::uniform_int_distribution(2, p / 2)(random);
    SCOPED_TRACE(name + " p=" + std::to_string(p) + " m=" + std::to_string(m));
    const NodeList nodes = random_nodes(p, m, random);
    ASSERT_NO_THROW(make_schedule("two-level:" + name,
                                  {p, 1 << 20, shuffled(p, random), shuffled(p, random), false, nodes})
                        .verify());
  }
}

TEST(TwoLevel, NodesOfOneRankAreTheInnerSchedule) {
  std::mt19937 random(23);
  const std::int32_t p = 12;
  for (const bool commutes : {false, true}) {
    for (const std::string& name : inner_names()) {
      SCOPED_TRACE(name);
      Setting setting{p, 1200, shuffled(p, random), shuffled(p, random), commutes};
      const auto plain = make_schedule(name, setting).transfers();
      EXPECT_EQ(make_schedule("two-level:" + name, setting).transfers(), plain);
      setting.nodes = shuffled(p, random);
      EXPECT_EQ(make_schedule("two-level:" + name, setting).transfers(), plain);
    }
  }
}

TEST(TwoLevel, OneNodeHasOneStageOfOwnImages) {
  const std::int32_t p = 7;
  const Schedule schedule = make_schedule("two-level", {p, 700, {}, {}, false, NodeList(7, 0)});
  EXPECT_EQ(schedule.stages(), 1);
  for (std::int32_t rank = 0; rank < p; ++rank) {
    const Program program = schedule.program(rank);
    EXPECT_EQ(program.sends.size(), 6u);
    for (const Send& send : program.sends) EXPECT_EQ(send.value, 0);
    ASSERT_EQ(program.merges.size(), 1u);  // one pass over memory
    EXPECT_EQ(program.merges[0].inputs.size(), 7u);
  }
}

TEST(TwoLevel, NodesThatAreNeighboursInDepthSendOneShareOfTheirRanks) {
  // L ranks a node and direct-send between m nodes: (m-1)/m n/L pixels a rank.
  for (const std::int32_t m : {2, 3, 4, 8}) {
    for (const std::int32_t ranks : {1, 2, 4, 6}) {
      const std::int32_t p = m * ranks;
      const std::int64_t n = std::int64_t{1000} * p;
      const Schedule schedule = make_schedule("two-level", {p, n, {}, {}, false, block_nodes(p, ranks)});
      for (std::int32_t rank = 0; rank < p; ++rank) {
        EXPECT_EQ(sent_between_nodes(schedule, rank), (m - 1) * n / m / ranks) << "m=" << m << " L=" << ranks;
      }
    }
  }
}

TEST(TwoLevel, EveryDepthRunOfANodeCrossesTheNetwork) {
  // Ranks dealt in turn: no two of a node are neighbours, unless the operator commutes.
  const std::int32_t p = 12;
  const std::int32_t m = 4;
  const std::int64_t n = 12000;
  Setting setting{p, n, {}, {}, false, cyclic_nodes(p, m)};
  EXPECT_EQ(depth_runs(setting), (std::vector<std::int32_t>{3, 3, 3, 3}));
  EXPECT_EQ(sent_between_nodes(make_schedule("two-level", setting), 0), (m - 1) * n / m);  // 3 times n / 3
  setting.commutes = true;
  EXPECT_EQ(depth_runs(setting), (std::vector<std::int32_t>{1, 1, 1, 1}));
  EXPECT_EQ(sent_between_nodes(make_schedule("two-level", setting), 0), (m - 1) * n / m / 3);
  setting.commutes = false;
  setting.order = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 11, 7};
  EXPECT_EQ(depth_runs(setting), (std::vector<std::int32_t>{1, 1, 1, 1}));
  setting.order = {0, 4, 1, 8, 5, 9, 2, 6, 10, 3, 11, 7};
  EXPECT_EQ(depth_runs(setting), (std::vector<std::int32_t>{2, 2, 1, 1}));
}

TEST(TwoLevel, MatesOfTheSmallestNodesNumberShareTheNetwork) {
  // Nodes of 4 and 2 ranks: two columns, and ranks 2 and 3 of the larger node only send to their mates.
  const Schedule schedule = make_schedule("two-level", {6, 600, {}, {}, false, {0, 0, 0, 0, 1, 1}});
  for (const std::int32_t rank : {2, 3}) {
    EXPECT_TRUE(schedule.piece(rank).empty());
    EXPECT_EQ(sent_between_nodes(schedule, rank), 0);
  }
  for (const std::int32_t rank : {0, 1, 4, 5}) EXPECT_EQ(sent_between_nodes(schedule, rank), 150);
}

TEST(TwoLevel, ProgramsAreLazy) {
  const std::int32_t p = 1'000'000;
  const std::int64_t n = 8'388'608;
  const NodeList nodes = block_nodes(p, 8);
  const auto sends = [&](const char* name) {
    return make_schedule(name, {p, n, {}, {}, false, nodes}).program(123'456).sends.size();
  };
  EXPECT_EQ(sends("two-level:radix-k:5,5,5,10,10,10"), 7u + 12u + 27u);
  EXPECT_LE(sends("two-level:2-3-swap"), 7u + 34u);
  EXPECT_EQ(sends("two-level:shift"), 7u + 124'999u);
}

TEST(TwoLevel, NamesAreCompleted) {
  const Setting setting{8, 800, {}, {}, false, block_nodes(8, 2)};
  EXPECT_EQ(make_schedule("two-level", setting).name(), "two-level:direct-send");
  EXPECT_EQ(make_schedule("two-level:radix-k", setting).name(), "two-level:radix-k:4");
  EXPECT_EQ(make_schedule("two-level:radix-k:2,2", setting).name(), "two-level:radix-k:2,2");
}

TEST(TwoLevel, WrongNamesAndNodesAreExplained) {
  const auto message = [](const char* name, NodeList nodes) -> std::string {
    try {
      make_schedule(name, {4, 400, {}, {}, false, std::move(nodes)});
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("two-level:two-level", {0, 0, 1, 1}).find("any other"), std::string::npos);
  EXPECT_NE(message("two-level:auto", {0, 0, 1, 1}).find("any other"), std::string::npos);
  EXPECT_NE(message("two-level:star-trek", {0, 0, 1, 1}).find("not known"), std::string::npos);
  EXPECT_NE(message("two-level:radix-k:4", {0, 0, 1, 1}).find("p = 2"), std::string::npos);
  EXPECT_NE(message("shift", {0, 0, 1}).find("3 ranks"), std::string::npos);
  EXPECT_NE(message("shift", {0, 0, 1, -1}).find("node -1"), std::string::npos);
  EXPECT_NE(message("shift", {0, 0, 1, 4}).find("node 4"), std::string::npos);
  EXPECT_NE(message("shift", {0, 0, 3, 3}).find("no rank on node 1"), std::string::npos);
}

}  // namespace
}  // namespace sortlast
