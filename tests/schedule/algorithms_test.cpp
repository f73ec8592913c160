// Every algorithm of the registry, at every p, is a complete schedule; and costs what is claimed for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "sanitized.hpp"
#include "sortlast/cost.hpp"
#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

// Every other place of the circle free: p places and p gaps.
std::string shift_with_gaps(std::int32_t p) {
  std::string name = "shift:";
  for (std::int32_t gap = 0; gap < p; ++gap) name += (gap > 0 ? "," : "") + std::to_string(2 * gap + 1);
  return name;
}

// Full names to try at p: every entry's default, and the variants that it has.
std::vector<std::string> names(std::int32_t p) {
  std::vector<std::string> result{"auto"};
  for (const AlgorithmEntry& entry : algorithms()) {
    result.push_back(entry.name);
    if (entry.name == "direct-send") result.emplace_back("direct-send:pairs");
    if (entry.name == "binary-swap")
      result.insert(result.end(), {"binary-swap:fold", "binary-swap:remainder"});
    if (entry.name == "multi-step")
      result.insert(result.end(), {"multi-step:2", "multi-step:2,2,2", "multi-step:3,4", "multi-step:16"});
    if (entry.name == "shift") result.insert(result.end(), {"shift:0", "shift:0,2-3", shift_with_gaps(p)});
    if (entry.name != "radix-k") continue;
    auto k = default_radices(p);
    do {
      std::string name = "radix-k:";
      for (const std::int64_t factor : k) name += std::to_string(factor) + ",";
      if (!k.empty()) result.push_back(name.substr(0, name.size() - 1));
    } while (std::next_permutation(k.begin(), k.end()));
    result.push_back("radix-k:" + std::to_string(p));
  }
  return result;
}

std::vector<std::int32_t> shuffled(std::int32_t p, std::mt19937& random) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(p));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::shuffle(ranks.begin(), ranks.end(), random);
  return ranks;
}

std::int64_t most_sent(const Schedule& schedule) {
  std::int64_t most = 0;
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    std::int64_t sent = 0;
    for (const Send& send : schedule.program(rank).sends) sent += send.pixels.size();
    most = std::max(most, sent);
  }
  return most;
}

std::size_t most_messages(const Schedule& schedule) {
  std::size_t most = 0;
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    most = std::max(most, schedule.program(rank).sends.size());
  }
  return most;
}

TEST(Algorithms, VerifyForEveryPAndN) {
  std::mt19937 random(1);
  for (std::int32_t p = 1; p <= 33; p = testing::next_number(p)) {
    for (const std::string& name : names(p)) {
      for (const std::int64_t n : {0, 1, p - 1, p, p + 1, 1000, 4096}) {
        for (const bool commutes : {false, true}) {
          SCOPED_TRACE(name + " p=" + std::to_string(p) + " n=" + std::to_string(n) +
                       (commutes ? " commutes" : ""));
          ASSERT_NO_THROW(make_schedule(name, {p, n, {}, {}, commutes}).verify());
          ASSERT_NO_THROW(
              make_schedule(name, {p, n, shuffled(p, random), shuffled(p, random), commutes}).verify());
        }
      }
    }
  }
}

// Stage s joins places that are s apart on the circle, free ones included.
TEST(Algorithms, ShiftLeavesPlacesFree) {
  const std::vector<std::int32_t> seat{0, 1, 3, 6};  // of the ring's ranks, with the places 2, 4 and 5 free
  const std::vector<std::int32_t> ring{2, 0, 3, 1};
  const Schedule schedule = make_schedule("shift:2,4-5", {4, 1000, {}, ring, false});
  EXPECT_EQ(schedule.stages(), 6);
  const auto seat_of = [&](std::int32_t rank) {
    return seat[static_cast<std::size_t>(std::find(ring.begin(), ring.end(), rank) - ring.begin())];
  };
  const auto transfers = schedule.transfers();
  EXPECT_EQ(transfers.size(), 12u);
  for (const Transfer& transfer : transfers) {
    EXPECT_EQ((seat_of(transfer.destination) - seat_of(transfer.source) + 7) % 7, transfer.stage);
  }
}

// An owner's merges in pairs: each image is in no more than log2(p), of neighbours in depth.
TEST(Algorithms, MergesInPairsAreABalancedTree) {
  std::mt19937 random(5);
  for (const std::int32_t p : {2, 3, 7, 8, 16, 33}) {
    const Schedule schedule = make_schedule("direct-send:pairs", {p, 1000, shuffled(p, random), {}, false});
    EXPECT_TRUE(schedule.incremental());
    const Program program = schedule.program(p / 2);
    ASSERT_EQ(program.merges.size(), static_cast<std::size_t>(p - 1));
    std::vector<int> above(program.values.size(), 0);  // merges between a value and the result
    for (auto merge = program.merges.rbegin(); merge != program.merges.rend(); ++merge) {
      ASSERT_EQ(merge->inputs.size(), 2u);
      for (const Merge::Input& input : merge->inputs)
        above[static_cast<std::size_t>(input.value)] = above[static_cast<std::size_t>(merge->value)] + 1;
    }
    EXPECT_EQ(*std::max_element(above.begin(), above.end()), static_cast<int>(std::ceil(std::log2(p))));
  }
  for (const AlgorithmEntry& entry : algorithms())
    EXPECT_FALSE(make_schedule(entry.name, {8, 1000, {}, {}, false}).incremental()) << entry.name;
}

TEST(Algorithms, VerifyForRandomLargeP) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 6; ++trial) {
    const std::int32_t p = std::uniform_int_distribution<std::int32_t>(34, 4096)(random);
    for (const AlgorithmEntry& entry : algorithms()) {
      // The algorithms with p - 1 messages a rank have p^2 transfers to compare; keep those to small p.
      const bool square =
          make_schedule(entry.name, {p, 1 << 22, {}, {}, false}).program(0).sends.size() > 256;
      const std::int32_t tried = square ? 34 + p % 467 : p;
      SCOPED_TRACE(entry.name + " p=" + std::to_string(tried));
      ASSERT_NO_THROW(
          make_schedule(entry.name, {tried, 1 << 22, shuffled(tried, random), shuffled(tried, random), false})
              .verify());
    }
  }
}

TEST(Algorithms, ProgramsAreLazy) {
  // A program at p = 10^6 needs only its own steps.
  const std::int32_t p = 1'000'000;
  const std::int64_t n = 8'388'608;
  EXPECT_EQ(make_schedule("radix-k:10,10,10,10,10,10", {p, n, {}, {}, false}).program(123'456).sends.size(),
            54u);
  EXPECT_LE(make_schedule("2-3-swap", {p, n, {}, {}, false}).program(999'999).sends.size(), 40u);
  EXPECT_LE(make_schedule("binary-swap", {p, n, {}, {}, false}).program(77).sends.size(), 40u);
  EXPECT_EQ(make_schedule("multi-step:1000", {p, n, {}, {}, false}).program(1000).receives.size(),
            10u + 511u + 10u);
  EXPECT_EQ(make_schedule("shift", {p, n, {}, {}, false}).program(5).sends.size(), 999'999u);
}

TEST(Algorithms, SwapsSendTheLowerBound) {
  for (std::int32_t p = 2; p <= 199; ++p) {
    const std::int64_t n = 1'000'000'007;
    const std::int64_t bound = n - n / p + 2;  // pieces differ by a pixel
    const Schedule swap = make_schedule("2-3-swap", {p, n, {}, {}, false});
    EXPECT_LE(most_sent(swap), bound) << "2-3-swap p=" << p;
    EXPECT_LE(static_cast<double>(most_messages(swap)), 2 * std::log2(p)) << "2-3-swap p=" << p;
    EXPECT_LE(most_sent(make_schedule("radix-k", {p, n, {}, {}, false})), bound) << "radix-k p=" << p;
  }
}

TEST(Algorithms, TextbookMessageCounts) {
  const auto count = [](const char* name, std::int32_t p) {
    return most_messages(make_schedule(name, {p, 1 << 20, {}, {}, false}));
  };
  EXPECT_EQ(count("binary-swap", 64), 6u);
  EXPECT_EQ(count("binary-swap:fold", 64), 6u);
  EXPECT_EQ(count("radix-k:8,8", 64), 14u);
  EXPECT_EQ(count("2-3-swap", 64), 6u);
  EXPECT_EQ(count("direct-send", 64), 63u);
  EXPECT_EQ(count("shift", 64), 63u);
  EXPECT_EQ(count("tree", 64), 1u);
}

// On 32 groups of 32: 5 messages of the swap, all others' pieces gathered on 32 ranks, and 5 messages again.
TEST(Algorithms, MultiStepEndsOnFewRanks) {
  const std::int64_t n = 1 << 20;
  const Schedule schedule = make_schedule("multi-step:32", {1024, n, {}, {}, false});
  EXPECT_EQ(schedule.stages(), 11);
  int owners = 0;
  for (std::int32_t rank = 0; rank < 1024; ++rank) {
    const bool leads = rank % 32 == 0;
    const Program program = schedule.program(rank);
    EXPECT_EQ(program.sends.size(), leads ? 10U : 6U);
    EXPECT_EQ(program.receives.size(), leads ? 5U + 31U + 5U : 5U);
    EXPECT_EQ(schedule.piece(rank).size(), leads ? n / 32 : 0);
    owners += schedule.piece(rank).empty() ? 0 : 1;
  }
  EXPECT_EQ(owners, 32);
  EXPECT_EQ(make_schedule("multi-step", {1024, n, {}, {}, false}).name(), "multi-step:32");
  EXPECT_EQ(make_schedule("multi-step:64,4", {1024, n, {}, {}, false}).stages(), 6 + 1 + 2 + 1 + 2);
}

// The published 2-3-4 decomposition: two ranks remain of every 2, 3 or 4 neighbours, and swap in pairs.
TEST(Algorithms, MultiStepDividesInTwoThreeAndFour) {
  for (std::int32_t p = 2; p <= 199; ++p) {
    const Schedule schedule = make_schedule("multi-step:" + std::to_string(p), {p, 1 << 20, {}, {}, false});
    std::int32_t power = 1;
    while (2 * power <= p) power *= 2;
    int owners = 0;
    for (std::int32_t rank = 0; rank < p; ++rank) {
      const Program program = schedule.program(rank);
      owners += program.result >= 0 ? 1 : 0;
      ASSERT_LE(std::count_if(program.receives.begin(), program.receives.end(),
                              [](const Receive& receive) { return receive.stage == 1; }),
                3)
          << "p=" << p;
      for (const Receive& receive : program.receives) {
        if (receive.stage == 1) continue;
        ASSERT_LE(program.merges.back().inputs.size(), 2U) << "p=" << p;
      }
    }
    EXPECT_EQ(owners, power) << "p=" << p;
  }
}

TEST(Algorithms, TwoThreeSwapMergesTwoOrThree) {
  for (std::int32_t p = 2; p <= 199; ++p) {
    const Schedule schedule = make_schedule("2-3-swap", {p, 1 << 20, {}, {}, false});
    for (std::int32_t rank = 0; rank < p; ++rank) {
      for (const Merge& merge : schedule.program(rank).merges)
        ASSERT_LE(merge.inputs.size(), 3u) << "p=" << p;
    }
  }
}

TEST(Algorithms, BinarySwapAndRadixTwoAreTheSame) {
  const Setting setting{16, 1600, {}, {}, false};
  EXPECT_EQ(make_schedule("binary-swap", setting).transfers(),
            make_schedule("radix-k:2,2,2,2", setting).transfers());
}

TEST(Algorithms, ShiftIsAPermutationInEveryStage) {
  std::mt19937 random(3);
  const std::int32_t p = 13;
  const auto ring = shuffled(p, random);
  for (const auto& order : {shuffled(p, random), shuffled(p, random)}) {
    const Schedule schedule = make_schedule("shift", {p, 1300, order, ring, false});
    EXPECT_EQ(schedule.stages(), p - 1);
    for (const Transfer& transfer : schedule.transfers()) {
      const auto place = [&ring](std::int32_t rank) {
        return std::find(ring.begin(), ring.end(), rank) - ring.begin();
      };
      EXPECT_EQ(place(transfer.destination), (place(transfer.source) + transfer.stage) % p);
    }
  }
}

TEST(Algorithms, PipelineMessagesCarryTwoRunsPastTheLastRank) {
  const std::int32_t p = 8;
  const auto messages = [](bool commutes) {
    return make_schedule("parallel-pipeline", {p, 800, {}, {}, commutes}).transfers().size();
  };
  EXPECT_EQ(messages(true), static_cast<std::size_t>(p * (p - 1)));
  // Piece j carries two runs from rank i = 0 on, up to its owner j: j of its p - 1 messages, but the first
  // run of piece p - 1 is empty.
  EXPECT_EQ(messages(false), static_cast<std::size_t>(p * (p - 1) + (p - 1) * (p - 2) / 2));
}

TEST(Algorithms, WrongNamesAndSettingsAreExplained) {
  const auto message = [](const char* name, Setting setting) -> std::string {
    try {
      make_schedule(name, std::move(setting));
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("binaryswap", {4, 1, {}, {}, false}).find("radix-k[:k1,k2,...]"), std::string::npos);
  EXPECT_NE(message("radix-k:4,4", {12, 1, {}, {}, false}).find("product is p = 12"), std::string::npos);
  EXPECT_NE(message("radix-k:4,x", {12, 1, {}, {}, false}), "");
  EXPECT_NE(message("radix-k:4,3,", {12, 1, {}, {}, false}), "");
  EXPECT_NE(message("radix-k:9223372036854775807,3", {12, 1, {}, {}, false}), "");
  EXPECT_NE(message("direct-send:3", {12, 1, {}, {}, false}), "");
  for (const char* const name :
       {"shift:", "shift:,", "shift:13", "shift:3,3", "shift:4-3", "shift:1,", "shift:-1", "shift:a"}) {
    EXPECT_NE(message(name, {12, 1, {}, {}, false}), "") << name;
  }
  EXPECT_NE(message("binary-swap:half", {12, 1, {}, {}, false}), "");
  for (const char* const name : {"multi-step:1", "multi-step:4,", "multi-step:x", "multi-step:4;4"})
    EXPECT_NE(message(name, {12, 1, {}, {}, false}).find("sizes of groups"), std::string::npos) << name;
  EXPECT_NE(message("shift", {0, 1, {}, {}, false}), "");
  EXPECT_NE(message("shift", {2, -1, {}, {}, false}), "");
  EXPECT_NE(message("shift", {3, 1, {0, 1}, {}, false}).find("order"), std::string::npos);
  EXPECT_NE(message("shift", {3, 1, {0, 1, 1}, {}, false}).find("twice"), std::string::npos);
  EXPECT_NE(message("shift", {3, 1, {}, {0, 1, 3}, false}).find("ring"), std::string::npos);
}

}  // namespace
}  // namespace sortlast
