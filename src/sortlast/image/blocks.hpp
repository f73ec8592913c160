// Blocks: how a chain is blended a block of pixels at a time, with what is gathered in the first-level cache.
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
  // A background, if there is one, must outlive the gathering.
  Gathering(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar,
            const Background* background, Stores stores);

  // Begin with pixels [begin, begin + pixels) of the output, at most block_pixels.
  void begin(std::int64_t begin, std::size_t pixels);
  // A piece has to stay where it lies until most_waiting others have joined.
  static constexpr std::size_t most_waiting = 4;
  void join(const Piece& piece);
  // Join the empty pixel everywhere.
  void join_empty(Side side);
  // Round into place, with the background behind.
  void end();

  // Instead of all that: the output's block becomes empty, but for the background.
  void clear(std::int64_t begin, std::size_t pixels);

  // After the last block: others may read the output.
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
  bool ends_at_once_;  // closest of four bytes: the last piece joins when the block ends, straight to its
                       // place
  bool chains_;        // over of uint8 by way of float32: pieces join as many at once as may wait

  // The block: its place, where it is finished (there, or in the cache if it is streamed), where gathered
  // pixels are put, and where they lie (nowhere before the first).
  std::int64_t begin_ = 0;
  std::size_t pixels_ = 0;
  std::byte* out_ = nullptr;
  std::byte* out_depth_ = nullptr;
  std::byte* to_ = nullptr;
  const std::byte* gathered_ = nullptr;
  const std::byte* gathered_depth_ = nullptr;
  // Pieces that have yet to join, and how many may wait.
  std::array<Piece, most_waiting> waiting_;
  std::size_t waits_ = 0;
  std::size_t may_wait_;

  alignas(64) std::byte gathered_block_[block_bytes];
  alignas(64) std::byte link_block_[block_bytes];
  alignas(64) std::byte depth_block_[block_pixels * sizeof(float)];
};

// How runs cover a block: they hold none of its pixels, some, or all in one run.
enum class Cover : std::uint8_t { none, some, all };

// Bytes behind a plane that open() may write.
inline constexpr std::size_t open_slack = 64;

// Goes over the blocks of a sparse image in ascending order: how the runs cover each, and its pixels laid
// out.
class RunCursor {
 public:
  // A cursor at pixel `first`, in the runs' counting.
  RunCursor(std::span<const ActiveRun> runs, std::int64_t first);

  // Move on to the block that begins at a pixel, not before the last one. Returns where the run, or the gap
  // between runs, ends in which that pixel lies.
  std::int64_t move(std::int64_t begin);

  // How the runs cover the block if it ends there.
  Cover cover(std::int64_t end) const;

  // If the cover is all: the number of the block's first pixel in what is stored.
  std::int64_t stored() const { return runs_[next_].at + (begin_ - runs_[next_].begin); }

  // If the cover is some: lay the block out, the pixels of what is stored and empty ones between them.
  // `format` is that of both; `depth` may be null if it has none.
  void open(const Format& format, ConstPixels stored, std::int64_t end, std::byte* colour,
            std::byte* depth) const;

 private:
  template <std::size_t bytes, class Clear>
  void copy_runs(const std::byte* stored, std::int64_t end, std::byte* plane, Clear clear) const;

  std::span<const ActiveRun> runs_;
  std::size_t next_;  // the first run that does not end at or before begin_
  std::int64_t begin_;
};

class SparseWalk {
 public:
  SparseWalk(Op op, int channels, bool depth, std::span<const Link> chain);

  // Blend a block of pixels of the call from `begin` on, `most` or fewer; returns its end. Blocks have to
  // ascend.
  std::int64_t block(Gathering& gathering, std::int64_t begin, std::int64_t most);

 private:
  // How a link takes part in a block: as the empty pixel, not at all since another stands for it, with the
  // pixels that lie there, or with the block opened.
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
  std::vector<RunCursor> cursors_;  // of every link, those of dense ones unused
  std::vector<Part> parts_;

  Room rooms_[Gathering::most_waiting + 1];  // of opened blocks, used in turns
};

}  // namespace sortlast
