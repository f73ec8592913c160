// Intervals of depth: what is known of them by formulas, and by cutting them up.
#include "sortlast/content/fragments/interval_blend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace sortlast {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct Fragment {
  Colour colour;
  float front;
  float back;
};

Colour blend(std::vector<Fragment> fragments) {
  std::stable_sort(fragments.begin(), fragments.end(), [](const Fragment& a, const Fragment& b) {
    return depth_key(a.front) < depth_key(b.front);
  });
  IntervalBlend blend;
  for (const Fragment& each : fragments) blend.add(each.colour, each.front, each.back);
  return blend.colour();
}

void expect_near(const Colour& found, const Colour& expected, float tolerance = 1e-6F) {
  for (int channel = 0; channel < 4; ++channel)
    EXPECT_NEAR(found[channel], expected[channel], tolerance) << "channel " << channel;
}

std::vector<Fragment> random_fragments(std::uint32_t seed, int count) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> share(0, 1);
  std::vector<Fragment> made;
  for (int i = 0; i < count; ++i) {
    const float alpha = random() % 8 == 0 ? 0 : share(random) * 0.99F;
    Colour colour = {share(random), share(random), share(random), 1};
    colour *= std::max(alpha, 0.1F);
    colour[3] = alpha;
    const auto front = static_cast<float>(random() % 6);
    made.push_back({colour, front, front + static_cast<float>(random() % 4)});
  }
  return made;
}

TEST(IntervalBlend, ApartItIsOver) {
  const Colour red = {0.5F, 0, 0, 0.5F};
  const Colour blue = {0, 0, 0.25F, 0.25F};
  expect_near(blend({{blue, 3, 4}, {red, 1, 3}}), blend_over(red, blue));
  expect_near(blend({{blue, 3, 3}, {red, 1, 1}}), blend_over(red, blue));
  expect_near(blend({{red, -infinity, -infinity}, {blue, infinity, infinity}}), blend_over(red, blue));
  expect_near(blend({}), Colour{});
}

// What overlaps whole is one medium of both: transmissions multiply, and equal parts share what comes out.
TEST(IntervalBlend, TogetherTheirOpticalDepthsAddUp) {
  const Colour red = {0.5F, 0, 0, 0.5F};
  const Colour blue = {0, 0, 0.5F, 0.5F};
  expect_near(blend({{red, 1, 2}, {blue, 1, 2}}), Colour{0.375F, 0, 0.375F, 0.75F});
  // A medium of optical depths a and b that each emit their share: c a / (a + b) (1 - exp(-a - b)).
  const float a = 0.3F;
  const float b = 1.1F;
  const float alpha = 1 - std::exp(-a - b);
  const Colour thin = Colour{1, 0, 0, 1} * (1 - std::exp(-a));
  const Colour thick = Colour{0, 1, 0, 1} * (1 - std::exp(-b));
  expect_near(blend({{thin, 0, 7}, {thick, 0, 7}}),
              Colour{a / (a + b) * alpha, b / (a + b) * alpha, 0, alpha});
}

TEST(IntervalBlend, ASheetDividesWhatItLiesIn) {
  const Colour medium = {0.75F, 0, 0, 0.75F};  // of which half has alpha 1/2
  const Colour half = {0.5F, 0, 0, 0.5F};
  const Colour sheet = {0, 0.5F, 0, 0.5F};
  expect_near(blend({{medium, 0, 2}, {sheet, 1, 1}}), blend_over(half, blend_over(sheet, half)));
  expect_near(blend({{medium, 0, 2}, {sheet, 0, 0}}), blend_over(sheet, medium));
  expect_near(blend({{medium, 0, 2}, {sheet, 2, 2}}), blend_over(medium, sheet));
}

TEST(IntervalBlend, WhatIsOpaqueHidesWhatIsMixedWithIt) {
  const Colour solid = {1, 0, 0, 1};
  const Colour other = {0, 1, 0, 1};
  const Colour mist = {0, 0, 0.75F, 0.75F};
  expect_near(blend({{mist, 0, 2}, {solid, 1, 5}}), blend_over(Colour{0, 0, 0.5F, 0.5F}, solid));
  expect_near(blend({{solid, 1, 5}, {other, 1, 2}, {mist, 1, 3}}), Colour{0.5F, 0.5F, 0, 1});
  expect_near(blend({{solid, 1, 5}, {mist, 5, 6}}), solid);
}

// Light without opacity adds up, dimmed by what lies in front.
TEST(IntervalBlend, WhatHasNoAlphaEmits) {
  const Colour glow = {0.4F, 0.2F, 0, 0};
  const Colour mist = {0, 0, 0.5F, 0.5F};
  expect_near(blend({{glow, 0, 1}, {glow, 0, 1}}), glow + glow);
  expect_near(blend({{mist, 0, 1}, {glow, 1, 2}}), mist + 0.5F * glow);
}

// The colour of a pixel does not change if a medium is given in pieces.
TEST(IntervalBlend, PiecesAreTheWhole) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::vector<Fragment> whole = random_fragments(seed, static_cast<int>(seed % 12));
    std::vector<Fragment> pieces;
    for (const Fragment& each : whole) {
      if (each.front == each.back) {
        pieces.push_back(each);
        continue;
      }
      const float cut = each.front + 0.3F * (each.back - each.front);
      for (const auto& [front, back] : {std::pair(each.front, cut), std::pair(cut, each.back)}) {
        const float part = (back - front) / (each.back - each.front);
        const float alpha = -std::expm1(part * std::log1p(-each.colour[3]));
        Colour colour = each.colour * (each.colour[3] > 0 ? alpha / each.colour[3] : part);
        colour[3] = alpha;
        pieces.push_back({colour, front, back});
      }
    }
    expect_near(blend(pieces), blend(whole), 3e-6F);
  }
}

// Thin sheets in the place of every medium come to the same, the better the thinner.
TEST(IntervalBlend, ManySheetsComeNearIt) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const std::vector<Fragment> whole = random_fragments(seed, 6);
    constexpr int sheets = 4000;  // of a unit of depth
    std::vector<Fragment> thin;
    for (const Fragment& each : whole) {
      const int some = static_cast<int>(each.back - each.front) * sheets;
      if (some == 0) thin.push_back(each);
      for (int i = 0; i < some; ++i) {
        const double alpha = -std::expm1(std::log1p(-double{each.colour[3]}) / some);
        const auto share =
            static_cast<float>(each.colour[3] > 0 ? alpha / double{each.colour[3]} : 1.0 / some);
        Colour colour = each.colour * share;
        colour[3] = static_cast<float>(alpha);
        const float depth = each.front + (static_cast<float>(i) + 0.5F) / sheets;
        thin.push_back({colour, depth, depth});
      }
    }
    expect_near(blend(thin), blend(whole), 1e-3F);
  }
}

}  // namespace
}  // namespace sortlast
