// Fused blending: one pass over memory whatever the length of the chain.
//
// The pixels are walked in blocks small enough to stay in the first-level cache. What a block has
// gathered is kept in float32 (closest, which only selects, keeps the scalar itself); each link of the
// chain is read from main memory once and combined with it, and the block is rounded and written once.
// Where the output is of the gathered scalar, its own memory is the block. A chain of k links so costs
// k reads and one write, for any k, and with kernels that know of two operands only.
#include "sortlast/image/blend.hpp"

#include <algorithm>
#include <cstring>

#include "sortlast/image/check_chain.hpp"
#include "sortlast/image/targets.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t block_pixels = 1024;
constexpr std::size_t block_bytes = block_pixels * 4 * sizeof(float);

std::size_t index(Scalar scalar) { return static_cast<std::size_t>(scalar); }
static_assert(static_cast<int>(Scalar::float32) == 0 && static_cast<int>(Scalar::float16) == 1 &&
              static_cast<int>(Scalar::uint8) == 2);

bool selects(Op op) { return op == Op::closest; }

Kernels::Combine combine_kernel(const Kernels& kernels, Op op, const Link& link) {
  const std::size_t scalar = index(link.scalar);
  switch (op) {
    case Op::over:
      return kernels.over[link.side == Side::front][scalar];
    case Op::add:
      return kernels.add[scalar];
    case Op::max:
      return kernels.max[scalar];
    case Op::min:
      return kernels.min[scalar];
    case Op::closest:
      break;
  }
  return nullptr;
}

// Pixels before the first that starts at a cache line; 0 if none does.
std::int64_t pixels_before_line(const std::byte* colour, std::size_t pixel_bytes) {
  constexpr std::size_t line = 64;
  const auto address = reinterpret_cast<std::uintptr_t>(colour);
  for (std::size_t pixels = 0; pixels < line; ++pixels)
    if ((address + pixels * pixel_bytes) % line == 0) return static_cast<std::int64_t>(pixels);
  return 0;
}

// One call of blend(), cut into blocks.
class Walk {
 public:
  Walk(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar)
      : kernels_(active_kernels()),
        op_(op),
        channels_(static_cast<std::size_t>(channels)),
        depth_(depth),
        chain_(chain),
        out_(out),
        out_scalar_(out_scalar) {
    const bool copies =
        (selects(op) || chain.size() == 1) &&
        std::all_of(chain.begin(), chain.end(), [=](const Link& link) { return link.scalar == out_scalar; });
    gathered_scalar_ = copies ? out_scalar : Scalar::float32;
  }

  void block(std::int64_t begin, std::size_t pixels) {
    const std::size_t channels = pixels * channels_;
    std::byte* const out = out_.colour + offset(out_scalar_, begin);
    std::byte* const out_depth = depth_ ? as_bytes(out_.depth) + depth_offset(begin) : nullptr;
    std::byte* const to = gathered_scalar_ == out_scalar_ ? out : gathered_block_;

    // Take the first link where it lies, if it needs no conversion.
    const std::byte* gathered = in_gathered_scalar(chain_[0], begin, channels, to);
    const std::byte* gathered_depth = depth_of(chain_[0], begin);

    // Let every other link join.
    for (const Link& link : chain_.subspan(1)) {
      const std::byte* const link_depth = depth_of(link, begin);
      if (selects(op_)) {
        const std::byte* const colour = in_gathered_scalar(link, begin, channels, link_block_);
        kernels_.closest[link.side == Side::front][index(gathered_scalar_)][channels_ - 3](
            to, out_depth, gathered, gathered_depth, colour, link_depth, pixels);
      } else {
        combine_kernel(kernels_, op_, link)(to, gathered, link.pixels.colour + offset(link.scalar, begin),
                                            channels);
        if (depth_) kernels_.nearest[link.side == Side::front](out_depth, gathered_depth, link_depth, pixels);
      }
      gathered = to;
      gathered_depth = out_depth;
    }

    // Round into place.
    if (gathered_scalar_ != out_scalar_)
      kernels_.store[index(out_scalar_)](out, gathered, channels);
    else if (gathered != out)
      std::memcpy(out, gathered, channels * scalar_bytes(out_scalar_));
    if (depth_ && gathered_depth != out_depth) std::memcpy(out_depth, gathered_depth, pixels * sizeof(float));
  }

 private:
  static std::byte* as_bytes(float* depth) { return reinterpret_cast<std::byte*>(depth); }
  static const std::byte* as_bytes(const float* depth) { return reinterpret_cast<const std::byte*>(depth); }

  static std::size_t depth_offset(std::int64_t pixel) {
    return static_cast<std::size_t>(pixel) * sizeof(float);
  }
  std::size_t offset(Scalar scalar, std::int64_t pixel) const {
    return static_cast<std::size_t>(pixel) * channels_ * scalar_bytes(scalar);
  }
  const std::byte* depth_of(const Link& link, std::int64_t begin) const {
    return depth_ ? as_bytes(link.pixels.depth) + depth_offset(begin) : nullptr;
  }

  // A block of a link: itself, or converted into `room`.
  const std::byte* in_gathered_scalar(const Link& link, std::int64_t begin, std::size_t channels,
                                      std::byte* room) const {
    const std::byte* const from = link.pixels.colour + offset(link.scalar, begin);
    if (link.scalar == gathered_scalar_) return from;
    kernels_.load[index(link.scalar)](room, from, channels);
    return room;
  }

  const Kernels& kernels_;
  const Op op_;
  const std::size_t channels_;
  const bool depth_;
  const std::span<const Link> chain_;
  const Pixels out_;
  const Scalar out_scalar_;
  Scalar gathered_scalar_;
  alignas(64) std::byte gathered_block_[block_bytes];
  alignas(64) std::byte link_block_[block_bytes];
};

}  // namespace

Scalar partial_scalar(Scalar scalar, Op op) {
  return scalar == Scalar::uint8 && op == Op::over ? Scalar::float32 : scalar;
}

Scalar accumulator_scalar(Scalar scalar, Op op) { return selects(op) ? scalar : Scalar::float32; }

void blend(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar,
           std::int64_t n) {
  check_chain(op, channels, depth, chain, out, out_scalar, n);
  Walk walk(op, channels, depth, chain, out, out_scalar);

  // A short first block lets the others start at a cache line of the output, and as a rule of the images
  // too: vectors as wide as a line would touch two at every step.
  const std::int64_t head = pixels_before_line(out.colour, Format{out_scalar, channels}.colour_bytes());
  std::int64_t end = 0;
  for (std::int64_t begin = 0; begin < n; begin = end) {
    end = std::min(n, begin == 0 && head > 0 ? head : begin + block_pixels);
    walk.block(begin, static_cast<std::size_t>(end - begin));
  }
}

}  // namespace sortlast
