// Blocks: blends a chain one block of pixels at a time, with the accumulated pixels in the first-level cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/image/active.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/image/kernels/dispatch.hpp"

namespace sortlast {

// Maximum pixels per block. The accumulated pixels and one link fit into the first-level cache.
inline constexpr std::int64_t block_pixels = 1024;
inline constexpr std::size_t block_bytes = block_pixels * 4 * sizeof(float);

// Pixels of a link in one block. `depth` is not read if the format has none.
struct Piece {
  const std::byte* colour = nullptr;
  const std::byte* depth = nullptr;
  Scalar scalar = Scalar::float32;
  Side side = Side::back;
};

// The pixels of a link from its stored pixel number `at` on.
Piece piece_of(const Link& link, int channels, bool depth, std::int64_t at);

// Accumulates a chain. For each block: begin(), then join() or join_empty() for every link that takes part,
// then end(). The accumulated pixels are float32, or the output's scalar type if nothing is computed. They
// use the output's memory if it has the same scalar type.
class Gathering {
 public:
  // A background, if given, must outlive this object.
  Gathering(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar,
            const Background* background, Stores stores);

  // Begin with pixels [begin, begin + pixels) of the output, at most block_pixels.
  void begin(std::int64_t begin, std::size_t pixels);
  // Join a piece. It must stay valid until most_waiting others have joined.
  static constexpr std::size_t most_waiting = 4;
  void join(const Piece& piece);
  // Join the empty pixel everywhere.
  void join_empty(Side side);
  // Round the pixels into their place, with the background behind them.
  void end();

  // Instead of all these calls: make the output's block empty, with the background.
  void clear(std::int64_t begin, std::size_t pixels);

  // After the last block: make the output visible to other threads.
  void publish() const;

 private:
  std::size_t offset(Scalar scalar, std::int64_t pixel) const {
    return static_cast<std::size_t>(pixel) * channels_ * scalar_bytes(scalar);
  }
  bool selects() const { return op_ == Op::closest; }
  const std::byte* in_gathered_scalar(const Piece& piece, std::byte* room) const;
  Kernels::Combine combine_kernel(const Piece& piece) const;
  void join_waiting();
  void join_now(const Piece& piece);
  void join_chain(std::byte* to);
  void join_depth(const Piece& piece);
  void end_closest();
  void finish();
  void put(std::int64_t begin, const std::byte* colour, const std::byte* depth, std::size_t pixels) const;

  const Kernels& kernels_;
  const Op op_;
  const std::size_t channels_;
  const bool depth_;
  const Pixels out_plane_;
  const Scalar out_scalar_;
  const Background* const background_;
  const bool streams_;
  Scalar gathered_scalar_;
  bool ends_at_once_;  // closest with 4-byte colours: end() joins the last piece straight into its place
  bool chains_;        // over of uint8 in float32: as many pieces as may wait join at once

  // The block: its first pixel, its size, where it is finished (in place, or in the cache if it is streamed),
  // where accumulated pixels are written, and where they are now (null before the first piece).
  std::int64_t begin_ = 0;
  std::size_t pixels_ = 0;
  std::byte* out_ = nullptr;
  std::byte* out_depth_ = nullptr;
  std::byte* to_ = nullptr;
  const std::byte* gathered_ = nullptr;
  const std::byte* gathered_depth_ = nullptr;
  // Pieces that have not joined yet, and the maximum number of them.
  std::array<Piece, most_waiting> waiting_;
  std::size_t waits_ = 0;
  std::size_t may_wait_;

  alignas(64) std::byte gathered_block_[block_bytes];
  alignas(64) std::byte link_block_[block_bytes];
  alignas(64) std::byte depth_block_[block_pixels * sizeof(float)];
};

// How runs cover a block: none of its pixels, some, or all in one run.
enum class Cover : std::uint8_t { none, some, all };

// Number of bytes behind a plane that open() may overwrite.
inline constexpr std::size_t open_slack = 64;

// Visits the blocks of a sparse image in ascending order, reports how the runs cover each, and expands its
// pixels.
class RunCursor {
 public:
  // A cursor at pixel `first`, as counted by the runs.
  RunCursor(std::span<const ActiveRun> runs, std::int64_t first);

  // Move to the block that begins at pixel `begin`, which must not precede the current one. Returns the end
  // of the run, or of the gap between runs, that contains this pixel.
  std::int64_t move(std::int64_t begin);

  // How the runs cover the block if it ends at `end`.
  Cover cover(std::int64_t end) const;

  // If the cover is all: index of the block's first pixel among the stored pixels.
  std::int64_t stored() const { return runs_[next_].at + (begin_ - runs_[next_].begin); }

  // If the cover is some: expand the block into stored pixels with empty pixels between them. `format`
  // applies to both; `depth` may be null if it has none.
  void open(const Format& format, ConstPixels stored, std::int64_t end, std::byte* colour,
            std::byte* depth) const;

 private:
  template <std::size_t bytes, class Clear>
  void copy_runs(const std::byte* stored, std::int64_t end, std::byte* plane, Clear clear) const;

  std::span<const ActiveRun> runs_;
  std::size_t next_;  // the first run that ends after begin_
  std::int64_t begin_;
};

class SparseWalk {
 public:
  SparseWalk(Op op, int channels, bool depth, std::span<const Link> chain);

  // Blend a block of at most `most` pixels of the call, starting at `begin`, and return its end. Blocks must
  // ascend.
  std::int64_t block(Gathering& gathering, std::int64_t begin, std::int64_t most);

 private:
  // How a link takes part in a block: as the empty pixel, not at all because another link replaces it, with
  // its pixels read in place, or with the block expanded.
  enum class Part : std::uint8_t { empty, left_out, lying, opened };

  struct Room {
    alignas(64) std::byte colour[block_bytes + open_slack];
    alignas(64) std::byte depth[block_pixels * sizeof(float) + open_slack];
  };

  std::int64_t end_of_block(std::int64_t begin, std::int64_t most);
  Part part(std::size_t link, std::int64_t end) const;
  void choose_over();
  void keep_one(std::size_t kept);
  std::size_t representative() const;
  Piece opened(std::size_t link, std::int64_t end, Room& into);

  const Op op_;
  const int channels_;
  const bool depth_;
  const std::span<const Link> chain_;
  std::vector<RunCursor> cursors_;  // one per link; unused for dense links
  std::vector<Part> parts_;

  Room rooms_[Gathering::most_waiting + 1];  // for expanded blocks, used in rotation
};

}  // namespace sortlast
