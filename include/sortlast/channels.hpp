// Channels: values of a pixel other than colour and depth (ids, normals), and how they are composited.
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

// Type of a channel's values, 4 bytes each.
enum class ChannelType : std::uint8_t { uint32, float32 };

SORTLAST_API std::string_view channel_type_name(ChannelType type);

// How the values of several images at one pixel become one. A rank has drawn a pixel if its colour is not 0,
// its depth is finite, or a channel with the rule blend is not 0 (closest ignores channels here). Pixels that
// a rank has not drawn take no part.
//   automatic    blend, but front for uint32 under `over`
//   blend        the same operator as for the colours: closest takes the winner's values; over weighs them by
//   the
//                colours' alpha (premultiplied, float32 only); add, max and min work on each value
//                separately,
//                for uint32 modulo 2^32
//   front        only with `over`: the values of the front-most image with its own alpha above the threshold
//   accumulated  only with `over`: the values of the image at which the alpha composited from front to back
//                first exceeds the threshold. Every image's values then travel to the last step.
enum class ChannelRule : std::uint8_t { automatic, blend, front, accumulated };

SORTLAST_API std::string_view channel_rule_name(ChannelRule rule);
// Throws ArgumentError with a list of the valid names.
SORTLAST_API ChannelRule channel_rule_from_name(std::string_view name);

// One channel of one rank's image. All ranks pass the same channels, in any order, with the same types,
// widths, rules and backgrounds; only the values differ.
struct Channel {
  std::string name = {};  // not empty, without '=' or control characters
  ChannelType type = ChannelType::float32;
  int width = 1;  // values per pixel, side by side: 1 or more
  // Row-major, 4-byte aligned, for all pixels of the image; null on a rank without an image.
  const void* values = nullptr;
  ChannelRule rule = ChannelRule::automatic;
  float threshold = 0;  // for front and accumulated: in [0, 1)
  // Empty, or `width` values of a pixel behind all images. They show where nobody drew, and elsewhere
  // according to the rule (blend: behind the composite; front, accumulated: where no image exceeds the
  // threshold). Empty: 0 where nobody drew, and nothing behind other pixels.
  std::vector<double> background = {};
};

// A channel of float or std::uint32_t values, `width` per pixel.
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

// A channel's finished values, for the pixels of a tile or of a whole image. Copies share them.
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
