// Accumulator: blends images into the same pixels one after the other, each behind the previous ones. Once
// rounded, the result has the same bits as blend() of the whole chain.
#pragma once

#include <array>
#include <cstdint>

#include "sortlast/image.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/image/kernels/dispatch.hpp"

namespace sortlast {

class Accumulator {
 public:
  // For images of this format. Throws ArgumentError if check_format() does.
  Accumulator(Op op, const Format& images);

  Op op() const { return op_; }
  // Format of the accumulated pixels: the images' format with accumulator_scalar().
  const Format& format() const { return format_; }

  // Start with n pixels of an image whose colours are stored as `scalar`. No overlap.
  void begin(Pixels to, ConstPixels image, Scalar scalar, std::int64_t n) const;
  // Blend n pixels of an image behind the pixels in `to`.
  void join(Pixels to, ConstPixels image, Scalar scalar, std::int64_t n) const;

 private:
  Op op_;
  Format format_;
  const Kernels& kernels_;
  std::array<Kernels::Combine, 3> combine_{};  // by the image's scalar; closest has none
  Kernels::Closest closest_ = nullptr;
};

}  // namespace sortlast
