// Images: sizes, views and buffers of pixels, and the names and checks of formats and operators.
#include "sortlast/image.hpp"

#include <array>
#include <limits>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {

void check_size(Size size, const Format& format) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
  const auto bytes = static_cast<std::int64_t>(format.pixel_bytes());
  const bool counts =
      size.width >= 0 && size.height >= 0 && (size.height == 0 || size.width <= most / bytes / size.height);
  if (counts) return;
  throw ArgumentError("image size is " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                      "; expected extents of 0 or more, and less than 2^61 bytes");
}

PixelBuffer::PixelBuffer(Memory memory, const Format& format, std::int64_t n, MemoryKind kind)
    : memory_(std::move(memory)), kind_(kind) {
  view_.colour = memory_.get();
  if (format.depth && memory_)
    view_.depth = reinterpret_cast<float*>(memory_.get() + bytes({format.scalar, format.channels}, n));
}

// Depths start at a cache line after the colours.
std::size_t PixelBuffer::bytes(const Format& format, std::int64_t n) {
  const auto count = static_cast<std::size_t>(n);
  const std::size_t colour = (count * format.colour_bytes() + 63) / 64 * 64;
  return colour + (format.depth ? count * sizeof(float) : 0);
}

void detail::check_spans(std::size_t scalars, std::size_t depths, Size size, const Format& format) {
  check_size(size, format);
  const auto n = static_cast<std::size_t>(size.pixels());
  if (scalars != n * static_cast<std::size_t>(format.channels))
    throw ArgumentError("the colours are " + std::to_string(scalars) + " scalars; expected " +
                        std::to_string(n) + " pixels of " + std::to_string(format.channels) + " channels");
  if (depths != 0 && depths != n)
    throw ArgumentError("the depths are " + std::to_string(depths) + "; expected one for each of " +
                        std::to_string(n) + " pixels, or none");
}

void detail::check_scalar(Scalar asked, const Format& format) {
  if (asked == format.scalar) return;
  throw ArgumentError("the colours are " + std::string(scalar_name(format.scalar)) +
                      " and were asked for as " + std::string(scalar_name(asked)));
}

ConstPixels advance(ConstPixels view, const Format& format, std::int64_t pixels) {
  if (view.colour != nullptr) view.colour += static_cast<std::size_t>(pixels) * format.colour_bytes();
  if (view.depth != nullptr) view.depth += pixels;
  return view;
}

Pixels advance(Pixels view, const Format& format, std::int64_t pixels) {
  if (view.colour != nullptr) view.colour += static_cast<std::size_t>(pixels) * format.colour_bytes();
  if (view.depth != nullptr) view.depth += pixels;
  return view;
}

namespace {

struct ScalarRow {
  Scalar scalar;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<ScalarRow, 3> scalar_rows{
    {{Scalar::float32, "float32", 4}, {Scalar::float16, "float16", 2}, {Scalar::uint8, "uint8", 1}}};

struct OpRow {
  Op op;
  std::string_view name;
  bool commutes;
};

constexpr std::array<OpRow, 5> op_rows{{{Op::over, "over", false},
                                        {Op::closest, "closest", false},
                                        {Op::add, "add", true},
                                        {Op::max, "max", true},
                                        {Op::min, "min", true}}};

// The row with this name. Throws ArgumentError with a list of the valid names.
template <typename Rows>
const auto& row_of(const Rows& rows, const char* what, std::string_view name) {
  std::string known;
  for (const auto& each : rows) {
    if (each.name == name) return each;
    known += known.empty() ? "" : ", ";
    known += each.name;
  }
  throw ArgumentError(std::string("unknown ") + what + " '" + std::string(name) + "': use one of " + known);
}

const ScalarRow& row(Scalar scalar) {
  for (const ScalarRow& each : scalar_rows)
    if (each.scalar == scalar) return each;
  throw ArgumentError("unknown scalar number " + std::to_string(static_cast<int>(scalar)));
}

const OpRow& row(Op op) {
  for (const OpRow& each : op_rows)
    if (each.op == op) return each;
  throw ArgumentError("unknown operator number " + std::to_string(static_cast<int>(op)));
}

}  // namespace

std::size_t scalar_bytes(Scalar scalar) { return row(scalar).bytes; }

std::string_view scalar_name(Scalar scalar) { return row(scalar).name; }

Scalar scalar_from_name(std::string_view name) { return row_of(scalar_rows, "scalar", name).scalar; }

std::string_view op_name(Op op) { return row(op).name; }

Op op_from_name(std::string_view name) { return row_of(op_rows, "operator", name).op; }

bool commutes(Op op) { return row(op).commutes; }

std::string format_name(const Format& format) {
  const std::string channels = format.channels == 4   ? "RGBA"
                               : format.channels == 3 ? "RGB"
                                                      : std::to_string(format.channels) + "-channel";
  return channels + " " + std::string(scalar_name(format.scalar)) + (format.depth ? " + depth" : "");
}

void check_format(const Format& format, Op op) {
  if (format.channels != 3 && format.channels != 4)
    throw ArgumentError("an image has 3 (RGB) or 4 (RGBA) channels, not " + std::to_string(format.channels));
  if (op == Op::over && format.channels != 4)
    throw ArgumentError("over needs an alpha channel (4 channels), but the image is " + format_name(format));
  if (op == Op::closest && !format.depth)
    throw ArgumentError("closest needs a depth plane, but the image is " + format_name(format));
}

}  // namespace sortlast
