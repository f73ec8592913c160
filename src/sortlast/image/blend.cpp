// Fused blending: one pass over memory, whatever the length of the chain.
//
// The pixels are walked in blocks small enough for the first-level cache. The accumulated pixels of a block
// are float32 (for closest, which only selects, they keep the image's scalar type). Each link of the chain is
// read from main memory once and combined with them, and the block is rounded and written once. If the output
// has the accumulated scalar type, its own memory holds the block. A chain of k links therefore costs k reads
// and one write, for any k, with kernels for only two operands.
//
// uint8 images that become one uint8 image are combined as bytes if that gives the same bits. For over, this
// holds for two images; of more images, several join at once, in a kernel that accumulates in registers.
#include "sortlast/image/blend.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/image/blocks.hpp"

namespace sortlast {

// ---- Accumulated pixels of a block ----------------------------------------------------------------

namespace {

std::size_t index(Scalar scalar) { return static_cast<std::size_t>(scalar); }
static_assert(static_cast<int>(Scalar::float32) == 0 && static_cast<int>(Scalar::float16) == 1 &&
              static_cast<int>(Scalar::uint8) == 2);

// A block of empty pixels. Zero bytes are valid colours of any scalar type.
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
                     Scalar out_scalar, const Background* background, Stores stores)
    : kernels_(active_kernels()),
      op_(op),
      channels_(static_cast<std::size_t>(channels)),
      depth_(depth),
      out_plane_(out),
      out_scalar_(out_scalar),
      background_(background),
      streams_(stores == Stores::streaming) {
  const auto all_of = [=](Scalar scalar) {
    return std::all_of(chain.begin(), chain.end(), [=](const Link& link) { return link.scalar == scalar; });
  };
  const bool rounds_once = selects() || chain.size() == 1 ||
                           (out_scalar == Scalar::uint8 && (op != Op::over || chain.size() == 2));
  const bool keeps = rounds_once && all_of(out_scalar);
  gathered_scalar_ = keeps ? out_scalar : Scalar::float32;
  ends_at_once_ = selects() && keeps && Format{out_scalar, channels}.colour_bytes() == 4;
  chains_ = op == Op::over && !keeps && out_scalar == Scalar::uint8 && all_of(Scalar::uint8);
  may_wait_ = chains_ ? waiting_.size() : 1;
}

void Gathering::begin(std::int64_t begin, std::size_t pixels) {
  begin_ = begin;
  pixels_ = pixels;
  out_ = out_plane_.colour + offset(out_scalar_, begin);
  out_depth_ = depth_ ? reinterpret_cast<std::byte*>(out_plane_.depth + begin) : nullptr;
  if (streams_) {
    out_ = gathered_scalar_ == out_scalar_ ? gathered_block_ : link_block_;
    out_depth_ = depth_block_;
  }
  to_ = gathered_scalar_ == out_scalar_ ? out_ : gathered_block_;
  gathered_ = nullptr;
  gathered_depth_ = nullptr;
}

void Gathering::join(const Piece& piece) {
  if (waits_ == may_wait_) join_waiting();
  waiting_[waits_++] = piece;
}

void Gathering::join_waiting() {
  if (chains_) return join_chain(nullptr);
  for (std::size_t i = 0; i < waits_; ++i) join_now(waiting_[i]);
  waits_ = 0;
}

// Join all waiting pieces with one kernel. For the last pieces of a block, `to` receives the result.
void Gathering::join_chain(std::byte* to) {
  std::array<Kernels::Joining, most_waiting> links;
  for (std::size_t i = 0; i < waits_; ++i) {
    links[i] = {waiting_[i].colour, waiting_[i].side == Side::front};
    if (depth_) join_depth(waiting_[i]);
  }
  kernels_.over_chain(to, gathered_block_, links.data(), waits_, pixels_, gathered_ == nullptr);
  gathered_ = gathered_block_;
  waits_ = 0;
}

void Gathering::join_now(const Piece& piece) {
  // Use the first piece in place if it needs no conversion.
  if (gathered_ == nullptr) {
    gathered_ = in_gathered_scalar(piece, to_);
    gathered_depth_ = piece.depth;
    return;
  }

  if (selects()) {
    kernels_.closest[piece.side == Side::front][index(gathered_scalar_)][channels_ - 3](
        to_, out_depth_, gathered_, gathered_depth_, in_gathered_scalar(piece, link_block_), piece.depth,
        pixels_);
    gathered_depth_ = out_depth_;
  } else {
    combine_kernel(piece)(to_, gathered_, piece.colour, pixels_ * channels_);
    if (depth_) join_depth(piece);
  }
  gathered_ = to_;
}

void Gathering::join_depth(const Piece& piece) {
  if (gathered_depth_ == nullptr) {
    gathered_depth_ = piece.depth;
    return;
  }
  kernels_.nearest[piece.side == Side::front](out_depth_, gathered_depth_, piece.depth, pixels_);
  gathered_depth_ = out_depth_;
}

// For closest, the background covers empty pixels and everything that they would hide.
void Gathering::join_empty(Side side) {
  if (ends_at_once_ && background_ != nullptr) return;
  join({no_colour.data(), as_bytes(no_depth.data()), gathered_scalar_, side});
}

void Gathering::end_closest() {
  if (gathered_ == nullptr) join_waiting();
  const Piece last =
      waits_ > 0 ? waiting_[--waits_] : Piece{gathered_, gathered_depth_, out_scalar_, Side::back};
  Kernels::Cover cover{};
  if (background_ != nullptr) {
    std::memcpy(&cover.colour, background_->colour(), sizeof cover.colour);
    cover.depth = background_->depth();
  }
  kernels_.last_closest[last.side == Side::front](
      out_plane_.colour + offset(out_scalar_, begin_),
      reinterpret_cast<std::byte*>(out_plane_.depth + begin_), gathered_, gathered_depth_, last.colour,
      last.depth, pixels_, background_ != nullptr ? &cover : nullptr, streams_);
}

void Gathering::end() {
  if (ends_at_once_) return end_closest();
  const std::size_t channels = pixels_ * channels_;
  if (chains_) {
    join_chain(out_);
  } else {
    join_waiting();
    if (gathered_scalar_ != out_scalar_)
      kernels_.store[index(out_scalar_)](out_, gathered_, channels);
    else if (gathered_ != out_)
      std::memcpy(out_, gathered_, channels * scalar_bytes(out_scalar_));
  }
  if (depth_ && gathered_depth_ != out_depth_)
    std::memcpy(out_depth_, gathered_depth_, pixels_ * sizeof(float));
  finish();
}

void Gathering::clear(std::int64_t begin, std::size_t pixels) {
  static_assert(block_pixels <= Background::at_once);
  const ConstPixels empty =
      background_ != nullptr ? background_->alone() : ConstPixels{no_colour.data(), no_depth.data()};
  put(begin, empty.colour, as_bytes(empty.depth), pixels);
}

void Gathering::finish() {
  if (background_ != nullptr)
    background_->apply({out_, reinterpret_cast<float*>(out_depth_)}, static_cast<std::int64_t>(pixels_));
  if (streams_) put(begin_, out_, out_depth_, pixels_);
}

// Write finished pixels to their place.
void Gathering::put(std::int64_t begin, const std::byte* colour, const std::byte* depth,
                    std::size_t pixels) const {
  const auto copy = [&](void* to, const std::byte* from, std::size_t bytes) {
    if (streams_)
      kernels_.stream(static_cast<std::byte*>(to), from, bytes);
    else
      std::memcpy(to, from, bytes);
  };
  copy(out_plane_.colour + offset(out_scalar_, begin), colour,
       offset(out_scalar_, static_cast<std::int64_t>(pixels)));
  if (depth_) copy(out_plane_.depth + begin, depth, pixels * sizeof(float));
}

void Gathering::publish() const {
  if (streams_) kernels_.fence();
}

// A piece's colours, in place or converted into `room`.
const std::byte* Gathering::in_gathered_scalar(const Piece& piece, std::byte* room) const {
  if (piece.scalar == gathered_scalar_) return piece.colour;
  kernels_.load[index(piece.scalar)](room, piece.colour, pixels_ * channels_);
  return room;
}

Kernels::Combine Gathering::combine_kernel(const Piece& piece) const {
  const std::size_t scalar = index(piece.scalar);
  const bool bytes = gathered_scalar_ == Scalar::uint8;
  switch (op_) {
    case Op::over: {
      const bool front = piece.side == Side::front;
      return bytes ? kernels_.over_bytes[front] : kernels_.over[front][scalar];
    }
    case Op::add:
      return bytes ? kernels_.add_bytes : kernels_.add[scalar];
    case Op::max:
      return bytes ? kernels_.max_bytes : kernels_.max[scalar];
    case Op::min:
      return bytes ? kernels_.min_bytes : kernels_.min[scalar];
    case Op::closest:
      break;
  }
  return nullptr;
}

// ---- Blending -------------------------------------------------------------------------------------

namespace {

void check_planes(ConstPixels pixels, bool depth, const std::string& whose) {
  if (pixels.colour == nullptr) throw ArgumentError("blend: " + whose + " has no colour (null pointer)");
  if (depth && pixels.depth == nullptr)
    throw ArgumentError("blend: " + whose + " has no depth plane (null pointer), though depth is asked for");
}

// Number of pixels before the first one that starts at a cache line; 0 if none does.
std::int64_t pixels_before_line(const std::byte* colour, std::size_t pixel_bytes) {
  constexpr std::size_t line = 64;
  const auto address = reinterpret_cast<std::uintptr_t>(colour);
  for (std::size_t pixels = 0; pixels < line; ++pixels)
    if ((address + pixels * pixel_bytes) % line == 0) return static_cast<std::int64_t>(pixels);
  return 0;
}

// Call block(begin, most) for n pixels, block by block. It returns the end of the block, which has at most
// `most` pixels. A short first block aligns the other blocks of the output with cache lines, and usually the
// images too. Otherwise, vectors as wide as a line would touch two lines at every step.
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
           std::int64_t n, const Background* background, Stores stores) {
  check_chain(op, channels, depth, chain, out, out_scalar, n);
  Gathering gathering(op, channels, depth, chain, out, out_scalar, background, stores);
  const std::size_t pixel_bytes = Format{out_scalar, channels, depth}.colour_bytes();
  if (std::any_of(chain.begin(), chain.end(), [](const Link& link) { return link.sparse; })) {
    SparseWalk walk(op, channels, depth, chain);
    each_block(out.colour, pixel_bytes, n,
               [&](std::int64_t begin, std::int64_t most) { return walk.block(gathering, begin, most); });
  } else {
    each_block(out.colour, pixel_bytes, n, [&](std::int64_t begin, std::int64_t pixels) {
      gathering.begin(begin, static_cast<std::size_t>(pixels));
      for (const Link& link : chain) gathering.join(piece_of(link, channels, depth, begin));
      gathering.end();
      return begin + pixels;
    });
  }
  gathering.publish();
}

}  // namespace sortlast
