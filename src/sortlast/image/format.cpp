// Names and checks of pixel formats and operators.
#include "sortlast/image.hpp"

#include <array>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {
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

Scalar scalar_from_name(std::string_view name) {
  std::string known;
  for (const ScalarRow& each : scalar_rows) {
    if (each.name == name) return each.scalar;
    known += known.empty() ? "" : ", ";
    known += each.name;
  }
  throw ArgumentError("unknown scalar '" + std::string(name) + "': use one of " + known);
}

std::string_view op_name(Op op) { return row(op).name; }

Op op_from_name(std::string_view name) {
  std::string known;
  for (const OpRow& each : op_rows) {
    if (each.name == name) return each.op;
    known += known.empty() ? "" : ", ";
    known += each.name;
  }
  throw ArgumentError("unknown operator '" + std::string(name) + "': use one of " + known);
}

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
