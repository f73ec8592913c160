// Blending of chains with sparse links, block by block, without expanding the images.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/image/gathering.hpp"
#include "sortlast/image/run_cursor.hpp"

namespace sortlast {

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
