// Channels: what a pixel holds beside its colour and depth (ids, normals), and how it is
// composited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sortlast/export.hpp"

namespace sortlast {

// Type of a channel's values: both are 4 bytes.
enum class ChannelType : std::uint8_t { uint32, float32 };

SORTLAST_API std::string_view channel_type_name(ChannelType type);

// How the values of several images at one pixel become one. A pixel counts as drawn by a rank if its colour
// is not 0, its depth is finite, or a channel of the rule blend is not 0 (closest does not look at channels).
// Pixels that a rank has not drawn take no part.
//   automatic    blend, but front for uint32 under `over`
//   blend        as the operator does with the colours: closest takes the winner's; over weighs with the
//                colours' alpha (the values are premultiplied, float32 only); add, max and min work value by
//                value, on uint32 modulo 2^32
//   front        `over` alone: the values of the front-most image whose own alpha is above the threshold
//   accumulated  `over` alone: the values of the image at which the composited alpha, front to back, first
//                passes the threshold. Every image's values then travel to the last step.
enum class ChannelRule : std::uint8_t { automatic, blend, front, accumulated };

SORTLAST_API std::string_view channel_rule_name(ChannelRule rule);
// Throws ArgumentError, listing the names that exist.
SORTLAST_API ChannelRule channel_rule_from_name(std::string_view name);

// One channel of one rank's image. All ranks pass the same channels, in any order, with the same types,
// widths, rules and backgrounds; only the values are a rank's own.
struct Channel {
  std::string name = {};  // not empty, without '=' and control characters
  ChannelType type = ChannelType::float32;
  int width = 1;  // values of a pixel, side by side: 1 or more
  // As many pixels as the image has, row-major, 4-byte aligned; null on a rank without an image.
  const void* values = nullptr;
  ChannelRule rule = ChannelRule::automatic;
  float threshold = 0;  // of front and accumulated: 0 to below 1
  // Empty, or `width` values of a pixel behind all images: where nobody drew, and otherwise as the rule has
  // it (blend: behind the composite; front, accumulated: where no image passes the threshold). Empty: 0
  // where nobody drew, and nothing behind other pixels.
  std::vector<double> background = {};
};

// A channel of float or std::uint32_t values, `width` a pixel.
template <typename T>
Channel channel(std::string name, std::span<const T> values, int width = 1) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::uint32_t>,
                "expected float or std::uint32_t");
  Channel made;
  made.name = std::move(name);
  made.type = std::is_same_v<T, float> ? ChannelType::float32 : ChannelType::uint32;
  made.width = width;
  made.values = values.data();
  return made;
}

// A channel's finished values: of the pixels of a tile, or of a whole image. Copies share them.
struct ChannelPlane {
  std::string name;
  ChannelType type = ChannelType::float32;
  int width = 1;
  std::int64_t pixels = 0;
  std::shared_ptr<std::byte> memory;  // pixels * width values

  std::size_t pixel_bytes() const { return static_cast<std::size_t>(width) * 4; }
  std::size_t bytes() const { return static_cast<std::size_t>(pixels) * pixel_bytes(); }
  // The values, as float or std::uint32_t. Throws ArgumentError for a channel of the other type.
  template <typename T>
  std::span<const T> values() const;
};

namespace detail {
// Throws ArgumentError unless the plane is of the type.
SORTLAST_API void check_channel_type(const ChannelPlane& plane, ChannelType asked);
}  // namespace detail

template <typename T>
std::span<const T> ChannelPlane::values() const {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::uint32_t>,
                "expected float or std::uint32_t");
  detail::check_channel_type(*this, std::is_same_v<T, float> ? ChannelType::float32 : ChannelType::uint32);
  return {reinterpret_cast<const T*>(memory.get()), bytes() / sizeof(T)};
}

}  // namespace sortlast
