// Schedules whose ranks start with several images at positions of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sortlast/cost.hpp"
#include "sortlast/error.hpp"
#include "sortlast/fabric/pattern.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/depth_layers.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast {
namespace {

using Positions = std::vector<std::vector<std::int64_t>>;

// Up to `most` images a rank, at random among each other, with gaps.
Positions random_positions(std::int32_t p, int most, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::size_t> owners;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(p); ++rank)
    owners.insert(owners.end(), random() % static_cast<unsigned>(most + 1), rank);
  std::shuffle(owners.begin(), owners.end(), random);
  Positions positions(static_cast<std::size_t>(p));
  std::int64_t position = -7;
  for (const std::size_t owner : owners)
    positions[owner].push_back(position += 1 + static_cast<std::int64_t>(random() % 3));
  return positions;
}

Setting setting_of(std::int32_t p, std::int64_t n, Positions positions) {
  return {p, n, {}, {}, true, {}, std::move(positions)};
}

// Runs of neighbours that some ranks hold together, counted one by one.
std::int64_t runs(const Positions& positions, const std::vector<bool>& inside) {
  std::map<std::int64_t, std::size_t> images;
  for (std::size_t rank = 0; rank < positions.size(); ++rank)
    for (const std::int64_t position : positions[rank]) images[position] = rank;
  std::int64_t count = 0;
  bool before = false;
  for (const auto& [position, rank] : images) {
    if (inside[rank] && !before) ++count;
    before = inside[rank];
  }
  return count;
}

TEST(Positions, EveryAlgorithmPassesVerification) {
  for (const AlgorithmEntry& algorithm : algorithms())
    for (std::int32_t p = 1; p <= 16; ++p)
      for (const int most : {0, 1, 5}) {
        const auto seed = static_cast<std::uint32_t>(p);
        EXPECT_NO_THROW(
            make_schedule(algorithm.name, setting_of(p, 300, random_positions(p, most, seed))).verify());
      }
}

// Layers of all transfers, with the ranks that each fragment holds found by following it.
TEST(Positions, TransfersHaveALayerForEachRunOfNeighbours) {
  for (const std::string name : {"direct-send", "radix-k", "2-3-swap", "parallel-pipeline"}) {
    const std::int32_t p = 6;
    const Positions positions = random_positions(p, 6, 3);
    const Schedule schedule = make_schedule(name, setting_of(p, 60, positions));
    std::map<std::int64_t, std::size_t> rank_at;
    for (std::int32_t rank = 0; rank < p; ++rank)
      rank_at[schedule.program(rank).values.front().depth.begin] = static_cast<std::size_t>(rank);
    for (const Transfer& transfer : schedule.transfers()) {
      std::vector<bool> inside(static_cast<std::size_t>(p), false);
      const Range depth = transfer.fragment.depth;
      for (std::int64_t place = depth.begin; place < depth.end; ++place) inside[rank_at.at(place % p)] = true;
      EXPECT_EQ(transfer.layers, runs(positions, inside)) << name;
    }
  }
}

TEST(Positions, OneImageARankIsWhatItWas) {
  const std::int32_t p = 8;
  Positions positions;
  for (std::int64_t rank = 0; rank < p; ++rank) positions.push_back({rank});
  for (const AlgorithmEntry& algorithm : algorithms()) {
    Setting without = setting_of(p, 4000, {});
    const Schedule plain = make_schedule(algorithm.name, without);
    const Schedule with = make_schedule(algorithm.name, setting_of(p, 4000, positions));
    const DepthLayers layers(with);
    EXPECT_EQ(layers.of({0, 1}), (DepthLayers::Count{1, 1}));
    EXPECT_EQ(layers.of({3, 3 + p}), (DepthLayers::Count{p, 1}));
    // Where fragments are of neighbours round the circle, two layers at most: those at both ends.
    for (const Transfer& transfer : with.transfers()) EXPECT_LE(transfer.layers, 2);
    if (algorithm.name == "shift" || algorithm.name == "direct-send") {
      EXPECT_EQ(price(plain, {}).total, price(with, {}).total);
      EXPECT_EQ(predict(plain, {}, {}).total(), predict(with, {}, {}).total());
    }
  }
}

// Two ranks whose images alternate send each layer by itself.
TEST(Positions, CostsAndBytesCountLayers) {
  const std::int64_t n = 1000;
  const Schedule alternating = make_schedule("direct-send", setting_of(2, n, {{0, 2, 4, 6}, {1, 3, 5, 7}}));
  const Schedule apart = make_schedule("direct-send", setting_of(2, n, {{0, 1, 2, 3}, {4, 5, 6, 7}}));
  const CostModel transfer_only{0, 1, 0};
  EXPECT_EQ(price(alternating, transfer_only).wait, 4 * n / 2);
  EXPECT_EQ(price(apart, transfer_only).wait, n / 2);
  const CostModel blending_only{0, 0, 1};
  EXPECT_EQ(price(alternating, blending_only).blend, 7 * n / 2);
  EXPECT_EQ(price(apart, blending_only).blend, n / 2);
  EXPECT_GT(predict(alternating, {}, {}).total(), predict(apart, {}, {}).total());

  EXPECT_EQ(simulate::schedule_traffic(alternating, 16).size, (std::vector<std::int64_t>{32000, 32000}));
  EXPECT_EQ(simulate::schedule_traffic(apart, 16).size, (std::vector<std::int64_t>{8000, 8000}));
  const auto bytes = [](const Schedule& schedule) {
    return fabric::schedule_pattern(schedule, 16)->flows(0).front().bytes;
  };
  EXPECT_EQ(bytes(alternating), 4 * 8000);
  EXPECT_EQ(bytes(apart), 8000);
  // A rank without an image has nothing to send.
  EXPECT_EQ(fabric::schedule_pattern(make_schedule("direct-send", setting_of(2, n, {{5}, {}})), 16)
                ->flows(0)
                .size(),
            1U);
}

TEST(Positions, ManyRanksArePricedByTheirMeanLayers) {
  const std::int32_t p = 300;
  const Workload workload;
  Positions dealt(static_cast<std::size_t>(p));
  for (std::int64_t i = 0; i < std::int64_t{4} * p; ++i) dealt[static_cast<std::size_t>(i % p)].push_back(i);
  const auto transfer = [&](Positions positions) {
    return predict(make_schedule("direct-send", setting_of(p, 1 << 20, std::move(positions))), workload,
                   {0, 1e-9})
        .transfer;
  };
  EXPECT_NEAR(transfer(dealt), 4 * transfer({}), 1e-9 * transfer(dealt));
}

TEST(Positions, WrongOnesAreRefused) {
  const auto refusal = [](const Setting& setting) {
    try {
      check_setting(setting);
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const auto expect = [&](const Setting& setting, const std::string& part) {
    EXPECT_NE(refusal(setting).find(part), std::string::npos) << refusal(setting);
  };
  EXPECT_EQ(refusal(setting_of(2, 9, {{-5, 3}, {}})), "none");
  expect(setting_of(3, 9, {{1}, {2}}), "positions has 2 lists; expected one for each of 3 ranks");
  expect(setting_of(2, 9, {{1, 4}, {4}}), "position 4 is given on rank 0 and rank 1");
  expect(setting_of(2, 9, {{1, 4, 4}, {}}), "position 4 is given twice on rank 0");
  Setting ordered = setting_of(2, 9, {{1}, {2}});
  ordered.commutes = false;
  expect(ordered, "commutes = true");
  ordered.commutes = true;
  ordered.order = {1, 0};
  expect(ordered, "both an order of the ranks and positions");
}

}  // namespace
}  // namespace sortlast
