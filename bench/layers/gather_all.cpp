// The straightforward method once all data is at the root: sort the fragments of a pixel and blend them, or
// blend box images one by one.
//
// For the benchmarks in this folder, which gather with MPI_Gatherv. All colours are premultiplied RGBA
// float32; frames are row-major and 0 where nothing is drawn.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using Pixel = std::array<float, 4>;

void blend_behind(Pixel& front, const Pixel& back) {
  const float left = 1.0F - front[3];
  for (std::size_t c = 0; c < 4; ++c) front[c] += left * back[c];
}

}  // namespace

extern "C" {

// Fragments of `ranks` ranks in a frame of n pixels. `counts`: ranks x n; `firsts`: index of each rank's
// first fragment in `colour` and `depth`, which are ordered by pixel. Ties are broken by rank. `frame`: n
// pixels, written.
void flatten_fragments(std::int32_t ranks, std::int64_t n, const std::int32_t* counts,
                       const std::int64_t* firsts, const Pixel* colour, const float* depth, Pixel* frame) {
  struct Place {
    float depth;
    std::int64_t fragment;
  };
  std::vector<std::int64_t> next(firsts, firsts + ranks);
  std::vector<Place> places;
  for (std::int64_t pixel = 0; pixel < n; ++pixel) {
    // Collect the pixel's fragments, rank by rank.
    places.clear();
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const std::int32_t count = counts[rank * n + pixel];
      for (std::int32_t k = 0; k < count; ++k, ++next[rank])
        places.push_back({depth[next[rank]], next[rank]});
    }

    // Sort them and blend them front to back.
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return a.depth != b.depth ? a.depth < b.depth : a.fragment < b.fragment;
    });
    Pixel sum{};
    for (const Place& place : places) blend_behind(sum, colour[place.fragment]);
    frame[pixel] = sum;
  }
}

// Images of boxes (x0, y0, x1, y1), stored in `pixels` from the indices `firsts` on, are blended in the order
// front to back into a frame of `width` that is initially 0.
void blend_boxes(std::int64_t images, const std::int32_t* boxes, const std::int64_t* firsts,
                 const Pixel* pixels, std::int64_t width, Pixel* frame) {
  for (std::int64_t image = 0; image < images; ++image) {
    const std::int32_t* box = boxes + 4 * image;
    const Pixel* next = pixels + firsts[image];
    for (std::int64_t y = box[1]; y < box[3]; ++y)
      for (std::int64_t x = box[0]; x < box[2]; ++x) blend_behind(frame[y * width + x], *next++);
  }
}

}  // extern "C"
