// An engine is reset from frame to frame, not rebuilt: what starting a frame asks of the heap, counted, and
// what a frame that was begun leaves behind for the next. And one that is told late where to put its result.
#include "sortlast/execute/engine/engine.hpp"

#include <gtest/gtest.h>

#include "execute/heap.hpp"
#include "node_lists.hpp"
#include "pixel_run.hpp"
#include "scene.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

constexpr Size size{64, 64};

// One rank's run of a schedule, and images that it may read.
class Starts {
 public:
  Starts(const Schedule& schedule, std::int32_t rank, const testing::Scene& scene)
      : indexed_(schedule, rank, scene.format(), Op::over, {}), run_(indexed_, pool_, team_), scene_(scene) {
    contribution_.image = image_of(rank);
  }

  // Start a frame, with all that may be posted before a message has come. Returns how many chunks that is.
  std::size_t start() {
    run_.begin_frame(contribution_);
    for (std::size_t i = 0; i < indexed_.receives.size(); ++i)
      if (indexed_.receives[i].spared) run_.refer(i, {image_of(indexed_.program.receives[i].peer)});
    run_.engine.start();
    std::size_t posted = 0;
    while (run_.engine.next_receive()) ++posted;
    while (run_.engine.next_send()) ++posted;
    return posted;
  }

 private:
  ImageView image_of(std::int32_t rank) const {
    return {scene_.views()[static_cast<std::size_t>(rank)], size, scene_.format()};
  }

  Pool pool_;
  Team team_;
  IndexedProgram indexed_;
  testing::PixelRun run_;
  const testing::Scene& scene_;
  Contribution contribution_;
};

TEST(Run, StartsAFrameWithoutAllocating) {
  std::mt19937 random(91);
  for (const std::int32_t p : {2, 7, 16}) {
    const testing::Scene scene(p, {}, size, random, false);
    for (const auto& [kind, nodes] : testing::node_lists(p, random)) {
      for (const AlgorithmEntry& entry : algorithms()) {
        SCOPED_TRACE(entry.name + " p=" + std::to_string(p) + ", nodes: " + kind);
        const Schedule schedule =
            make_schedule(entry.name, {p, size.pixels(), testing::shuffled(p, random), {}, false, nodes});
        for (std::int32_t rank = 0; rank < p; ++rank) {
          Starts starts(schedule, rank, scene);
          const std::size_t posted = starts.start();
          const std::int64_t before = testing::blocks_taken();
          EXPECT_EQ(starts.start(), posted);
          EXPECT_EQ(testing::blocks_taken(), before);
        }
      }
    }
  }
}

// On one node, however many images are referred to, and blended as far as possible, before the others.
TEST(Run, GivesTheSameBitsWhicheverImagesAreReferredToFirst) {
  std::mt19937 random(92);
  constexpr std::int32_t p = 7;
  const testing::Scene scene(p, {}, size, random, false);
  const std::vector<std::int32_t> nodes(p, 0);
  for (const char* const name : {"direct-send", "direct-send:pairs", "shift"}) {
    const Schedule schedule =
        make_schedule(name, {p, size.pixels(), testing::shuffled(p, random), {}, false, nodes});
    const Frame expected = execute_serial(schedule, scene.views(), size, scene.format(), Op::over, 1);
    for (std::size_t early = 0; early < p; ++early) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(early) + " images early");
      const auto rank = static_cast<std::int32_t>(random() % p);
      Pool pool;
      Team team;
      const IndexedProgram indexed(schedule, rank, scene.format(), Op::over, {});
      testing::PixelRun run(indexed, pool, team);
      const Range piece = schedule.piece(rank);
      const PixelBuffer place = take_pixels(pool, scene.format(), piece.size());
      const Contribution own{
          {scene.views()[static_cast<std::size_t>(rank)], size, scene.format()}, nullptr, place};
      const auto blend_all = [&] {
        while (run.engine.work() > 0) {
        }
      };
      std::size_t referred = 0;
      const auto refer_until = [&](std::size_t end) {
        for (; referred < end; ++referred) {
          const auto peer = static_cast<std::size_t>(indexed.program.receives[referred].peer);
          run.refer(referred, {{scene.views()[peer], size, scene.format()}});
        }
      };
      run.begin_frame(own);
      refer_until(early);
      blend_all();
      EXPECT_EQ(run.content.merged(), early == p - 1);
      refer_until(p - 1);
      run.engine.start();
      blend_all();
      ASSERT_TRUE(run.content.merged());
      const PixelBuffer result = run.content.take_result();
      EXPECT_EQ(result.view().colour, place.view().colour);
      scene.expect_same_bits(result.view(), advance(expected.pixels.view(), scene.format(), piece.begin),
                             piece.size());
    }
  }
}

}  // namespace
}  // namespace sortlast
