// Visibility order of 100 to 1 000 000 boxes: processor seconds, memory, and the number of pairs of boxes
// that can cover each other.
//
// usage: bench_visibility [max boxes]
//
// Methods: "lowest" and "planes" are visibility_order() with each kind of Ties, "split" is
// visibility_order_of_parts(). Each scene is sorted from four viewpoints, with ranks that follow the scene's
// layout and with shuffled ranks; a row gives the median and the maximum. A sample of the pairs of each order
// is checked before it counts. Memory is the growth of the peak of a separate process. The number of pairs is
// estimated from the sample; only one pair per box is kept in memory.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "box_scenes.hpp"

namespace {

using sortlast::Box;
using sortlast::Viewpoint;
using sortlast::testing::Boxes;
using sortlast::testing::Random;

struct Way {
  const char* name;
  std::vector<std::int32_t> (*order)(const Boxes&, const Viewpoint&);
};

const Way ways[] = {{"lowest", [](const Boxes& boxes,
                                  const Viewpoint& view) { return sortlast::visibility_order(boxes, view); }},
                    {"planes",
                     [](const Boxes& boxes, const Viewpoint& view) {
                       return sortlast::visibility_order(boxes, view, sortlast::Ties::planes);
                     }},
                    {"split", [](const Boxes& boxes, const Viewpoint& view) {
                       std::vector<std::int32_t> order;
                       for (const auto& part : sortlast::visibility_order_of_parts(boxes, view))
                         order.push_back(part.source);
                       return order;
                     }}};

struct Task {
  const char* name;
  Boxes (*scene)(int, Random&);
};

const Task tasks[] = {{"grid", sortlast::testing::grid},
                      {"k-d tree", sortlast::testing::kd_tree},
                      {"refined", sortlast::testing::refined},
                      {"row", sortlast::testing::row},
                      {"scattered", sortlast::testing::scattered},
                      {"dust", sortlast::testing::dust},
                      {"nine of ten empty", sortlast::testing::mostly_empty},
                      {"crossed beams", sortlast::testing::crossed_beams}};

// Outside, inside, and parallel views from two sides.
std::vector<Viewpoint> viewpoints(const Boxes& boxes) {
  const Box bounds = sortlast::testing::bounds_of(boxes);
  Viewpoint outside;
  Viewpoint inside;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double extent = bounds.high[axis] - bounds.low[axis];
    outside.position[axis] = bounds.low[axis] - extent * (1 + 0.5 * static_cast<double>(axis));
    inside.position[axis] = bounds.low[axis] + extent * (0.4 + 0.05 * static_cast<double>(axis));
  }
  return {outside, inside, {{1, 0.5, 0.3}, true}, {{-1, -0.5, -0.3}, true}};
}

// The share of the pairs that can cover each other, from a sample; exits if a pair is in the wrong order.
double check(const Boxes& boxes, const Viewpoint& view, const std::vector<std::int32_t>& order,
             Random& random) {
  constexpr int sample = 100000;
  int covering = 0;
  for (int i = 0; i < sample; ++i) {
    const auto [front, back] = std::minmax({random() % order.size(), random() % order.size()});
    const Box& a = boxes[static_cast<std::size_t>(order[front])];
    const Box& b = boxes[static_cast<std::size_t>(order[back])];
    if (front == back || sortlast::testing::is_empty(a) || sortlast::testing::is_empty(b)) continue;
    if (sortlast::testing::can_cover(b, a, view)) {
      std::fprintf(stderr, "rank %d comes before %d, which can cover it\n", order[front], order[back]);
      std::exit(1);
    }
    covering += sortlast::testing::can_cover(a, b, view) ? 1 : 0;
  }
  return static_cast<double>(covering) / sample;
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void measure(const Task& task, const Way& way, int p) {
  Random random(1);
  Boxes boxes = task.scene(p, random);
  std::vector<double> seconds;
  double share = 0;
  const double before = peak_bytes();
  for (const bool shuffled : {false, true}) {
    if (shuffled) std::shuffle(boxes.begin(), boxes.end(), random);
    for (const Viewpoint& view : viewpoints(boxes)) {
      const std::clock_t begin = std::clock();
      const auto order = way.order(boxes, view);
      seconds.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      share = std::max(share, check(boxes, view, order, random));
    }
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("%-18s %-7s %8d %10.4f %10.4f %9.1f %10.2g\n", task.name, way.name, p,
              seconds[seconds.size() / 2], seconds.back(), (peak_bytes() - before) / 1e6, share * p * p / 2);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : 1000000;
  std::printf("%-18s %-7s %8s %10s %10s %9s %10s\n", "scene", "way", "boxes", "median s", "slowest s",
              "peak MB", "pairs");
  std::fflush(stdout);
  for (const Task& task : tasks) {
    for (const Way& way : ways) {
      for (int p = 100; p <= most; p *= 10) {
        const pid_t child = fork();
        if (child == 0) {
          measure(task, way, p);
          std::exit(0);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
      }
    }
  }
}
