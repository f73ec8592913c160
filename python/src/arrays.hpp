// NumPy arrays as pixels and pixels as NumPy arrays, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <utility>
#include <vector>

#include "sortlast/image.hpp"
#include "sortlast/tile.hpp"

namespace sortlast::python {

// Python checks arrays, because it can report errors better: (H, W, C) of a known dtype, contiguous.
using Array = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;

inline ConstPixels pixels_of(const Array& colour, const std::optional<Array>& depth) {
  return {static_cast<const std::byte*>(colour.data()),
          depth ? static_cast<const float*>(depth->data()) : nullptr};
}

inline nanobind::dlpack::dtype dtype_of(Scalar scalar) {
  using nanobind::dlpack::dtype;
  using nanobind::dlpack::dtype_code;
  const auto bits = static_cast<std::uint8_t>(8 * scalar_bytes(scalar));
  const auto code = scalar == Scalar::uint8 ? dtype_code::UInt : dtype_code::Float;
  return dtype{static_cast<std::uint8_t>(code), bits, 1};
}

// An array of the given shape on the memory of a range of pixels, which it keeps alive.
inline nanobind::object array_of(const PixelBuffer& stretch, void* data, nanobind::dlpack::dtype dtype,
                                 const std::vector<std::size_t>& shape) {
  auto* const kept = new PixelBuffer(stretch);
  const nanobind::capsule owner(kept,
                                [](void* pointer) noexcept { delete static_cast<PixelBuffer*>(pointer); });
  return nanobind::cast(
      nanobind::ndarray<nanobind::numpy>(data, shape.size(), shape.data(), owner, nullptr, dtype));
}

inline nanobind::object colour_array(const PixelBuffer& stretch, const Format& format,
                                     std::vector<std::size_t> shape) {
  shape.push_back(static_cast<std::size_t>(format.channels));
  return array_of(stretch, stretch.view().colour, dtype_of(format.scalar), shape);
}

inline nanobind::object depth_array(const PixelBuffer& stretch, const Format& format,
                                    const std::vector<std::size_t>& shape) {
  if (!format.depth) return nanobind::none();
  return array_of(stretch, stretch.view().depth, dtype_of(Scalar::float32), shape);
}

// Rows of the same length.
template <class T, std::size_t length>
using Rows =
    nanobind::ndarray<const T, nanobind::shape<-1, length>, nanobind::c_contig, nanobind::device::cpu>;

}  // namespace sortlast::python
