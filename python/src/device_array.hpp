// DeviceArray: an array in the memory of a GPU, which Python libraries exchange without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "sortlast/device/memory.hpp"

namespace sortlast::python {

struct DeviceArray {
  Memory memory;  // keeps the values alive
  void* data = nullptr;
  std::vector<std::size_t> shape;
  Scalar scalar = Scalar::float32;
  int ordinal = 0;         // of the GPU
  void* stream = nullptr;  // on which the values are computed

  std::size_t bytes() const {
    std::size_t product = scalar_bytes(scalar);
    for (const std::size_t extent : shape) product *= extent;
    return product;
  }
};

// The values of pixels of any kind of memory as an array of the given shape.
inline nanobind::object array_on(const PixelBuffer& pixels, void* data, Scalar scalar, void* stream,
                                 const std::vector<std::size_t>& shape) {
  if (pixels.kind() == MemoryKind::host) return array_of(pixels, data, dtype_of(scalar), shape);
  DeviceArray array{pixels.memory(), data, shape, scalar, 0, stream};
  if (!array.memory) array.memory = Memory(pixels.view().colour, [](auto*) {});
  if (data != nullptr) array.ordinal = device::ordinal_of(data);
  return nanobind::cast(std::move(array));
}

inline nanobind::object colours_on(const PixelBuffer& pixels, const Format& format, void* stream,
                                   std::vector<std::size_t> shape) {
  shape.push_back(static_cast<std::size_t>(format.channels));
  return array_on(pixels, pixels.view().colour, format.scalar, stream, shape);
}

inline nanobind::object depths_on(const PixelBuffer& pixels, const Format& format, void* stream,
                                  const std::vector<std::size_t>& shape) {
  if (!format.depth) return nanobind::none();
  return array_on(pixels, pixels.view().depth, Scalar::float32, stream, shape);
}

}  // namespace sortlast::python
