// Fused blending: one pass over memory whatever the length of the chain.
//
// The pixels are walked in blocks small enough to stay in the first-level cache. What a block has
// gathered is kept in float32 (closest, which only selects, keeps the scalar itself); each link of the
// chain is read from main memory once and combined with it, and the block is rounded and written once.
// Where the output is of the gathered scalar, its own memory is the block. A chain of k links so costs
// k reads and one write, for any k, and with kernels that know of two operands only.
#include "sortlast/image/blend.hpp"

#include <algorithm>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/image/gathering.hpp"
#include "sortlast/image/sparse_walk.hpp"

namespace sortlast {
namespace {

void check_planes(ConstPixels pixels, bool depth, const std::string& whose) {
  if (pixels.colour == nullptr) throw ArgumentError("blend: " + whose + " has no colour (null pointer)");
  if (depth && pixels.depth == nullptr)
    throw ArgumentError("blend: " + whose + " has no depth plane (null pointer), though depth is asked for");
}

// Pixels before the first that starts at a cache line; 0 if none does.
std::int64_t pixels_before_line(const std::byte* colour, std::size_t pixel_bytes) {
  constexpr std::size_t line = 64;
  const auto address = reinterpret_cast<std::uintptr_t>(colour);
  for (std::size_t pixels = 0; pixels < line; ++pixels)
    if ((address + pixels * pixel_bytes) % line == 0) return static_cast<std::int64_t>(pixels);
  return 0;
}

// Call block(begin, most) for n pixels, block by block; it returns the end of the block that it made of at
// most `most` pixels. A short first block lets the others start at a cache line of the output, and as a rule
// of the images too: vectors as wide as a line would touch two at every step.
template <class Block>
void each_block(const std::byte* out, std::size_t pixel_bytes, std::int64_t n, Block block) {
  const std::int64_t head = pixels_before_line(out, pixel_bytes);
  std::int64_t end = 0;
  for (std::int64_t begin = 0; begin < n; begin = end)
    end = block(begin, std::min(n - begin, begin == 0 && head > 0 ? head : block_pixels));
}

}  // namespace

Scalar partial_scalar(Scalar scalar, Op op) {
  return scalar == Scalar::uint8 && op == Op::over ? Scalar::float32 : scalar;
}

Scalar accumulator_scalar(Scalar scalar, Op op) { return op == Op::closest ? scalar : Scalar::float32; }

void check_chain(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar,
                 std::int64_t n) {
  check_format({out_scalar, channels, depth}, op);
  if (chain.empty()) throw ArgumentError("blend: the chain is empty; it needs at least one link");
  if (n < 0) throw ArgumentError("blend: the number of pixels is negative (" + std::to_string(n) + ")");
  if (n == 0) return;
  check_planes(out, depth, "the output");
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (!chain[i].sparse || !chain[i].runs.empty())
      check_planes(chain[i].pixels, depth, "link " + std::to_string(i));
}

void blend(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar,
           std::int64_t n) {
  check_chain(op, channels, depth, chain, out, out_scalar, n);
  Gathering gathering(op, channels, depth, chain, out, out_scalar);
  const std::size_t pixel_bytes = Format{out_scalar, channels}.colour_bytes();

  if (std::any_of(chain.begin(), chain.end(), [](const Link& link) { return link.sparse; })) {
    SparseWalk walk(op, channels, depth, chain);
    each_block(out.colour, pixel_bytes, n,
               [&](std::int64_t begin, std::int64_t most) { return walk.block(gathering, begin, most); });
    return;
  }
  each_block(out.colour, pixel_bytes, n, [&](std::int64_t begin, std::int64_t pixels) {
    gathering.begin(begin, static_cast<std::size_t>(pixels));
    for (const Link& link : chain) gathering.join(piece_of(link, channels, depth, begin));
    gathering.end();
    return begin + pixels;
  });
}

}  // namespace sortlast
