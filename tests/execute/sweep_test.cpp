// A sweep: trees of operands make the same bits as their merges one by one, in whole images.
#include "sortlast/execute/run/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "scene.hpp"
#include "sortlast/execute/run/run.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {
namespace {

// A tree of random shape over the images of a scene, told to a sweep, and made merge by merge beside that.
class RandomTree {
 public:
  // `made`: what values are stored as.
  RandomTree(const testing::Scene& scene, Op op, const Format& made, std::mt19937& random)
      : scene_(scene), op_(op), made_(made), random_(random) {}

  // Tell a sweep the operands before the last merge. Returns the same, as links.
  std::vector<Link> tell(Sweep& sweep) {
    sweep.begin();
    return operands(sweep, 0);
  }

  // Most values that are made and not yet used, whatever the shape.
  static constexpr std::size_t most = 12;

 private:
  static constexpr int deepest = 3;
  static constexpr std::size_t most_operands = 4;

  std::vector<Link> operands(Sweep& sweep, int depth) {
    std::vector<Link> links;
    const std::size_t count = 1 + random_() % most_operands;
    for (std::size_t i = 0; i < count; ++i) {
      const Side side = random_() % 2 == 0 ? Side::front : Side::back;
      if (depth < deepest && random_() % 2 == 0) {
        links.push_back(join(sweep, side, depth));
      } else {
        links.push_back(image(side));
        sweep.add(links.back());
      }
    }
    return links;
  }

  Link join(Sweep& sweep, Side side, int depth) {
    const std::vector<Link> links = operands(sweep, depth + 1);
    sweep.join(links.size(), side);
    const std::int64_t n = scene_.size().pixels();
    const PixelBuffer& to = values_.emplace_back(take_pixels(pool_, made_, n));
    blend(op_, made_.channels, made_.depth, links, to.view(), made_.scalar, n);
    return {to.view(), made_.scalar, side};
  }

  // A dense one, or a sparse one of every other run of pixels.
  Link image(Side side) {
    const ConstPixels pixels = scene_.views()[random_() % scene_.views().size()];
    if (random_() % 2 == 0) return {pixels, scene_.format().scalar, side};
    std::vector<ActiveRun>& runs = runs_.emplace_back();
    const auto end = static_cast<std::uint32_t>(scene_.size().pixels());
    for (std::uint32_t at = 0; at < end; at += 700) runs.push_back({at, std::min(end - at, 350U), at});
    return {pixels, scene_.format().scalar, side, true, runs, 0};
  }

  const testing::Scene& scene_;
  Op op_;
  Format made_;
  std::mt19937& random_;
  Pool pool_;
  std::deque<PixelBuffer> values_;
  std::deque<std::vector<ActiveRun>> runs_;
};

TEST(Sweep, MakesTheBitsOfMergesOneByOne) {
  std::mt19937 random(411);
  for (const int threads : {1, 3}) {
    Team team(threads);
    for (const testing::Case& c : testing::cases()) {
      SCOPED_TRACE(std::string(op_name(c.op)) + ", " + std::to_string(threads) + " threads");
      const testing::Scene scene(5, c.format, {97, threads == 1 ? 41 : 131}, random, false);
      const std::int64_t n = scene.size().pixels();
      Pool pool;
      Format made = c.format;
      made.scalar = accumulator_scalar(c.format.scalar, c.op);
      Sweep sweep(team, pool, c.op, made, RandomTree::most);
      for (int k = 0; k < 6; ++k) {
        RandomTree tree(scene, c.op, made, random);
        const std::vector<Link> links = tree.tell(sweep);
        const PixelBuffer expected = take_pixels(pool, c.format, n);
        blend(c.op, made.channels, made.depth, links, expected.view(), c.format.scalar, n);
        const PixelBuffer found = take_pixels(pool, c.format, n);
        sweep.blend(found.view(), c.format.scalar, n, nullptr, Stores::cached);
        scene.expect_same_bits(found.view(), expected.view(), n);
      }
    }
  }
}

// All that there is to hold at once is known before: one value a level, of a tree of pairs.
TEST(Sweep, HoldsOneValueALevel) {
  for (const auto& [name, p, most] : {std::tuple("direct-send:pairs", 16, 4),
                                      {"direct-send:pairs", 13, 4},
                                      {"direct-send:pairs", 2, 0},
                                      {"radix-k:16", 16, 0},
                                      {"binary-swap", 16, 0},
                                      {"radix-k:4,4", 16, 0}}) {
    const Schedule schedule = make_schedule(
        name, {p, 4096, {}, {}, false, std::vector<std::int32_t>(static_cast<std::size_t>(p), 0)});
    const IndexedProgram program(schedule, 0, {}, Op::over, {});
    EXPECT_EQ(program.most_made, static_cast<std::size_t>(most)) << name << " of " << p;
  }
}

// Pairs of images that are all there are merged without a place for what each pair makes.
TEST(Sweep, MakesATreeWithoutMemoryForItsValues) {
  std::mt19937 random(412);
  constexpr std::int32_t p = 16;
  constexpr Size size{512, 512};
  const testing::Scene scene(p, {}, size, random, false);
  const Schedule schedule = make_schedule(
      "direct-send:pairs",
      {p, size.pixels(), testing::shuffled(p, random), {}, false, std::vector<std::int32_t>(p, 0)});
  const auto image_of = [&](std::int32_t rank) {
    return ImageView{scene.views()[static_cast<std::size_t>(rank)], size, scene.format()};
  };
  Pool pool;
  Team team;
  const IndexedProgram program(schedule, 3, scene.format(), Op::over, {});
  sortlast::Run run(program, pool, team);
  const Contribution own{image_of(3)};
  pool.begin_frame();
  run.begin_frame(own);
  for (std::size_t i = 0; i < program.receives.size(); ++i)
    run.refer(i, {image_of(program.program.receives[i].peer)});
  run.place({});
  run.open(1);
  std::int64_t bytes = 0;
  while (const std::int64_t more = run.blend()) bytes += more;
  ASSERT_TRUE(run.blended());
  const std::size_t piece = PixelBuffer::bytes(scene.format(), schedule.piece(3).size());
  EXPECT_EQ(bytes, static_cast<std::int64_t>(p * piece));  // each image is read once
  EXPECT_LT(pool.peak(), piece + (std::size_t{1} << 17));  // and nothing is written but the result
}

}  // namespace
}  // namespace sortlast
