// Packed pixels: a header, the runs, the colours and the depths. Each part except the runs starts at a
// multiple of 64 bytes.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/image/active.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {
namespace {

struct Header {
  std::uint32_t runs;
  std::uint32_t pixels;
};
static_assert(sizeof(ActiveRun) == 12 && alignof(ActiveRun) <= sizeof(Header));

constexpr std::size_t alignment = 64;
constexpr std::size_t rounded_up(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Offsets of the parts, and the total size.
struct Layout {
  std::size_t colour;
  std::size_t depth;
  std::size_t bytes;

  Layout(const Format& format, std::size_t runs, std::size_t pixels)
      : colour(rounded_up(sizeof(Header) + runs * sizeof(ActiveRun))),
        depth(colour + rounded_up(pixels * format.colour_bytes())),
        bytes(format.depth ? depth + rounded_up(pixels * sizeof(float)) : depth) {}
};

std::size_t pixels_of(std::span<const ActiveRun> runs) {
  std::size_t pixels = 0;
  for (const ActiveRun& run : runs) pixels += run.count;
  return pixels;
}

Format stored_format(const Format& format, Scalar scalar) { return {scalar, format.channels, format.depth}; }

void write_runs(std::span<const ActiveRun> runs, std::int64_t origin, std::byte* out) {
  std::uint32_t at = 0;
  for (const ActiveRun& run : runs) {
    const ActiveRun packed{static_cast<std::uint32_t>(run.begin - origin), run.count, at};
    std::memcpy(out, &packed, sizeof packed);
    out += sizeof packed;
    at += run.count;
  }
}

template <std::size_t bytes>
void gather(const std::byte* from, std::span<const ActiveRun> runs, std::byte* to) {
  for (const ActiveRun& run : runs) {
    copy_pixels<bytes>(to, from + run.at * bytes, run.count);
    to += run.count * bytes;
  }
}

// Gather pixels into a block that stays in the first-level cache, and convert the block whenever it is full.
void gather_converted(const Format& format, const std::byte* from, std::span<const ActiveRun> runs,
                      Scalar scalar, std::byte* to) {
  constexpr std::size_t block_pixels = 512;
  alignas(alignment) std::array<std::byte, block_pixels * 4 * sizeof(float)> block;
  std::size_t held = 0;
  const auto convert = [&] {
    const Link link{{block.data(), nullptr}, format.scalar};
    blend(Op::add, format.channels, false, {&link, 1}, {to, nullptr}, scalar,
          static_cast<std::int64_t>(held));
    to += held * stored_format(format, scalar).colour_bytes();
    held = 0;
  };
  with_colour_bytes(format.colour_bytes(), [&](auto bytes) {
    for (const ActiveRun& run : runs)
      for (std::size_t done = 0; done < run.count;) {
        const std::size_t count = std::min(run.count - done, block_pixels - held);
        copy_pixels<bytes>(block.data() + held * bytes, from + (run.at + done) * bytes, count);
        done += count;
        held += count;
        if (held == block_pixels) convert();
      }
  });
  if (held > 0) convert();
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error("packed pixels: " + what + "; the sender packed another format or size, or the bytes changed");
}

void check_runs(std::span<const ActiveRun> runs, std::uint32_t pixels, std::int64_t n) {
  std::int64_t end = 0;
  std::int64_t stored = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ActiveRun& run = runs[i];
    const auto begin = static_cast<std::int64_t>(run.begin);
    const auto name = [&] {
      return "run " + std::to_string(i) + " of " + std::to_string(runs.size()) + " (pixels [" +
             std::to_string(begin) + ", " + std::to_string(begin + run.count) + "))";
    };
    if (run.count == 0) refuse(name() + " is empty");
    if (begin < end) refuse(name() + " begins before pixel " + std::to_string(end) + ", where the last ends");
    if (begin + run.count > n) refuse(name() + " passes the end of the stretch of " + std::to_string(n));
    if (run.at != stored)
      refuse(name() + " claims to be stored from " + std::to_string(run.at) + " on, not from " +
             std::to_string(stored));
    end = begin + run.count;
    stored += run.count;
  }
  if (stored != pixels)
    refuse("the runs hold " + std::to_string(stored) + " pixels, the header says " + std::to_string(pixels));
}

}  // namespace

std::size_t packed_bytes(const Format& format, Scalar scalar, std::span<const ActiveRun> runs) {
  return Layout(stored_format(format, scalar), runs.size(), pixels_of(runs)).bytes;
}

void pack(const Format& format, ConstPixels pixels, std::span<const ActiveRun> runs, std::int64_t origin,
          Scalar scalar, std::byte* out) {
  const std::size_t count = pixels_of(runs);
  const Format stored = stored_format(format, scalar);
  const Layout layout(stored, runs.size(), count);

  // Clear the gaps between the parts, so that equal pixels are packed into equal bytes.
  const auto clear = [&](std::size_t begin, std::size_t end) { std::memset(out + begin, 0, end - begin); };
  clear(sizeof(Header) + runs.size() * sizeof(ActiveRun), layout.colour);
  clear(layout.colour + count * stored.colour_bytes(), layout.depth);
  if (format.depth) clear(layout.depth + count * sizeof(float), layout.bytes);

  // Write the parts.
  const Header header{static_cast<std::uint32_t>(runs.size()), static_cast<std::uint32_t>(count)};
  std::memcpy(out, &header, sizeof header);
  write_runs(runs, origin, out + sizeof header);
  if (scalar == format.scalar)
    with_colour_bytes(format.colour_bytes(),
                      [&](auto bytes) { gather<bytes>(pixels.colour, runs, out + layout.colour); });
  else
    gather_converted(format, pixels.colour, runs, scalar, out + layout.colour);
  if (format.depth)
    gather<sizeof(float)>(reinterpret_cast<const std::byte*>(pixels.depth), runs, out + layout.depth);
}

Packed unpack(const Format& format, const std::byte* data, std::size_t bytes, std::int64_t n) {
  if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0)
    throw ArgumentError("packed pixels: the address is no multiple of 64");
  if (bytes < sizeof(Header)) refuse(std::to_string(bytes) + " bytes are too few for a header");
  Header header;
  std::memcpy(&header, data, sizeof header);

  // Computed in 64 bits: up to 2^32 runs of 12 bytes and 2^32 pixels of 20 bytes.
  const Layout layout(format, header.runs, header.pixels);
  if (layout.bytes != bytes)
    refuse("the header asks for " + std::to_string(layout.bytes) + " bytes (" + std::to_string(header.runs) +
           " runs of " + std::to_string(header.pixels) + " pixels of " + format_name(format) + "), but " +
           std::to_string(bytes) + " are there");
  const std::span runs(reinterpret_cast<const ActiveRun*>(data + sizeof header), header.runs);
  check_runs(runs, header.pixels, n);
  return {
      {data + layout.colour, format.depth ? reinterpret_cast<const float*>(data + layout.depth) : nullptr},
      runs};
}

}  // namespace sortlast
