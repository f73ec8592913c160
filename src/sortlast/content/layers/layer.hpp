// Layer: pixels of one image, or of several joined images, with all channels, as a part of a byte string.
//
// A string holds the contributions of some ranks to a range of the frame's pixels: any number of layers,
// possibly none. Each layer is a header, its runs or its box, and one plane per value of a pixel: colour,
// depth, picks (a bit for each channel with the rule front: whether the pixel's values belong to an image
// above the threshold), depth place, and the channels by name. All begin at multiples of 8 bytes.
//
// The pixels of a box that lie in a range of the frame are also consecutive in the box: whole rows, except
// for the first and the last. One header and one copy per plane therefore suffice for any number of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/content/layers/layout.hpp"
#include "sortlast/content/strings/bytes.hpp"
#include "sortlast/image/active.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Consecutive depth places, 0 being the frontmost of all images of all ranks.
struct DepthRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  std::uint64_t size() const { return std::uint64_t{last} - first + 1; }
  // The halves of a node of the tree described in join.hpp.
  DepthRange front_half() const { return {first, first + (last - first) / 2}; }
  DepthRange back_half() const { return {first + (last - first) / 2 + 1, last}; }
  bool operator==(const DepthRange&) const = default;
};

// The pixels of a layer, counted row by row in its box or, without a box, in the frame: all of `stored` or,
// if there are runs or no box, runs of it.
struct LayerShape {
  DepthRange places;
  Scalar scalar = Scalar::float32;  // of the colours
  bool located = false;             // each pixel has a separate depth place, regardless of `places`
  std::uint32_t runs = 0;
  std::uint32_t pixels = 0;  // sum of the runs' counts
  Rectangle box = {};
  Range stored = {};

  bool has_box() const { return box.x0 < box.x1; }
  bool dense() const { return runs == 0 && has_box(); }
  std::int64_t count() const { return dense() ? stored.size() : pixels; }
};

// A layer to be read: views into a string, an image or separate memory.
struct Layer {
  LayerShape shape;
  std::span<const ActiveRun> runs;  // counted from shape.stored.begin, ascending, disjoint
  // The planes. Run::at is an index into them; without runs, index 0 is the first stored pixel.
  ConstPixels pixels;
  const std::byte* picks = nullptr;
  const std::uint32_t* places = nullptr;
  std::vector<const std::byte*> channels;

  std::uint32_t place(std::uint32_t pixel) const {
    return places == nullptr ? shape.places.first : places[pixel];
  }
  template <typename T>
  const T* values(std::size_t channel) const {
    return reinterpret_cast<const T*>(channels[channel]);
  }
};

// A layer to be filled in, at the end of a string.
struct LayerRoom {
  std::span<ActiveRun> runs;
  Pixels pixels;
  std::byte* picks = nullptr;
  std::uint32_t* places = nullptr;
  std::vector<std::byte*> channels;

  template <typename T>
  T* values(std::size_t channel) const {
    return reinterpret_cast<T*>(channels[channel]);
  }
};

// Images of a rank that are read in place, restricted to these pixels.
struct ImageReference {
  std::int32_t rank = 0;
  Range pixels;
};

// ---- Strings --------------------------------------------------------------------------------------

// Bytes of a layer in a string.
std::size_t layer_bytes(const ChannelLayout& layout, const LayerShape& shape);

// Append a layer of that shape, to be filled in. The room is valid until the string grows again.
LayerRoom append_layer(const ChannelLayout& layout, const LayerShape& shape, Bytes& out);
// Append a copy of a layer, with the given depth places.
void append_copy(const ChannelLayout& layout, const Layer& layer, DepthRange places, Bytes& out);
// Append a reference; nothing if it has no pixels.
void append_reference(const ImageReference& reference, Bytes& out);

// Append the layers of a string of `pixels`, or of some of them, to `layers`, and its references to
// `references`; if that is null there must be none. Throws Error if the string is corrupt.
void read_string(const ChannelLayout& layout, std::span<const std::byte> string, Range pixels,
                 std::vector<Layer>& layers, std::vector<ImageReference>* references = nullptr);

// Append the part `pixels` of a string of the pixels `from`.
void cut_layers(const ChannelLayout& layout, std::span<const std::byte> string, Range from, Range pixels,
                Bytes& out);

// ---- Pixels ---------------------------------------------------------------------------------------

// The pixels of a box, row by row, that lie in a range of the frame's pixels; may be empty.
Range pixels_of_box(const Rectangle& box, Range pixels, std::int64_t frame_width);

// The pixels of a layer that lie in the range; may be empty. `runs` holds its runs, if it has any.
Layer clipped(const ChannelLayout& layout, Layer layer, Range pixels, std::vector<ActiveRun>& runs);

// Copy `count` pixels with all values of the layer; both layers must store their colours as the same scalar.
void copy_pixels(const ChannelLayout& layout, const Layer& from, std::size_t at, const LayerRoom& to,
                 std::size_t to_at, std::size_t count);

// The alphas of n pixels of RGBA, stored as `scalar`.
std::vector<float> alphas_of(Scalar scalar, const std::byte* colour, std::int64_t n);

// Call action(pixels of the frame, all in one row; index of the first in the planes) for all pixels of a
// layer that has a box.
template <typename Action>
void for_each_row(const Layer& layer, std::int64_t frame_width, const Action& action) {
  const Rectangle& box = layer.shape.box;
  const std::int64_t columns = box.x1 - box.x0;
  const auto rows_of = [&](Range pixels, std::int64_t number) {  // of the box
    if (pixels.empty()) return;
    std::int64_t at = pixels.begin;
    for (std::int64_t row = at / columns; at < pixels.end; ++row) {
      const std::int64_t end = std::min((row + 1) * columns, pixels.end);
      const std::int64_t begin = (box.y0 + row) * frame_width + box.x0 + at - row * columns;
      action(Range{begin, begin + end - at}, number);
      number += end - at;
      at = end;
    }
  };
  if (layer.shape.dense()) return rows_of(layer.shape.stored, 0);
  for (const ActiveRun& run : layer.runs) {
    const std::int64_t begin = layer.shape.stored.begin + run.begin;
    rows_of({begin, begin + run.count}, run.at);
  }
}

}  // namespace sortlast
