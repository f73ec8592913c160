// Box pixels.
//
// A string lists parts in any order: a header, the rectangle of a part that was blended, and the pixels,
// colours and then depths, each padded to 8 bytes.
#include "sortlast/execute/layers/box_pixels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

constexpr std::size_t alignment = 8;  // of all that a string holds

enum class Kind : std::uint32_t { image, blended, reference };

struct Header {
  BoxTable::Place first = 0;  // of a reference the rank
  BoxTable::Place last = 0;
  std::int64_t begin = 0;   // among the pixels of the box, of a reference of the frame
  std::uint32_t count = 0;  // of pixels
  Kind kind = Kind::image;
};
static_assert(sizeof(Header) % alignment == 0 && sizeof(Rectangle) % alignment == 0);

std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

[[noreturn]] void refuse(const std::string& what) {
  throw Error("images of another rank came damaged: " + what);
}

void append_header(const BoxPixels& part, Bytes& out) {
  if (part.stored.size() > std::int64_t{0xffffffff})
    throw ArgumentError("a part of an image has " + std::to_string(part.stored.size()) +
                        " pixels; expected less than 2^32");
  out.append_value(Header{part.first, part.last, part.stored.begin,
                          static_cast<std::uint32_t>(part.stored.size()),
                          part.blended ? Kind::blended : Kind::image});
  if (part.blended) out.append_value(part.box);
}

template <typename Value>
Value take(LayerContent::String& string, const char* within) {
  Value value;
  if (string.size() < sizeof value) refuse(std::string("they end within ") + within);
  std::memcpy(&value, string.data(), sizeof value);
  string = string.subspan(sizeof value);
  return value;
}

bool within(const Rectangle& box, Size frame) {
  return box.x0 >= 0 && box.y0 >= 0 && box.x0 <= box.x1 && box.y0 <= box.y1 && box.x1 <= frame.width &&
         box.y1 <= frame.height;
}

}  // namespace

// ---- Pixels ---------------------------------------------------------------------------------------

Range pixels_of_box(const Rectangle& box, Range pixels, std::int64_t frame_width) {
  const std::int64_t columns = box.x1 - box.x0;
  if (pixels.empty() || columns <= 0 || box.y0 >= box.y1) return {};
  // The box's pixels before one of the frame's.
  const auto before = [&](std::int64_t pixel) {
    const std::int64_t row = pixel / frame_width;
    if (row < box.y0) return std::int64_t{0};
    if (row >= box.y1) return (box.y1 - box.y0) * columns;
    return (row - box.y0) * columns +
           std::clamp(pixel - row * frame_width - box.x0, std::int64_t{0}, columns);
  };
  return {before(pixels.begin), before(pixels.end)};
}

BoxPixels clipped(BoxPixels part, Range pixels, std::int64_t frame_width, const Format& stored) {
  const Range kept = intersection(part.stored, pixels_of_box(part.box, pixels, frame_width));
  if (kept.empty()) {
    part.stored = {};
    return part;
  }
  if (part.pixels.colour != nullptr)
    part.pixels = advance(part.pixels, stored, kept.begin - part.stored.begin);
  part.stored = kept;
  return part;
}

std::size_t padded_colour_bytes(const Format& format, std::int64_t pixels) {
  return padded(static_cast<std::size_t>(pixels) * format.colour_bytes());
}

std::size_t padded_depth_bytes(const Format& format, std::int64_t pixels) {
  return format.depth ? padded(static_cast<std::size_t>(pixels) * sizeof(float)) : 0;
}

std::size_t BoxPixelFormat::bytes(bool blended, std::int64_t pixels) const {
  const Format& format = of(blended);
  return sizeof(Header) + (blended ? sizeof(Rectangle) : 0) + padded_colour_bytes(format, pixels) +
         padded_depth_bytes(format, pixels);
}

// ---- Strings --------------------------------------------------------------------------------------

void append_part(const BoxPixelFormat& format, const BoxPixels& part, Bytes& out) {
  append_header(part, out);
  const Format& stored = format.of(part.blended);
  const auto count = static_cast<std::size_t>(part.stored.size());
  const auto append_padded = [&](const void* from, std::size_t bytes) {
    std::byte* const to = out.grow(padded(bytes));
    std::memcpy(to, from, bytes);
    std::memset(to + bytes, 0, padded(bytes) - bytes);
  };
  append_padded(part.pixels.colour, count * stored.colour_bytes());
  if (stored.depth) append_padded(part.pixels.depth, count * sizeof(float));
}

Pixels append_blended(const BoxPixelFormat& format, const BoxPixels& part, Bytes& out) {
  append_header(part, out);
  const Format& stored = format.accumulator;
  const std::size_t colours = padded_colour_bytes(stored, part.stored.size());
  const std::size_t depths = padded_depth_bytes(stored, part.stored.size());
  std::byte* const to = out.grow(colours + depths);
  std::memset(to + colours - alignment, 0, alignment);  // what pads them, if anything
  if (depths > 0) std::memset(to + colours + depths - alignment, 0, alignment);
  return {to, stored.depth ? reinterpret_cast<float*>(to + colours) : nullptr};
}

void append_reference(const BoxReference& reference, Bytes& out) {
  constexpr std::int64_t most = 0xffffffff;
  const Range pixels = reference.pixels;
  for (std::int64_t begin = pixels.begin; begin < pixels.end; begin += most)
    out.append_value(Header{static_cast<BoxTable::Place>(reference.rank), 0, begin,
                            static_cast<std::uint32_t>(std::min(most, pixels.end - begin)), Kind::reference});
}

void read_string(const BoxPixelFormat& format, LayerContent::String string, Range pixels,
                 const BoxTable& table, BoxString& found) {
  if (reinterpret_cast<std::uintptr_t>(string.data()) % alignment != 0) refuse("they are not aligned");
  while (!string.empty()) {
    const auto header = take<Header>(string, "a header");
    if (header.kind == Kind::reference) {
      if (header.begin < pixels.begin || header.begin > pixels.end ||
          header.count > pixels.end - header.begin)
        refuse("they refer to pixels beyond those that they should be of");
      found.references.push_back(
          {static_cast<std::int32_t>(header.first), {header.begin, header.begin + header.count}});
      continue;
    }
    if (header.kind != Kind::image && header.kind != Kind::blended)
      refuse("they are of no kind that is known");
    if (header.first > header.last || header.last >= table.size())
      refuse("they are at a place in depth that no image has");
    BoxPixels part{header.first, header.last, header.kind == Kind::blended, table.at(header.first).box,
                   {},           {}};
    if (part.blended) part.box = take<Rectangle>(string, "a rectangle");
    if (!within(part.box, table.frame())) refuse("they have pixels outside the frame");
    const Range there = pixels_of_box(part.box, pixels, table.frame().width);
    if (header.count == 0 || header.begin < there.begin || header.begin > there.end ||
        header.count > there.end - header.begin)
      refuse("they have pixels beyond those that they should be of");
    part.stored = {header.begin, header.begin + header.count};
    const Format& stored = format.of(part.blended);
    const std::size_t colours = padded_colour_bytes(stored, header.count);
    const std::size_t bytes = colours + padded_depth_bytes(stored, header.count);
    if (bytes > string.size()) refuse("they end within pixels");
    part.pixels = {string.data(),
                   stored.depth ? reinterpret_cast<const float*>(string.data() + colours) : nullptr};
    found.parts.push_back(part);
    string = string.subspan(bytes);
  }
}

// Counts the parts of each place.
void sort_by_place(std::vector<BoxPixels>& parts, std::size_t places) {
  std::vector<std::uint32_t> next(places + 1, 0);
  for (const BoxPixels& part : parts) ++next[part.first + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<BoxPixels> sorted(parts.size());
  for (const BoxPixels& part : parts) sorted[next[part.first]++] = part;
  parts = std::move(sorted);
}

}  // namespace sortlast
