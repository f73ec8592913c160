// Launches: which device kernel blends a chain of images in device memory, and with which arguments. The room
// device/ loads the kernels and launches them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/image/blend.hpp"
#include "sortlast/image/device/arguments.hpp"

namespace sortlast {

// The text of the module with the kernels, in PTX.
std::string_view device_kernels_text();

// One image of a chain, in memory that the device can read. Pixels of the call outside [begin, end) are empty
// and not read. Planes are aligned to their scalar type. With other alignments to 16 bytes than the others of
// the chain, blending takes several times as long.
struct DeviceLink {
  ConstPixels pixels;  // from pixel 0 of the call on
  Scalar scalar = Scalar::float32;
  Side side = Side::back;
  std::int64_t begin = 0;
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

// As of Background: premultiplied, a value per channel; the depth is for closest.
struct DeviceBackground {
  std::array<float, 4> colour;
  float depth = std::numeric_limits<float>::infinity();
};

// One launch of a kernel, whose single parameter are the arguments.
struct DeviceLaunch {
  std::string kernel;
  std::uint32_t blocks;
  static constexpr std::uint32_t threads = 256;  // per block
  device_kernels::BlendArguments arguments;
};

// Launches with the result of blend() for the same chain, bit for bit, with the background if there
// is one. They are independent of each other. `out` may be the first link if it has the same scalar type, and
// no other one. A chain without links gives fill_absent() and the background. For closest, all images and the
// output have the same scalar type. A chain of one link converts to another scalar type.
// Throws ArgumentError if a plane is missing or not aligned to its scalar type, the chain has more than
// device_kernels::max_links links, n is negative, closest shall convert, or check_format() does.
std::vector<DeviceLaunch> device_blend(Op op, int channels, bool depth, std::span<const DeviceLink> chain,
                                       Pixels out, Scalar out_scalar, std::int64_t n,
                                       const DeviceBackground* background = nullptr);

}  // namespace sortlast
