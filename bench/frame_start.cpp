// Cost per rank of starting a frame, excluding the blending.
//
// usage: bench_frame_start, or mpiexec -n P bench_frame_start
//
// On one rank: constructing an engine, and resetting one. Prints, for some algorithms and rank counts, the
// mean time per rank over all ranks, as the median of nine turns. On several ranks: composite and gather of
// small images, alternating with MPI_Barrier, in shared memory and by messages; the minimum and the median of
// the turns. bench/frame_start.py does the same through Python.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/content/pixels/pixel_content.hpp"
#include "sortlast/execute/engine/engine.hpp"
#include "sortlast/schedule.hpp"

namespace {

using namespace sortlast;

constexpr Size size{64, 64};
constexpr int frames = 200;
constexpr int turns = 9;

// Start a frame and take every chunk that can be posted before a message has arrived. Returns their number.
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

// ---- Whole frames ---------------------------------------------------------------------------------

struct Turns {
  std::vector<double> seconds;

  template <typename Action>
  void add(int count, const Action& action) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < count; ++i) action();
    seconds.push_back((MPI_Wtime() - begin) / count);
  }
  double least() const { return 1e6 * *std::min_element(seconds.begin(), seconds.end()); }
  double median() {
    std::sort(seconds.begin(), seconds.end());
    return 1e6 * seconds[seconds.size() / 2];
  }
};

// Every rank's colour is one half, with an alpha of one half; the frame's is 1 - 2^-p.
void check(const std::optional<Frame>& frame, int p) {
  if (!frame) return;
  for (const float value : frame->colour<float>()) {
    if (std::abs(value - (1 - std::ldexp(1.0F, -p))) > 1e-6F) {
      std::fprintf(stderr, "a pixel of the frame is %g\n", static_cast<double>(value));
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
}

void measure_frames(std::int64_t width, int node_ranks, int count) {
  int rank = 0;
  int p = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const Size square{width, width};
  const std::vector<float> colour(static_cast<std::size_t>(square.pixels()) * 4, 0.5F);
  const ImageView image = image_view<float>(colour, square);
  Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send", .node_ranks = node_ranks});
  check(compositor.gather(compositor.composite(image)), p);
  Turns barriers;
  Turns composites;
  Turns whole;
  for (int turn = 0; turn < turns; ++turn) {
    barriers.add(count, [] { MPI_Barrier(MPI_COMM_WORLD); });
    composites.add(count, [&] { compositor.composite(image); });
    whole.add(count, [&] { compositor.gather(compositor.composite(image)); });
  }
  if (rank == 0)
    std::printf(
        "p = %2d, %3ldx%-3ld, node_ranks %d: barrier %6.2f %6.2f us, composite %7.2f %7.2f us, "
        "composite + gather %7.2f %7.2f us\n",
        p, static_cast<long>(width), static_cast<long>(width), node_ranks, barriers.least(),
        barriers.median(), composites.least(), composites.median(), whole.least(), whole.median());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  if (p == 1) {
    for (const std::int32_t ranks : {16, 64})
      for (const char* const name : {"shift", "radix-k", "2-3-swap", "tree"}) measure(name, ranks);
  } else {
    const int count = argc > 1 ? std::atoi(argv[1]) : 500;
    for (const int node_ranks : {0, 1})
      for (const std::int64_t width : {16, 256}) measure_frames(width, node_ranks, count);
  }
  MPI_Finalize();
}
