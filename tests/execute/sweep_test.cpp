// A sweep: trees of operands make the same bits as their merges one by one, in whole images.
#include "sortlast/content/pixels/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <string>
#include <vector>

#include "pixel_run.hpp"
#include "scene.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"

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
    EXPECT_EQ(program.most_held, static_cast<std::size_t>(most)) << name << " of " << p;
  }
}

// In an order of depth that makes a chain of many chains, those that would not stay in a cache go to memory.
TEST(Sweep, HoldsNoMoreThanFitsIntoACache) {
  std::mt19937 random(412);
  constexpr std::int32_t p = 301;
  constexpr Size size{43, 14};
  std::vector<std::int32_t> order(p);
  for (std::int32_t rank = 0; rank < p; ++rank) order[static_cast<std::size_t>(rank * 3 % p)] = rank;
  const testing::Scene scene(p, {}, size, random, true);
  const Schedule schedule =
      make_schedule("direct-send", {p, size.pixels(), order, {}, false, std::vector<std::int32_t>(p, 0)});
  const IndexedProgram program(schedule, 5, scene.format(), Op::over, {});
  EXPECT_LE(program.most_held, IndexedProgram::may_hold);
  EXPECT_GT(program.most_held, IndexedProgram::may_hold / 2);
  const auto between = values_between(program.program);
  const auto counted = [](const auto& values, const auto& of) {
    return std::count_if(values.begin(), values.end(),
                         [&](const auto& value) { return of(value).maker != Between::none; });
  };
  EXPECT_LT(counted(program.values, [](const IndexedValue& value) { return value.between; }),
            counted(between, [](const Between& value) { return value; }));
  scene.expect_near(execute_serial(schedule, scene.views(), size, scene.format(), Op::over, 1),
                    composite_serial(scene.views(), size, scene.format(), Op::over, order),
                    testing::tolerance(scene.format(), Op::over, p, false));
}

// One rank's run among 16 of a node, with images of which it is told in any order.
class SixteenImages {
 public:
  static constexpr std::int32_t p = 16;
  static constexpr std::int32_t rank = 3;
  static constexpr Size size{512, 1200};  // pieces of more than a unit

  SixteenImages(const char* algorithm, int threads, std::uint32_t seed)
      : random_(seed),
        scene_(p, {}, size, random_, true),
        schedule_(
            make_schedule(algorithm, {p, size.pixels(), testing::shuffled(p, random_), {}, false, nodes()})),
        team_(threads),
        program_(schedule_, rank, scene_.format(), Op::over, {}),
        run_(program_, pool_, team_),
        own_{image_of(rank)} {}

  // Returns the finished pixels. `early`: blend what there is after each image.
  PixelBuffer composite(bool early) {
    std::vector<std::size_t> receives(program_.receives.size());
    std::iota(receives.begin(), receives.end(), 0);
    std::shuffle(receives.begin(), receives.end(), random_);
    pool_.begin_frame();
    run_.begin_frame(own_);
    run_.engine.start();
    read_ = 0;
    for (const std::size_t receive : receives) {
      run_.refer(receive, {image_of(program_.program.receives[receive].peer)});
      if (early) blend();
    }
    blend();
    EXPECT_TRUE(run_.content.merged());
    return run_.content.take_result();
  }

  const testing::Scene& scene() const { return scene_; }
  std::int64_t images() const {
    return std::count_if(scene_.views().begin(), scene_.views().end(),
                         [](const ConstPixels& view) { return view.colour != nullptr; });
  }
  std::int64_t pixels() const { return schedule_.piece(rank).size(); }
  std::int64_t read() const { return read_; }  // bytes, of the last frame
  std::size_t peak() const { return pool_.peak(); }

 private:
  static std::vector<std::int32_t> nodes() { return std::vector<std::int32_t>(p, 0); }
  ImageView image_of(std::int32_t number) const {
    return {scene_.views()[static_cast<std::size_t>(number)], size, scene_.format()};
  }
  void blend() {
    while (const std::int64_t bytes = run_.engine.work()) read_ += bytes;
  }

  std::mt19937 random_;
  testing::Scene scene_;
  Schedule schedule_;
  Pool pool_;
  Team team_;
  IndexedProgram program_;
  testing::PixelRun run_;
  Contribution own_;
  std::int64_t read_ = 0;
};

// Of images that are all there, those in a tree are read once, and nothing is written but the result.
TEST(Sweep, TakesNoMemoryForWhatLiesBetween) {
  SixteenImages sixteen("direct-send:pairs", 1, 412);
  const PixelBuffer result = sixteen.composite(false);
  const std::int64_t piece = 16 * sixteen.pixels();
  EXPECT_EQ(sixteen.read(), sixteen.images() * piece);
  EXPECT_LT(sixteen.peak(), static_cast<std::size_t>(piece) + (std::size_t{1} << 17));
}

TEST(Sweep, GivesTheSameBitsHoweverItIsCut) {
  for (const char* const algorithm : {"direct-send:pairs", "direct-send", "shift"}) {
    SCOPED_TRACE(algorithm);
    SixteenImages one(algorithm, 1, 413);
    SixteenImages three(algorithm, 3, 413);
    const PixelBuffer at_once = one.composite(false);
    for (const PixelBuffer& other : {one.composite(true), three.composite(false), three.composite(true)})
      one.scene().expect_same_bits(other.view(), at_once.view(), one.pixels());
  }
}

}  // namespace
}  // namespace sortlast
