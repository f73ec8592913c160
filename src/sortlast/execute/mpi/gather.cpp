// Gather: the tiles of all ranks become one image at the root.
#include "sortlast/execute/mpi/gather.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "sortlast/execute/mpi/keep.hpp"
#include "sortlast/execute/mpi/messages.hpp"
#include "sortlast/execute/mpi/patience.hpp"

namespace sortlast {
namespace {

void copy_tile(const Tile& tile, const Format& format, Pixels image) {
  const Pixels to = advance(image, format, tile.range.begin);
  const auto count = static_cast<std::size_t>(tile.range.size());
  std::memcpy(to.colour, tile.pixels.view().colour, count * format.colour_bytes());
  if (format.depth) std::memcpy(to.depth, tile.pixels.view().depth, count * sizeof(float));
}

// Post the chunks of a piece of a tile: post(first pixel, pixels).
template <typename Post>
void cut(std::int64_t count, const Format& format, Post post) {
  const std::int64_t most = Messages::most_pixels(format);
  for (std::int64_t begin = 0; begin < count; begin += most) post(begin, std::min(most, count - begin));
}

}  // namespace

std::optional<Frame> gather_tiles(const Tile& tile, int root, bool with_depth, const Surroundings& with) {
  constexpr std::int32_t tag = 0;
  const int rank = with.comm.rank();
  Format format = tile.format;
  format.depth = with_depth;
  auto messages = std::make_unique<Messages>(with.comm);
  std::optional<Frame> frame;

  // Whether a rank's tile lies in the root's frame already.
  const auto in_place = [&](int peer) { return tile.shared && (peer == rank || with.node.mate(peer)); };

  Patience patience(with.alarm, [&] {
    return rank == root ? std::string("tiles to gather")
                        : "rank " + std::to_string(root) + " to gather its tile";
  });
  try {
    if (rank == root) {
      const std::int64_t n = tile.size.pixels();
      Stretch whole = tile.shared ? Stretch(tile.shared, tile.format, n) : Stretch(with.pool, format, n);
      if (!with_depth) whole = Stretch(whole.memory(), Pixels{whole.view().colour, nullptr});
      frame = Frame{tile.size, format, whole};
      for (std::int32_t peer = 0; peer < tile.schedule->p(); ++peer) {
        const Range piece = tile.schedule->piece(peer);
        if (peer == rank || piece.empty() || in_place(peer)) continue;
        const Pixels to = advance(frame->pixels.view(), format, piece.begin);
        cut(piece.size(), format, [&](std::int64_t begin, std::int64_t count) {
          messages->receive({}, peer, tag, {format, count, advance(to, format, begin)});
        });
      }
      if (!tile.range.empty() && !tile.shared) copy_tile(tile, format, frame->pixels.view());
    } else if (!tile.range.empty() && !in_place(root)) {
      const ConstPixels pixels = tile.pixels.view();
      cut(tile.range.size(), format, [&](std::int64_t begin, std::int64_t count) {
        messages->send({}, root, tag, {Content::dense, format, count, advance(pixels, format, begin), 0, {}});
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
        patience.pause();
      } else {
        patience.progress();
      }
    }
  } catch (...) {
    messages->abandon();
    keep_for_ever(std::move(messages));
    if (frame) keep_for_ever(std::make_shared<Frame>(*frame));
    keep_for_ever(std::make_shared<Tile>(tile));
    throw;
  }
  return frame;
}

}  // namespace sortlast
