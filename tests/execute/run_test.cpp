// A run is reset from frame to frame, not rebuilt: what starting a frame asks of the heap, counted, and what
// a frame that was begun leaves behind for the next.
#include "sortlast/execute/run/run.hpp"

#include <gtest/gtest.h>

#include "execute/heap.hpp"
#include "node_lists.hpp"
#include "scene.hpp"
#include "sortlast/schedule.hpp"

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
    run_.open(1 << 20);
    std::size_t posted = 0;
    while (run_.next_receive()) ++posted;
    while (run_.next_send()) ++posted;
    return posted;
  }

 private:
  ImageView image_of(std::int32_t rank) const {
    return {scene_.views()[static_cast<std::size_t>(rank)], size, scene_.format()};
  }

  Pool pool_;
  Team team_;
  IndexedProgram indexed_;
  Run run_;
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

}  // namespace
}  // namespace sortlast
