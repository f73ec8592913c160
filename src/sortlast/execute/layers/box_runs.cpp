// Box runs.
#include "sortlast/execute/layers/box_runs.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

constexpr std::uint32_t blended_bit = 1U << 31U;  // of a header's count
constexpr std::size_t alignment = 8;              // of all that a string holds

struct Header {
  std::uint32_t begin = 0;  // counted from the string's first pixel
  std::uint32_t count = 0;  // of pixels, and whether they were blended
  BoxTable::Place first = 0;
  BoxTable::Place last = 0;
};
static_assert(sizeof(Header) % alignment == 0);

std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

[[noreturn]] void refuse(const std::string& what) {
  throw Error("images of another rank came damaged: " + what);
}

void append_header(const BoxRun& run, Range pixels, Bytes& out) {
  out.append_value(Header{static_cast<std::uint32_t>(run.pixels.begin - pixels.begin),
                          static_cast<std::uint32_t>(run.pixels.size()) | (run.blended ? blended_bit : 0),
                          run.first, run.last});
}

}  // namespace

std::size_t padded_colour_bytes(const Format& format, std::int64_t pixels) {
  return padded(static_cast<std::size_t>(pixels) * format.colour_bytes());
}

std::size_t padded_depth_bytes(const Format& format, std::int64_t pixels) {
  return format.depth ? padded(static_cast<std::size_t>(pixels) * sizeof(float)) : 0;
}

std::size_t BoxRunFormat::bytes(bool blended, std::int64_t pixels) const {
  const Format& format = of(blended);
  return sizeof(Header) + padded_colour_bytes(format, pixels) + padded_depth_bytes(format, pixels);
}

void append_run(const BoxRunFormat& format, const BoxRun& run, Range pixels, Bytes& out) {
  append_header(run, pixels, out);
  const Format& stored = format.of(run.blended);
  const std::int64_t count = run.pixels.size();
  const auto append_padded = [&](const void* from, std::size_t bytes) {
    std::byte* const to = out.grow(padded(bytes));
    std::memcpy(to, from, bytes);
    std::memset(to + bytes, 0, padded(bytes) - bytes);
  };
  append_padded(run.stored.colour, static_cast<std::size_t>(count) * stored.colour_bytes());
  if (stored.depth) append_padded(run.stored.depth, static_cast<std::size_t>(count) * sizeof(float));
}

Pixels append_blended(const BoxRunFormat& format, const BoxRun& run, Range pixels, Bytes& out) {
  append_header(run, pixels, out);
  const Format& stored = format.accumulator;
  const std::size_t colours = padded_colour_bytes(stored, run.pixels.size());
  const std::size_t bytes = colours + padded_depth_bytes(stored, run.pixels.size());
  std::byte* const to = out.grow(bytes);
  std::memset(to, 0, bytes);
  return {to, stored.depth ? reinterpret_cast<float*>(to + colours) : nullptr};
}

std::vector<BoxRun> parse_runs(const BoxRunFormat& format, LayerContent::String string, Range pixels,
                               std::size_t places) {
  if (reinterpret_cast<std::uintptr_t>(string.data()) % alignment != 0) refuse("they are not aligned");
  std::vector<BoxRun> runs;
  while (!string.empty()) {
    Header header;
    if (string.size() < sizeof header) refuse("they end within a header");
    std::memcpy(&header, string.data(), sizeof header);
    const bool blended = (header.count & blended_bit) != 0;
    const std::int64_t count = header.count & ~blended_bit;
    const Range part{pixels.begin + header.begin, pixels.begin + header.begin + count};
    if (count == 0 || part.end > pixels.end) refuse("they have pixels beyond those that they should be of");
    if (header.first > header.last || header.last >= places)
      refuse("they are at a place in depth that no image has");
    const std::size_t bytes = format.bytes(blended, count);
    if (bytes > string.size()) refuse("they end within a run of pixels");
    const Format& stored = format.of(blended);
    const std::byte* const colour = string.data() + sizeof header;
    const auto* const depth = reinterpret_cast<const float*>(colour + padded_colour_bytes(stored, count));
    runs.push_back({part, header.first, header.last, blended, {colour, stored.depth ? depth : nullptr}});
    string = string.subspan(bytes);
  }
  return runs;
}

void check_string_pixels(Range pixels) {
  if (pixels.size() >= blended_bit)
    throw Error("a string of " + std::to_string(pixels.size()) + " pixels; expected less than 2^31");
}

void sort_by_place(std::vector<BoxRun>& runs) {
  std::sort(runs.begin(), runs.end(), [](const BoxRun& a, const BoxRun& b) {
    return std::tie(a.first, a.pixels.begin) < std::tie(b.first, b.pixels.begin);
  });
}

}  // namespace sortlast
