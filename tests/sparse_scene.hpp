// Scenes of which ranks have drawn only a part: the rest is empty, as renderers leave it.
#pragma once

#include <cstring>
#include <limits>
#include <random>

#include "scene.hpp"
#include "sortlast/content/pixels/encoding.hpp"

namespace sortlast::testing {

// What a rank has drawn of its image.
enum class Drawn { everything, block, scattered, nothing };
inline constexpr Drawn all_drawn[] = {Drawn::block, Drawn::scattered, Drawn::everything, Drawn::nothing};

inline Rectangle random_rectangle(Size size, std::mt19937& random) {
  const auto below = [&](std::int64_t end) { return static_cast<std::int64_t>(random()) % (end + 1); };
  Rectangle rectangle{0, 0, below(size.width), below(size.height)};
  rectangle.x0 = below(rectangle.x1);
  rectangle.y0 = below(rectangle.y1);
  return rectangle;
}

// Make the pixels of a rank's image empty that lie outside a rectangle, and of the others those that
// `dropped` says.
template <typename Dropped>
void clear_outside(Scene& scene, std::size_t rank, const Rectangle& rectangle, const Dropped& dropped) {
  const Size size = scene.size();
  TestImage& image = scene.image(rank);
  const std::size_t bytes = scene.format().colour_bytes();
  for (std::int64_t pixel = 0; pixel < size.pixels(); ++pixel) {
    const std::int64_t x = pixel % size.width;
    const std::int64_t y = pixel / size.width;
    const bool inside = x >= rectangle.x0 && x < rectangle.x1 && y >= rectangle.y0 && y < rectangle.y1;
    if (inside && !dropped()) continue;
    const auto at = static_cast<std::size_t>(pixel);
    std::memset(image.colour.data() + at * bytes, 0, bytes);
    if (scene.format().depth) image.depth[at] = std::numeric_limits<float>::infinity();
  }
}

inline void clear_outside(Scene& scene, std::size_t rank, const Rectangle& rectangle) {
  clear_outside(scene, rank, rectangle, [] { return false; });
}

// Make the pixels of a rank's image empty that it has not drawn; returns a rectangle that holds the others.
inline Rectangle draw_only(Scene& scene, std::size_t rank, Drawn drawn, std::mt19937& random) {
  const Size size = scene.size();
  Rectangle rectangle{0, 0, size.width, size.height};
  if (drawn == Drawn::block) rectangle = random_rectangle(size, random);
  if (drawn == Drawn::nothing) rectangle = {size.width, 0, size.width, 0};
  clear_outside(scene, rank, rectangle, [&] { return drawn == Drawn::scattered && random() % 9 != 0; });
  return rectangle;
}

// Put -0, NaN and, if asked for, infinity into the first colour channels of some drawn pixels.
inline void add_trouble(Scene& scene, std::size_t rank, bool infinities, std::mt19937& random) {
  const Format format = scene.format();
  if (format.scalar == Scalar::uint8) return;
  const bool halves = format.scalar == Scalar::float16;
  const std::uint32_t values[] = {halves ? 0x8000U : 0x80000000U, halves ? 0x7e00U : 0x7fc00000U,
                                  halves ? 0x7c00U : 0x7f800000U};
  TestImage& image = scene.image(rank);
  const std::vector<std::byte> empty(format.colour_bytes());
  for (std::int64_t pixel = 0; pixel < scene.size().pixels(); ++pixel) {
    std::byte* const colour = image.colour.data() + static_cast<std::size_t>(pixel) * empty.size();
    if (std::memcmp(colour, empty.data(), empty.size()) == 0 || random() % 5 != 0) continue;
    const std::uint32_t value = values[random() % (infinities ? 3 : 2)];
    std::memcpy(colour, &value, halves ? 2 : 4);  // little-endian
  }
}

}  // namespace sortlast::testing
