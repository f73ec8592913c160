// Images, memory for results and channels as the Python package passes them, and channels as arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "device_array.hpp"
#include "image_arrays.hpp"
#include "sortlast/compositor.hpp"

namespace sortlast::python {

using Output = nanobind::ndarray<nanobind::c_contig, nanobind::device::cpu>;
using Out = std::optional<std::variant<Output, DeviceArray>>;

// An image in the form of sortlast._arrays.Picture: a tuple.
inline ImageView view_of(const nanobind::tuple& picture,
                         const std::optional<std::array<std::int64_t, 4>>& bounds) {
  const nanobind::handle colour = picture[0];
  const nanobind::handle depth = picture[1];
  ImageView image{{},
                  {nanobind::cast<std::int64_t>(picture[3]), nanobind::cast<std::int64_t>(picture[2])},
                  {scalar_from_name(nanobind::cast<std::string>(picture[5])), nanobind::cast<int>(picture[4]),
                   nanobind::cast<bool>(picture[6])},
                  {}};
  if (nanobind::isinstance<DeviceArray>(colour)) {
    const auto& plane = nanobind::cast<const DeviceArray&>(colour);
    image.memory = MemoryKind::device;
    image.stream = plane.stream;
    image.pixels.colour = static_cast<const std::byte*>(plane.data);
    if (!depth.is_none())
      image.pixels.depth = static_cast<const float*>(nanobind::cast<const DeviceArray&>(depth).data);
    if (bounds) image.bounds = Rectangle{(*bounds)[0], (*bounds)[1], (*bounds)[2], (*bounds)[3]};
    return image;
  }
  if (!colour.is_none()) image.pixels.colour = static_cast<const std::byte*>(data_of(colour.ptr()));
  if (!depth.is_none()) image.pixels.depth = static_cast<const float*>(data_of(depth.ptr()));
  if (bounds) image.bounds = Rectangle{(*bounds)[0], (*bounds)[1], (*bounds)[2], (*bounds)[3]};
  return image;
}

// The caller's arrays for finished pixels, which the caller keeps alive; none: no pixels.
inline PixelBuffer output_of(const Out& given, const Out& given_depth) {
  if (!given) return {};
  if (const auto* const array = std::get_if<DeviceArray>(&*given)) {
    const auto* const plane = given_depth ? &std::get<DeviceArray>(*given_depth) : nullptr;
    auto kept = std::make_shared<std::pair<Memory, Memory>>(array->memory, plane ? plane->memory : Memory());
    const Pixels pixels{static_cast<std::byte*>(array->data),
                        plane ? static_cast<float*>(plane->data) : nullptr};
    return {Memory(kept, pixels.colour), pixels, MemoryKind::device};
  }
  const std::optional<Output> colour = std::get<Output>(*given);
  const std::optional<Output> depth =
      given_depth ? std::optional(std::get<Output>(*given_depth)) : std::nullopt;
  const Pixels pixels{static_cast<std::byte*>(colour->data()),
                      depth ? static_cast<float*>(depth->data()) : nullptr};
  auto kept = [arrays = std::make_shared<std::pair<Output, std::optional<Output>>>(*colour, depth)](
                  std::byte*) mutable {
    const nanobind::gil_scoped_acquire acquire;
    arrays.reset();
  };
  return {Memory(pixels.colour, std::move(kept)), pixels};
}

// Channels in the form of sortlast._channels.Channel.
inline std::vector<Channel> channels_of(const nanobind::object& described) {
  std::vector<Channel> channels;
  for (const nanobind::handle one : described) {
    Channel channel;
    channel.name = nanobind::cast<std::string>(one.attr("name"));
    const bool whole =
        nanobind::cast<std::string>(one.attr("type")) == channel_type_name(ChannelType::uint32);
    channel.type = whole ? ChannelType::uint32 : ChannelType::float32;
    channel.width = nanobind::cast<int>(one.attr("width"));
    if (const auto values = nanobind::cast<std::optional<Array>>(one.attr("values")))
      channel.values = values->data();
    channel.rule = channel_rule_from_name(nanobind::cast<std::string>(one.attr("rule")));
    channel.threshold = nanobind::cast<float>(one.attr("threshold"));
    channel.background = nanobind::cast<std::vector<double>>(one.attr("background"));
    channels.push_back(std::move(channel));
  }
  return channels;
}

// The values of a channel for pixels of that shape, without a copy.
inline nanobind::object channel_array(const ChannelPlane& plane, std::vector<std::size_t> shape) {
  using nanobind::dlpack::dtype_code;
  if (plane.width > 1) shape.push_back(static_cast<std::size_t>(plane.width));
  const auto code = plane.type == ChannelType::uint32 ? dtype_code::UInt : dtype_code::Float;
  return array_of({plane.memory, Pixels{plane.memory.get(), nullptr}}, plane.memory.get(),
                  {static_cast<std::uint8_t>(code), 32, 1}, shape);
}

inline nanobind::dict channel_arrays(const std::vector<ChannelPlane>& planes,
                                     const std::vector<std::size_t>& shape) {
  nanobind::dict arrays;
  for (const ChannelPlane& plane : planes) arrays[plane.name.c_str()] = channel_array(plane, shape);
  return arrays;
}

}  // namespace sortlast::python
