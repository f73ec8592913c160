// Layer: the active pixels of neighbouring depth positions, with all channels, as a piece of a byte string.
//
// A string tells what some ranks add to a stretch of pixels. It is a row of layers, none for nothing at all.
// Each lies as a head, its runs, and planes of the active pixels one behind the other: colour, depth, picks
// (a bit for each channel of the rule front: whether the pixel's values are of an image above the threshold),
// depth position, and the channels by name. All begin at multiples of 16 bytes of the string, which
// begins at a multiple of 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/layers/bytes.hpp"
#include "sortlast/execute/layers/channels/layout.hpp"
#include "sortlast/image/active.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Depth positions [first, first + 2^level); first is a multiple of 2^level. Two halves of such an interval
// are siblings.
struct Positions {
  std::uint32_t first = 0;
  std::uint32_t level = 0;

  std::uint64_t size() const { return std::uint64_t{1} << level; }
  std::uint64_t end() const { return first + size(); }
  Positions front_half() const { return {first, level - 1}; }
  Positions back_half() const { return {first + (std::uint32_t{1} << (level - 1)), level - 1}; }
  bool operator==(const Positions&) const = default;
};

// What is stored of a layer.
struct LayerShape {
  Positions positions;
  Scalar scalar = Scalar::float32;  // of the colours
  bool located = false;             // each pixel with a depth position of its own, whatever `positions` says
  std::uint32_t runs = 0;
  std::uint32_t pixels = 0;  // the sum of the runs' counts
};

// A layer to be read; views into a string or into memory of its own.
struct Layer {
  LayerShape shape;
  std::span<const ActiveRun>
      runs;  // counted from the stretch's first pixel, ascending, apart from each other
  ConstPixels pixels;
  const std::byte* picks = nullptr;
  const std::uint32_t* positions = nullptr;
  std::vector<const std::byte*> channels;
  std::span<const std::byte> bytes;  // all of it

  std::uint32_t position(std::uint32_t pixel) const {
    return positions == nullptr ? shape.positions.first : positions[pixel];
  }
  template <typename T>
  const T* values(std::size_t channel) const {
    return reinterpret_cast<const T*>(channels[channel]);
  }
};

// A layer to be filled, at the end of a string.
struct LayerRoom {
  std::span<ActiveRun> runs;
  Pixels pixels;
  std::byte* picks = nullptr;
  std::uint32_t* positions = nullptr;
  std::vector<std::byte*> channels;

  template <typename T>
  T* values(std::size_t channel) const {
    return reinterpret_cast<T*>(channels[channel]);
  }
};

// Append a layer of that shape, to be filled. The room is valid until the string grows again.
LayerRoom append_layer(const ChannelLayout& layout, const LayerShape& shape, Bytes& out);

// Append a layer as it is, but of other depth positions.
void append_layer(const Layer& layer, Positions positions, Bytes& out);

// The layers of a string about n pixels. Throws Error, saying so, if it is damaged.
std::vector<Layer> read_layers(const ChannelLayout& layout, std::span<const std::byte> string,
                               std::int64_t n);

// Copy `count` pixels with all that a layer has of them; both store their colours in one scalar.
void copy_pixels(const ChannelLayout& layout, const Layer& from, std::uint32_t at, const LayerRoom& to,
                 std::uint32_t to_at, std::uint32_t count);

// Append the part of a string about the pixels `from` that is about `pixels`, which lie in them.
void cut_layers(const ChannelLayout& layout, std::span<const std::byte> string, Range from, Range pixels,
                Bytes& out);

}  // namespace sortlast
