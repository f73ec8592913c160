// Accumulator: what pixels gather as one image after the other joins behind those before it. Bit for bit what
// blend() makes of the whole chain, once it is rounded.
#pragma once

#include <array>
#include <cstdint>

#include "sortlast/image.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/image/kernels/dispatch.hpp"

namespace sortlast {

class Accumulator {
 public:
  // For images of the format. Throws ArgumentError if check_format() does.
  Accumulator(Op op, const Format& images);

  Op op() const { return op_; }
  // Of what is gathered: the images' format with accumulator_scalar().
  const Format& format() const { return format_; }

  // n pixels of an image, stored in `scalar`, become the first that `to` gathers. No overlap.
  void begin(Pixels to, ConstPixels image, Scalar scalar, std::int64_t n) const;
  // They join behind what `to` has gathered.
  void join(Pixels to, ConstPixels image, Scalar scalar, std::int64_t n) const;

 private:
  Op op_;
  Format format_;
  const Kernels& kernels_;
  std::array<Kernels::Combine, 3> combine_{};  // by the image's scalar; closest has none
  Kernels::Closest closest_ = nullptr;
};

}  // namespace sortlast
