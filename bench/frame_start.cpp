// What it costs a rank to start a frame, beside the blending: an engine made anew, and one that is reset.
//
// Prints, for some algorithms and rank counts, the mean time a rank over all ranks, the median of nine turns.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sortlast/execute/engine/engine.hpp"
#include "sortlast/execute/run/pixel_content.hpp"
#include "sortlast/schedule.hpp"

namespace {

using namespace sortlast;

constexpr Size size{64, 64};
constexpr int frames = 200;
constexpr int turns = 9;

// Start a frame and take all that can be posted before a message has come: how many chunks that is.
std::size_t start(PixelContent& content, Engine& engine, const Contribution& contribution) {
  content.begin_frame(contribution);
  engine.begin_frame();
  engine.open(1 << 20);
  std::size_t posted = 0;
  while (engine.next_receive()) ++posted;
  while (engine.next_send()) ++posted;
  content.end_frame();
  return posted;
}

template <typename Frame>
double median_seconds(const Frame& frame) {
  std::vector<double> seconds;
  for (int turn = 0; turn < turns; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < frames; ++i) frame();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
                      frames);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[turns / 2];
}

void measure(const char* name, std::int32_t p) {
  const std::vector<float> colour(static_cast<std::size_t>(size.pixels()) * 4, 0.5F);
  Contribution contribution;
  contribution.image = image_view<float>(colour, size);
  const Format& format = contribution.image.format;
  const Schedule schedule = make_schedule(name, {p, size.pixels(), {}, {}, false, {}});
  Pool pool;
  Team team;
  double made = 0;
  double reset = 0;
  for (std::int32_t rank = 0; rank < p; ++rank) {
    const auto fresh = [&] {
      const IndexedProgram program(schedule, rank, format, Op::over, {});
      PixelContent content(program, pool, team);
      Engine engine(program, content);
      return start(content, engine, contribution);
    };
    const IndexedProgram program(schedule, rank, format, Op::over, {});
    PixelContent content(program, pool, team);
    Engine engine(program, content);
    const auto again = [&] { return start(content, engine, contribution); };
    if (again() != fresh() || again() != fresh()) {
      std::fprintf(stderr, "rank %d of %s: an engine that is reset posts other chunks than a new one\n", rank,
                   name);
      std::exit(1);
    }
    made += median_seconds(fresh);
    reset += median_seconds(again);
  }
  std::printf("%-18s p = %3d: made anew %8.3f us, reset %8.3f us\n", name, p, 1e6 * made / p,
              1e6 * reset / p);
}

}  // namespace

int main() {
  for (const std::int32_t p : {16, 64})
    for (const char* const name : {"shift", "radix-k", "2-3-swap", "tree"}) measure(name, p);
}
