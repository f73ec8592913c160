// Frames of one node that begin before all ranks have come: those that wait blend what those that came bring,
// and that changes no bit of the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/image_copies.hpp"
#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/serial.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

using testing::Copy;
using testing::Place;
using testing::Scene;

constexpr double patience = 60;  // until a frame begins early [s]

class EarlyInNode : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::mt19937 random_{1301};

  void SetUp() override {
    if (p_ < 3)
      GTEST_SKIP() << "one rank waits for nobody, and nothing of two can be blended without the last";
  }

  struct Shown {
    Scene scene;
    Composition composition;
    Frame oracle;
  };

  // Some ranks may have no image.
  Shown shown(Size size, const Format& format, Op op, bool with_empty) {
    Scene scene(p_, format, size, random_, with_empty);
    const std::vector<std::int32_t> order = testing::shuffled(p_, random_);
    Frame oracle = composite_serial(scene.views(), size, format, op, order);
    return {std::move(scene), {op, order, {}}, std::move(oracle)};
  }

  // Collective: a frame to which the rank `late` comes `seconds` later than the others. The tile, and whether
  // any rank blended before all had come.
  std::pair<Tile, bool> composite(Compositor& compositor, const ImageView& image,
                                  const Composition& composition, int late, double seconds) const {
    MPI_Barrier(MPI_COMM_WORLD);
    compositor.clear_events();
    if (rank_ == late) testing::sleep(seconds);
    double came = trace_clock();
    Tile tile = compositor.composite(image, composition);
    MPI_Bcast(&came, 1, MPI_DOUBLE, late, MPI_COMM_WORLD);
    const std::vector<Event>& events = compositor.events();
    int early = std::any_of(events.begin(), events.end(), [&](const Event& event) {
      return event.activity == Activity::blend && event.end < came;
    });
    MPI_Allreduce(MPI_IN_PLACE, &early, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return {std::move(tile), early != 0};
  }

  // Frames to which any rank may come late have the bits of one to which all come at once. Returns how many
  // began early; if `insists`, one does.
  int expect_same_bits(Compositor& compositor, const Shown& shown, Place place, bool insists) {
    Copy copy(compositor, place, testing::image_of(shown.scene, rank_));
    const ImageView& image = copy.image();
    compositor.trace(true);
    const Tile punctual = composite(compositor, image, shown.composition, 0, 0).first;
    shown.scene.expect_near(punctual, shown.oracle,
                            testing::tolerance(shown.scene.format(), shown.composition.op, p_, false));
    int began_early = 0;
    const double begin = MPI_Wtime();
    double seconds = 2e-3;
    bool again = true;
    while (again) {
      for (int late = 0; late < p_; ++late) {
        const auto [tile, early] = composite(compositor, image, shown.composition, late, seconds);
        EXPECT_EQ(tile.range(), punctual.range());
        shown.scene.expect_same_bits(tile.pixels().view(), punctual.pixels().view(), tile.range().size());
        began_early += early ? 1 : 0;
      }
      seconds *= 1.5;
      int goes_on = insists && began_early == 0 && MPI_Wtime() - begin < patience ? 1 : 0;
      MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
      again = goes_on != 0;
    }
    EXPECT_GE(began_early, insists ? 1 : 0);
    return began_early;
  }
};

TEST_F(EarlyInNode, EveryAlgorithmGivesTheSameBits) {
  for (const std::string& algorithm : testing::algorithm_names()) {
    for (const Place place : {Place::own, Place::allocated}) {
      SCOPED_TRACE(algorithm + (place == Place::own ? "" : ", allocated"));
      // These merge images before anything else.
      const bool insists =
          algorithm == "direct-send" || algorithm == "direct-send:pairs" || algorithm == "shift";
      Compositor compositor(MPI_COMM_WORLD, {.algorithm = algorithm, .timeout = 60});
      expect_same_bits(compositor, shown({120, 50}, {}, Op::over, false), place, insists);
    }
  }
}

TEST_F(EarlyInNode, EveryOperatorAndFormatGivesTheSameBits) {
  int began_early = 0;
  for (const auto& [format, op] : testing::cases()) {
    SCOPED_TRACE(format_name(format) + " " + std::string(op_name(op)));
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send", .timeout = 60});
    const Place place = random_() % 2 == 0 ? Place::own : Place::allocated;
    began_early += expect_same_bits(compositor, shown({60, 50}, format, op, true), place, false);
  }
  RecordProperty("began_early", began_early);
}

// What differs from the last frame is planned once all have come; the next one begins early again.
TEST_F(EarlyInNode, FramesThatFollowOthers) {
  Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send", .timeout = 60});
  const Shown small = shown({60, 40}, {}, Op::over, false);
  const Shown large = shown({200, 100}, {Scalar::uint8, 4, true}, Op::closest, false);
  for (int turn = 0; turn < 3; ++turn) {
    for (const Shown* const next : {&small, &large}) {
      const ImageView image = testing::image_of(next->scene, rank_);
      const auto [tile, early] = composite(compositor, image, next->composition, p_ - 1, 5e-3);
      EXPECT_FALSE(early);
      next->scene.expect_near(tile, next->oracle,
                              testing::tolerance(next->scene.format(), next->composition.op, p_, false));
      expect_same_bits(compositor, *next, Place::own, true);
    }
  }
}

// A background is put behind the result once, and the result where it belongs.
TEST_F(EarlyInNode, BackgroundsAndPlaces) {
  const Shown one = shown({120, 50}, {}, Op::over, false);
  const std::vector<float> background{0.25F, 0.5F, 0.75F, 1};
  const Composition composition{Op::over, one.composition.order, background};
  const Frame oracle = composite_serial(one.scene.views(), one.scene.size(), one.scene.format(), Op::over,
                                        composition.order, background);
  const float allowed = testing::tolerance(one.scene.format(), Op::over, p_, false);
  Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send", .timeout = 60});
  compositor.trace(true);
  const ImageView image = testing::image_of(one.scene, rank_);
  for (int frame = 0; frame < 3 * p_; ++frame) {
    const Tile tile = composite(compositor, image, composition, frame % p_, 5e-3).first;
    one.scene.expect_near(tile, oracle, allowed);
    const std::optional<Frame> gathered = compositor.gather(tile);
    ASSERT_EQ(gathered.has_value(), rank_ == 0);
    if (gathered) one.scene.expect_near(*gathered, oracle, allowed);
  }
}

}  // namespace
}  // namespace sortlast
