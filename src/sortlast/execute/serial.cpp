// The serial executor, and the oracle.
#include "sortlast/serial.hpp"

#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

Frame new_frame(Size size, const Format& format) {
  Pool pool;
  return {size, format, take_pixels(pool, format, size.pixels())};
}

}  // namespace

void check_images(std::span<const ConstPixels> images, Size size, const Format& format, Op op) {
  check_format(format, op);
  check_size(size, format);
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i].colour != nullptr && format.depth && images[i].depth == nullptr) {
      throw ArgumentError("image " + std::to_string(i) + " has no depth; expected one, as its format says");
    }
  }
}

Frame composite_serial(std::span<const ConstPixels> images, Size size, const Format& format, Op op,
                       const std::vector<std::int32_t>& order, std::span<const float> background) {
  check_images(images, size, format, op);
  check_permutation(order, static_cast<std::int32_t>(images.size()), "order");
  Frame frame = new_frame(size, format);
  const std::int64_t n = size.pixels();

  std::vector<Link> chain;
  for (std::size_t position = 0; position < images.size(); ++position) {
    const ConstPixels image =
        images[static_cast<std::size_t>(at(order, static_cast<std::int64_t>(position)))];
    if (image.colour != nullptr) chain.push_back({image, format.scalar, Side::back});
  }
  if (n == 0) return frame;
  if (chain.empty()) {
    fill_absent(op, format, !background.empty(), frame.pixels.view(), n);
  } else {
    blend_reference(op, format.channels, format.depth, chain, frame.pixels.view(), format.scalar, n);
  }
  if (!background.empty()) apply_background(op, format, background, frame.pixels.view(), n);
  return frame;
}

Frame execute_serial(const Schedule& schedule, std::span<const ConstPixels> images, Size size,
                     const Format& format, Op op, std::uint32_t seed) {
  return execute_serial(schedule, images, size, format, op, seed, WireOptions{});
}

}  // namespace sortlast
