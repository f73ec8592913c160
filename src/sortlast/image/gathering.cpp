// Joining of two operands, block by block.
#include "sortlast/image/gathering.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace sortlast {
namespace {

std::size_t index(Scalar scalar) { return static_cast<std::size_t>(scalar); }
static_assert(static_cast<int>(Scalar::float32) == 0 && static_cast<int>(Scalar::float16) == 1 &&
              static_cast<int>(Scalar::uint8) == 2);

// A block of empty pixels: zeros are the colours of any scalar.
alignas(64) constexpr std::array<std::byte, block_bytes> no_colour{};
alignas(64) constexpr auto no_depth = [] {
  std::array<float, block_pixels> depth{};
  for (float& each : depth) each = std::numeric_limits<float>::infinity();
  return depth;
}();

const std::byte* as_bytes(const float* depth) { return reinterpret_cast<const std::byte*>(depth); }

}  // namespace

Piece piece_of(const Link& link, int channels, bool depth, std::int64_t at) {
  const auto pixel = static_cast<std::size_t>(at);
  return {link.pixels.colour + pixel * Format{link.scalar, channels}.colour_bytes(),
          depth ? as_bytes(link.pixels.depth) + pixel * sizeof(float) : nullptr, link.scalar, link.side};
}

Gathering::Gathering(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out,
                     Scalar out_scalar)
    : kernels_(active_kernels()),
      op_(op),
      channels_(static_cast<std::size_t>(channels)),
      depth_(depth),
      out_plane_(out),
      out_scalar_(out_scalar) {
  const bool copies =
      (selects() || chain.size() == 1) &&
      std::all_of(chain.begin(), chain.end(), [=](const Link& link) { return link.scalar == out_scalar; });
  gathered_scalar_ = copies ? out_scalar : Scalar::float32;
}

void Gathering::begin(std::int64_t begin, std::size_t pixels) {
  pixels_ = pixels;
  out_ = out_plane_.colour + offset(out_scalar_, begin);
  out_depth_ = depth_ ? reinterpret_cast<std::byte*>(out_plane_.depth) +
                            static_cast<std::size_t>(begin) * sizeof(float)
                      : nullptr;
  to_ = gathered_scalar_ == out_scalar_ ? out_ : gathered_block_;
  gathered_ = nullptr;
}

void Gathering::join(const Piece& piece) {
  // Take the first where it lies, if it needs no conversion.
  if (gathered_ == nullptr) {
    gathered_ = in_gathered_scalar(piece, to_);
    gathered_depth_ = piece.depth;
    return;
  }

  const bool front = piece.side == Side::front;
  if (selects()) {
    kernels_.closest[front][index(gathered_scalar_)][channels_ - 3](
        to_, out_depth_, gathered_, gathered_depth_, in_gathered_scalar(piece, link_block_), piece.depth,
        pixels_);
  } else {
    combine_kernel(piece)(to_, gathered_, piece.colour, pixels_ * channels_);
    if (depth_) kernels_.nearest[front](out_depth_, gathered_depth_, piece.depth, pixels_);
  }
  gathered_ = to_;
  gathered_depth_ = out_depth_;
}

void Gathering::join_empty(Side side) {
  join({no_colour.data(), as_bytes(no_depth.data()), gathered_scalar_, side});
}

void Gathering::end() {
  const std::size_t channels = pixels_ * channels_;
  if (gathered_scalar_ != out_scalar_)
    kernels_.store[index(out_scalar_)](out_, gathered_, channels);
  else if (gathered_ != out_)
    std::memcpy(out_, gathered_, channels * scalar_bytes(out_scalar_));
  if (depth_ && gathered_depth_ != out_depth_)
    std::memcpy(out_depth_, gathered_depth_, pixels_ * sizeof(float));
}

void Gathering::clear(std::int64_t begin, std::size_t pixels) {
  std::memset(out_plane_.colour + offset(out_scalar_, begin), 0,
              pixels * channels_ * scalar_bytes(out_scalar_));
  if (depth_) std::memcpy(out_plane_.depth + begin, no_depth.data(), pixels * sizeof(float));
}

// A piece's colours: where they lie, or converted into `room`.
const std::byte* Gathering::in_gathered_scalar(const Piece& piece, std::byte* room) const {
  if (piece.scalar == gathered_scalar_) return piece.colour;
  kernels_.load[index(piece.scalar)](room, piece.colour, pixels_ * channels_);
  return room;
}

Kernels::Combine Gathering::combine_kernel(const Piece& piece) const {
  const std::size_t scalar = index(piece.scalar);
  switch (op_) {
    case Op::over:
      return kernels_.over[piece.side == Side::front][scalar];
    case Op::add:
      return kernels_.add[scalar];
    case Op::max:
      return kernels_.max[scalar];
    case Op::min:
      return kernels_.min[scalar];
    case Op::closest:
      break;
  }
  return nullptr;
}

}  // namespace sortlast
