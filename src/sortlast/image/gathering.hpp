// What the links of a chain have gathered so far, for one block of pixels at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sortlast/image/blend.hpp"
#include "sortlast/image/kernels/dispatch.hpp"

namespace sortlast {

// Most pixels of a block: few enough for the first-level cache to hold what is gathered and one link.
inline constexpr std::int64_t block_pixels = 1024;
inline constexpr std::size_t block_bytes = block_pixels * 4 * sizeof(float);

// Pixels of one block that join what is gathered. `depth` is not read if the format has none.
struct Piece {
  const std::byte* colour = nullptr;
  const std::byte* depth = nullptr;
  Scalar scalar = Scalar::float32;
  Side side = Side::back;
};

// The pixels of a link from number `at` of those it stores on.
Piece piece_of(const Link& link, int channels, bool depth, std::int64_t at);

// For each block in turn: begin(), join() or join_empty() for every link that takes part, end(). What is
// gathered is kept in float32, or in the output's scalar where nothing is computed, and in the output's own
// memory if that has the same scalar.
class Gathering {
 public:
  Gathering(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar);

  // Begin with pixels [begin, begin + pixels) of the output, at most block_pixels.
  void begin(std::int64_t begin, std::size_t pixels);
  // The first piece is taken where it lies, and has to stay there until the next has joined.
  void join(const Piece& piece);
  // Join the empty pixel everywhere.
  void join_empty(Side side);
  // Round into place.
  void end();

  // Instead of all that: the output's block becomes empty.
  void clear(std::int64_t begin, std::size_t pixels);

 private:
  std::size_t offset(Scalar scalar, std::int64_t pixel) const {
    return static_cast<std::size_t>(pixel) * channels_ * scalar_bytes(scalar);
  }
  bool selects() const { return op_ == Op::closest; }
  const std::byte* in_gathered_scalar(const Piece& piece, std::byte* room) const;
  Kernels::Combine combine_kernel(const Piece& piece) const;

  const Kernels& kernels_;
  const Op op_;
  const std::size_t channels_;
  const bool depth_;
  const Pixels out_plane_;
  const Scalar out_scalar_;
  Scalar gathered_scalar_;

  // The block: its output, where gathered pixels are put, and where they lie (nowhere before the first).
  std::size_t pixels_ = 0;
  std::byte* out_ = nullptr;
  std::byte* out_depth_ = nullptr;
  std::byte* to_ = nullptr;
  const std::byte* gathered_ = nullptr;
  const std::byte* gathered_depth_ = nullptr;

  alignas(64) std::byte gathered_block_[block_bytes];
  alignas(64) std::byte link_block_[block_bytes];
};

}  // namespace sortlast
