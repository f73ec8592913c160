// Accumulator.
#include "sortlast/image/accumulator.hpp"

#include <algorithm>
#include <cstring>

namespace sortlast {
namespace {

constexpr std::size_t behind = 0;  // index into the kernels by the link's side

std::size_t index(Scalar scalar) { return static_cast<std::size_t>(scalar); }

std::byte* as_bytes(float* depth) { return reinterpret_cast<std::byte*>(depth); }
const std::byte* as_bytes(const float* depth) { return reinterpret_cast<const std::byte*>(depth); }

}  // namespace

Accumulator::Accumulator(Op op, const Format& images) : op_(op), format_(images), kernels_(active_kernels()) {
  check_format(images, op);
  format_.scalar = accumulator_scalar(images.scalar, op);
  const auto choose = [&](const auto& kernels) { std::copy_n(kernels, combine_.size(), combine_.begin()); };
  switch (op) {
    case Op::over:
      choose(kernels_.over[behind]);
      break;
    case Op::add:
      choose(kernels_.add);
      break;
    case Op::max:
      choose(kernels_.max);
      break;
    case Op::min:
      choose(kernels_.min);
      break;
    case Op::closest:
      closest_ = kernels_.closest[behind][index(format_.scalar)][images.channels - 3];
      break;
  }
}

void Accumulator::begin(Pixels to, ConstPixels image, Scalar scalar, std::int64_t n) const {
  const auto pixels = static_cast<std::size_t>(n);
  if (scalar == format_.scalar)
    std::memcpy(to.colour, image.colour, pixels * format_.colour_bytes());
  else
    kernels_.load[index(scalar)](to.colour, image.colour,
                                 pixels * static_cast<std::size_t>(format_.channels));
  if (format_.depth) std::memcpy(to.depth, image.depth, pixels * sizeof(float));
}

void Accumulator::join(Pixels to, ConstPixels image, Scalar scalar, std::int64_t n) const {
  const auto pixels = static_cast<std::size_t>(n);
  if (closest_ != nullptr) {
    closest_(to.colour, as_bytes(to.depth), to.colour, as_bytes(to.depth), image.colour,
             as_bytes(image.depth), pixels);
    return;
  }
  combine_[index(scalar)](to.colour, to.colour, image.colour,
                          pixels * static_cast<std::size_t>(format_.channels));
  if (format_.depth)
    kernels_.nearest[behind](as_bytes(to.depth), as_bytes(to.depth), as_bytes(image.depth), pixels);
}

}  // namespace sortlast
