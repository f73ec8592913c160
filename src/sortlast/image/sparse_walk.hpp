// Blending of chains with sparse links, block by block, without expanding the images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/image/active.hpp"
#include "sortlast/image/gathering.hpp"

namespace sortlast {

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

  std::int64_t end_of_block(std::int64_t begin, std::int64_t most);
  Part part(std::size_t link, std::int64_t end) const;
  void choose_over();
  void keep_one(std::size_t kept);
  std::size_t representative() const;
  Piece opened(std::size_t link, std::int64_t end, std::size_t room);

  const Op op_;
  const int channels_;
  const bool depth_;
  const std::span<const Link> chain_;
  std::vector<RunCursor> cursors_;  // of every link, those of dense ones unused
  std::vector<Part> parts_;

  // Two rooms: the first link of a block stays in its own until the second has joined.
  struct Room {
    alignas(64) std::byte colour[block_bytes + open_slack];
    alignas(64) std::byte depth[block_pixels * sizeof(float) + open_slack];
  };
  Room rooms_[2];
};

}  // namespace sortlast
