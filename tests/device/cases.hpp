// Blends of random images by the device kernels: as host functions, through the driver, and by the scalar
// reference.
#pragma once

#include <gtest/gtest.h>

#include <tuple>

#include "device/gpu.hpp"
#include "device/host_kernels.hpp"
#include "image/images.hpp"
#include "sortlast/error.hpp"
#include "sortlast/image/device/launch.hpp"

namespace sortlast::testing {

// A blend of images, from pixel `first` of each on.
struct Case {
  Op op;
  std::vector<Image> images;
  std::vector<Side> sides;
  Scalar out = Scalar::float32;
  std::int64_t first = 0;
  std::int64_t n = 0;
  std::optional<DeviceBackground> background = {};
  std::vector<std::pair<std::int64_t, std::int64_t>> stored = {};  // ranges; none: all pixels
  int channels = 4;
  bool depth = false;

  Format out_format() const { return {out, channels, depth}; }
};

inline Case make_case(Op op, const Format& format, std::vector<Image> images, std::mt19937& random) {
  Case made{op, std::move(images), {}};
  for (std::size_t k = 0; k < made.images.size(); ++k) made.sides.push_back(random_side(random));
  made.out = format.scalar;
  made.channels = format.channels;
  made.depth = format.depth;
  return made;
}

// Pixels that a link does not store are empty.
inline void clear_outside(Image& image, std::pair<std::int64_t, std::int64_t> stored, std::int64_t first,
                          std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    if (i >= stored.first && i < stored.second) continue;
    std::memset(image.pixels(first + i).colour, 0, image.format().colour_bytes());
    if (image.format().depth) image.set_depth(first + i, std::numeric_limits<float>::infinity());
  }
}

inline Image expected(const Case& c) {
  std::vector<Image> images = c.images;
  std::vector<Link> chain;
  for (std::size_t k = 0; k < images.size(); ++k) {
    if (!c.stored.empty()) clear_outside(images[k], c.stored[k], c.first, c.n);
    chain.push_back({images[k].pixels(c.first), images[k].format().scalar, c.sides[k]});
  }
  Image out(c.out_format(), c.first + c.n);
  if (chain.empty())
    fill_absent(c.op, c.out_format(), c.background.has_value(), out.pixels(c.first), c.n);
  else
    blend_reference(c.op, c.channels, c.depth, chain, out.pixels(c.first), c.out, c.n);
  if (c.background)
    apply_background(c.op, c.out_format(),
                     std::span(c.background->colour).first(static_cast<std::size_t>(c.channels)),
                     out.pixels(c.first), c.n);
  return out;
}

// The launches for images whose pixel `first` is at these places.
inline std::vector<DeviceLaunch> launches_of(const Case& c, const std::vector<Pixels>& places, Pixels out) {
  std::vector<DeviceLink> chain;
  for (std::size_t k = 0; k < places.size(); ++k) {
    chain.push_back({places[k], c.images[k].format().scalar, c.sides[k]});
    if (!c.stored.empty()) std::tie(chain[k].begin, chain[k].end) = c.stored[k];
  }
  return device_blend(c.op, c.channels, c.depth, chain, out, c.out, c.n,
                      c.background ? &*c.background : nullptr);
}

inline Image on_host(const Case& c, std::vector<std::string>* kernels = nullptr) {
  std::vector<Image> images = c.images;
  std::vector<Pixels> places;
  for (Image& image : images) places.push_back(image.pixels(c.first));
  Image out(c.out_format(), c.first + c.n);
  for (const DeviceLaunch& launch : launches_of(c, places, out.pixels(c.first))) {
    const HostKernel* const kernel = host_kernel(launch.kernel);
    if (kernel == nullptr) throw Error("no kernel " + launch.kernel);
    for (std::int64_t thread = 0; thread < std::int64_t{launch.blocks} * launch.threads; ++thread)
      kernel->run(launch.arguments, thread);
    if (kernels != nullptr) kernels->push_back(launch.kernel);
  }
  return out;
}

// A GPU with the kernels, and memory for the images of one case at a time.
class Device {
 public:
  Image run(const Case& c) {
    used_ = 0;
    std::vector<Pixels> places;
    for (Image image : c.images) places.push_back(advance(place(image, c), image.format(), c.first));
    Image out(c.out_format(), c.first + c.n);
    const Pixels to = place(out, c);
    for (const DeviceLaunch& launch : launches_of(c, places, advance(to, c.out_format(), c.first)))
      device::launch(gpu_.stream, module_.function(launch.kernel), launch.blocks, launch.threads,
                     &launch.arguments);
    copy(out.pixels(), to, c.out_format(), c.first + c.n);
    gpu_.stream.synchronize();
    return out;
  }

 private:
  // A copy of an image in the memory of the GPU, with the same alignment.
  Pixels place(Image& image, const Case& c) {
    const std::int64_t n = c.first + c.n;
    Pixels at{take(static_cast<std::size_t>(n) * image.format().colour_bytes(), image.pixels().colour),
              nullptr};
    if (image.format().depth)
      at.depth =
          reinterpret_cast<float*>(take(static_cast<std::size_t>(n) * sizeof(float), image.pixels().depth));
    copy(at, image.pixels(), image.format(), n);
    gpu_.stream.synchronize();
    return at;
  }

  std::byte* take(std::size_t bytes, const void* like) {
    used_ = (used_ + 63) / 64 * 64 + reinterpret_cast<std::uintptr_t>(like) % 16;
    std::byte* const at = memory_.get() + used_;
    used_ += bytes;
    if (used_ > size) throw Error("the case is too large");
    return at;
  }

  void copy(Pixels to, Pixels from, const Format& format, std::int64_t n) {
    const auto pixels = static_cast<std::size_t>(n);
    device::copy(gpu_.stream, to.colour, from.colour, pixels * format.colour_bytes());
    if (format.depth) device::copy(gpu_.stream, to.depth, from.depth, pixels * sizeof(float));
  }

  static constexpr std::size_t size = 64 << 20;
  Gpu gpu_;
  device::Module module_{gpu_.context, device_kernels_text()};
  device::Owned memory_ = device::allocate(gpu_.context, size);
  std::size_t used_ = 0;
};

class Kernels : public ::testing::Test {
 protected:
  void expect_reference(const Case& c) {
    const Image right = expected(c);
    const std::string what = std::string(op_name(c.op)) + ", " + std::to_string(c.images.size()) + " images" +
                             (c.images.empty() ? "" : " of " + format_name(c.images.front().format())) +
                             " to " + format_name(c.out_format()) + ", n = " + std::to_string(c.n) +
                             ", first = " + std::to_string(c.first) + (c.background ? ", background" : "");
    EXPECT_TRUE(on_host(c) == right) << "on the host: " << what;
    EXPECT_TRUE(device_.run(c) == right) << "through the driver: " << what;
  }

  // Random images of the format; if `mixed`, each of a random scalar type.
  std::vector<Image> images(const Format& format, std::size_t k, std::int64_t n, bool mixed = false) {
    std::vector<Image> made;
    for (std::size_t i = 0; i < k; ++i) {
      Format own = format;
      if (mixed) own.scalar = all_scalars[random_() % 3];
      made.push_back(random_image(own, n, random_));
    }
    return made;
  }

  static constexpr std::int64_t lengths[] = {1, 2, 3, 5, 15, 16, 17, 63, 300, 1025};
  std::int64_t random_length() { return lengths[random_() % std::size(lengths)]; }

  std::mt19937 random_{11};
  Device device_;
};

}  // namespace sortlast::testing
