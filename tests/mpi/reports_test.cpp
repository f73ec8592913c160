// Reports: how what ranks say of themselves spreads, and what that costs with very many of them.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "mpi/ranks.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/mpi/rendezvous.hpp"

namespace sortlast {
namespace {

using testing::expect_contains;

// Of rank 0 alone, for which the others wait.
class ReportsTest : public ::testing::Test {
  void TearDown() override { MPI_Barrier(MPI_COMM_WORLD); }
};

// Ranks without MPI: in each round every rank that has come takes what was sent to it and passes it on.
struct Spread {
  std::vector<Reports> ranks;
  std::int64_t messages = 0;
  int rounds = 0;
};

Spread spread(int p, int first, const std::vector<bool>& silent) {
  Spread all{std::vector<Reports>(static_cast<std::size_t>(p), Reports(p))};
  std::vector<bool> heard(static_cast<std::size_t>(p));
  std::vector<std::vector<ReportMessage>> inbox(static_cast<std::size_t>(p));
  const auto hear = [&](std::size_t rank) {
    if (!heard[rank]) all.ranks[rank].add(make_report(static_cast<int>(rank), false, "all ranks"));
    heard[rank] = true;
  };
  hear(static_cast<std::size_t>(first));
  for (bool moving = true; moving; ++all.rounds) {
    moving = false;
    auto arrived = std::exchange(inbox, std::vector<std::vector<ReportMessage>>(static_cast<std::size_t>(p)));
    for (std::size_t rank = 0; rank < arrived.size(); ++rank) {
      if (silent[rank]) continue;
      for (const ReportMessage& message : arrived[rank]) {
        hear(rank);
        all.ranks[rank].merge(message);
      }
      if (!heard[rank]) continue;
      const std::vector<ReportMessage> changes = all.ranks[rank].changes();
      for (const int next : next_ranks(static_cast<int>(rank), p)) {
        auto& box = inbox[static_cast<std::size_t>(next)];
        box.insert(box.end(), changes.begin(), changes.end());
        all.messages += static_cast<std::int64_t>(changes.size());
        moving = moving || !changes.empty();
      }
    }
  }
  return all;
}

TEST_F(ReportsTest, ReachAllThatListen) {
  if (testing::world_rank() != 0) GTEST_SKIP() << "rank 0 does it";
  std::mt19937 random(5);
  for (int p = 2; p <= 200; p += 1 + p / 7) {
    for (const int silent_ranks : {0, 1, p / 3}) {
      std::vector<bool> silent(static_cast<std::size_t>(p));
      for (int i = 0; i < silent_ranks; ++i) silent[1 + random() % static_cast<unsigned>(p - 1)] = true;
      const Spread all = spread(p, 0, silent);
      // What rank 0 knows is true, and with few silent ranks it is all.
      for (int rank = 0; rank < p; ++rank) {
        if (silent[static_cast<std::size_t>(rank)]) {
          EXPECT_FALSE(all.ranks[0].has_come(rank));
        }
        if (silent_ranks == 0) {
          EXPECT_TRUE(all.ranks[static_cast<std::size_t>(rank)].complete()) << p;
        }
      }
    }
  }
}

TEST_F(ReportsTest, CostGrowsMuchSlowerThanPSquared) {
  if (testing::world_rank() != 0) GTEST_SKIP() << "rank 0 does it";
  for (const int p : {100, 1000}) {
    std::vector<bool> silent(static_cast<std::size_t>(p));
    silent[static_cast<std::size_t>(p) / 2] = true;
    const Spread all = spread(p, 0, silent);
    const double log2p = std::ceil(std::log2(p));
    // Each rank tells log2(p) others what is new in each of about 2 log2(p) rounds, and the first few
    // reports.
    EXPECT_LE(all.rounds, 2 * log2p + 3);
    EXPECT_LT(static_cast<double>(all.messages), p * log2p * (2 * log2p + 8))
        << "p^2 are " << static_cast<double>(p) * p;
    const std::string text = all.ranks[0].text();
    expect_contains(text, "rank " + std::to_string(p / 2) + " has not arrived; rank 0 waits for all ranks");
    expect_contains(text, "and " + std::to_string(p - 1 - 8) + " more ranks wait");
    ::testing::Test::RecordProperty("messages_" + std::to_string(p), std::to_string(all.messages));
  }
}

TEST_F(ReportsTest, OfAHundredThousandRanksAreFewBytes) {
  if (testing::world_rank() != 0) GTEST_SKIP() << "rank 0 does it";
  constexpr int p = 100000;
  Reports all(p);
  for (int rank = 0; rank < p; ++rank) {
    if (rank % 1000 != 7) all.add(make_report(rank, false, "a tile"));
  }
  const std::vector<ReportMessage> messages = all.changes();
  EXPECT_LE(messages.size() * sizeof(ReportMessage), 25U * 1024U);
  EXPECT_LE(sizeof(ReportMessage), 1024U);
  Reports other(p);
  for (const ReportMessage& message : messages) other.merge(message);
  EXPECT_EQ(other.text(), all.text());
  expect_contains(other.text(),
                  "ranks 7, 1007, 2007, 3007, 4007, 5007, 6007, 7007 and 92 more have not arrived");
  EXPECT_TRUE(all.changes().empty());
}

TEST_F(ReportsTest, NameTheLowestFailure) {
  if (testing::world_rank() != 0) GTEST_SKIP() << "rank 0 does it";
  Reports all(10);
  all.add(make_report(7, true, "out of memory"));
  all.add(make_report(3, true, "an error of MPI"));
  all.add(make_report(5, true, "a signal"));
  ASSERT_TRUE(all.failure());
  EXPECT_EQ(all.failure()->rank, 3);
  EXPECT_STREQ(all.failure()->text.data(), "an error of MPI");

  // Only that one is passed on.
  const std::vector<ReportMessage> messages = all.changes();
  ASSERT_EQ(messages.size(), 1);
  EXPECT_EQ(messages[0].report.rank, 3);
  EXPECT_STREQ(messages[0].report.text.data(), "an error of MPI");
}

TEST_F(ReportsTest, DifferencesOfAHundredThousandRanks) {
  if (testing::world_rank() != 0) GTEST_SKIP() << "rank 0 does it";
  std::vector<Group> groups{{"call=composite\nsize=4x4\nop=over\n", {}},
                            {"call=composite\nsize=8x4\nop=over\n", {}}};
  std::vector<int> others;
  for (int rank = 0; rank < 100000; ++rank) {
    (rank == 99999 ? others : groups[rank == 500 ? 1 : 0].ranks).push_back(rank);
  }
  EXPECT_EQ(describe_difference(groups, others),
            "ranks disagree: size: 4x4 on ranks 0-499, 501-99998; 8x4 on rank 500; and others on rank 99999");
}

}  // namespace
}  // namespace sortlast
