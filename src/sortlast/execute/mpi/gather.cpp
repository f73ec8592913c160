// Gather: the tiles of all ranks become one image at the root.
#include "sortlast/execute/mpi/gather.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "sortlast/execute/mpi/backoff.hpp"
#include "sortlast/execute/mpi/keep.hpp"
#include "sortlast/execute/mpi/messages.hpp"

namespace sortlast {
namespace {

// Call act(pixel of the piece, pixels of the image) for each part of a piece that a message can carry to
// where it belongs.
template <typename Act>
void each_part(const detail::TileData& tile, Range piece, const Format& format, Act act) {
  const std::int64_t most = Messages::most_pixels(format);
  for (std::int64_t at = piece.begin; at < piece.end;) {
    const Range lies = tile.interleaving.run({at, std::min(piece.end, at + most)});
    act(at - piece.begin, lies);
    at += lies.size();
  }
}

void copy_tile(const detail::TileData& tile, const Format& format, Pixels image) {
  each_part(tile, tile.range, format, [&](std::int64_t first, Range lies) {
    const ConstPixels from = advance(ConstPixels(tile.pixels.view()), format, first);
    const Pixels to = advance(image, format, lies.begin);
    const auto count = static_cast<std::size_t>(lies.size());
    std::memcpy(to.colour, from.colour, count * format.colour_bytes());
    if (format.depth) std::memcpy(to.depth, from.depth, count * sizeof(float));
  });
}

}  // namespace

std::optional<Frame> gather_tiles(const detail::TileData& tile, int root, bool with_depth,
                                  const FrameContext& with) {
  constexpr std::int32_t tag = 0;
  const int rank = with.comm.rank();
  Format format = tile.format;
  format.depth = with_depth;
  auto messages = std::make_unique<Messages>(with.comm);
  std::optional<Frame> frame;

  // Whether a rank's tile lies in the root's frame already.
  const auto in_place = [&](int peer) { return tile.shared && (peer == rank || with.node.mate(peer)); };

  Backoff backoff(with.alarm, [&] {
    return rank == root ? std::string("tiles to gather")
                        : "rank " + std::to_string(root) + " to gather its tile";
  });
  try {
    if (rank == root) {
      const std::int64_t n = tile.size.pixels();
      PixelBuffer whole =
          tile.shared ? PixelBuffer(tile.shared, tile.format, n) : take_pixels(with.pool, format, n);
      if (!with_depth) whole = PixelBuffer(whole.memory(), Pixels{whole.view().colour, nullptr});
      frame = Frame{tile.size, format, whole};
      for (std::int32_t peer = 0; peer < tile.schedule->p(); ++peer) {
        const Range piece = tile.schedule->piece(peer);
        if (peer == rank || piece.empty() || in_place(peer)) continue;
        each_part(tile, piece, format, [&](std::int64_t, Range lies) {
          messages->receive({}, peer, tag,
                            {format, lies.size(), advance(frame->pixels.view(), format, lies.begin)});
        });
      }
      if (!tile.range.empty() && !tile.shared) copy_tile(tile, format, frame->pixels.view());
    } else if (!tile.range.empty() && !in_place(root)) {
      const ConstPixels pixels = tile.pixels.view();
      each_part(tile, tile.range, format, [&](std::int64_t first, Range lies) {
        messages->send({}, root, tag,
                       {Content::dense, format, lies.size(), advance(pixels, format, first), 0, {}});
      });
    }

    while (!messages->idle()) {
      const auto& through = messages->test();
      for (const Messages::Done& done : through) {
        const auto bytes = static_cast<std::int64_t>(done.bytes);
        (done.sent ? with.timing.bytes_sent : with.timing.bytes_received) += bytes;
        (done.sent ? with.timing.messages_sent : with.timing.messages_received) += done.messages;
      }
      if (through.empty()) {
        backoff.pause();
      } else {
        backoff.progress();
      }
    }
  } catch (...) {
    messages->abandon();
    keep_for_ever(std::move(messages));
    if (frame) keep_for_ever(std::make_shared<Frame>(*frame));
    keep_for_ever(std::make_shared<detail::TileData>(tile));
    throw;
  }
  return frame;
}

}  // namespace sortlast
