// Message tags: those of a pair are told apart, both ends agree, and other arguments have others.
#include "sortlast/execute/plan/message_tags.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace sortlast {
namespace {

struct Step {
  std::int32_t peer = 0;
};

TEST(MessageTags, TellTheTransfersOfAPairApart) {
  std::mt19937_64 random(17);
  for (const std::int32_t limit : {100, 32767, 536870911}) {
    for (int round = 0; round < 100; ++round) {
      std::vector<Step> steps;
      for (auto i = random() % 200; i-- > 0;) steps.push_back({static_cast<std::int32_t>(random() % 4)});
      const MessageTags tags(steps, limit);
      const std::uint64_t hash = random();
      std::vector<std::set<int>> of_peer(4);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const int tag = tags.tag(i, steps[i].peer, hash);
        EXPECT_GE(tag, 0);
        EXPECT_LE(tag, limit);
        of_peer[static_cast<std::size_t>(steps[i].peer)].insert(tag);
        EXPECT_EQ(tags.tag(i, steps[i].peer, 0),
                  static_cast<int>(of_peer[static_cast<std::size_t>(steps[i].peer)].size()) - 1);
      }
    }
  }
}

// The other end of a pair has other transfers beside those with this one.
TEST(MessageTags, AreThoseOfTheOtherEnd) {
  const std::vector<Step> of_one{{1}, {2}, {1}, {3}, {1}};
  const std::vector<Step> of_other{{0}, {5}, {5}, {0}, {0}};
  const MessageTags one(of_one, 32767);
  const MessageTags other(of_other, 32767);
  for (const std::uint64_t hash : {std::uint64_t{0}, std::uint64_t{12345678901}, ~std::uint64_t{0}}) {
    EXPECT_EQ(one.tag(0, 1, hash), other.tag(0, 0, hash));
    EXPECT_EQ(one.tag(2, 1, hash), other.tag(3, 0, hash));
    EXPECT_EQ(one.tag(4, 1, hash), other.tag(4, 0, hash));
  }
}

TEST(MessageTags, ComeRoundAgain) {
  const std::vector<Step> steps(250);
  const MessageTags tags(steps, 99);
  for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(tags.tag(i, 0, i), static_cast<int>(i % 100));
}

// Frames of two schedules, with as many transfers as schedules have between two ranks.
TEST(MessageTags, DependOnTheArguments) {
  std::mt19937_64 random(18);
  constexpr int pairs = 100000;
  int same = 0;
  for (int i = 0; i < pairs; ++i) {
    const std::vector<Step> few(1 + random() % 4);
    const std::vector<Step> more(1 + random() % 16);
    const MessageTags one(few, 536870911);
    const MessageTags other(more, 536870911);
    if (one.tag(0, 0, random()) == other.tag(more.size() - 1, 0, random())) ++same;
  }
  EXPECT_LE(same, 2);
}

}  // namespace
}  // namespace sortlast
