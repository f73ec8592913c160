// Gather: the tiles of all ranks become one image at the root.
#include "sortlast/execute/mpi/gather.hpp"

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

}  // namespace

std::optional<Frame> gather_tiles(const Tile& tile, int root, bool with_depth, const Communicator& comm,
                                  const Alarm& alarm, Pool& pool, Timing& timing) {
  constexpr std::int32_t tag = 0;
  const int rank = comm.rank();
  Format format = tile.format;
  format.depth = with_depth;
  auto messages = std::make_unique<Messages>(comm);
  std::optional<Frame> frame;

  Patience patience(alarm, [&] {
    return rank == root ? std::string("tiles to gather")
                        : "rank " + std::to_string(root) + " to gather its tile";
  });
  try {
    if (rank == root) {
      frame = Frame{tile.size, format, Stretch(pool, format, tile.size.pixels())};
      for (std::int32_t peer = 0; peer < tile.schedule->p(); ++peer) {
        const Range piece = tile.schedule->piece(peer);
        if (peer == rank || piece.empty()) continue;
        const Pixels to = advance(frame->pixels.view(), format, piece.begin);
        messages->receive(static_cast<std::size_t>(peer), peer, tag, {{format, piece.size(), false}, to});
        timing.bytes_received += piece.size() * static_cast<std::int64_t>(format.pixel_bytes());
        timing.messages_received += Messages::tags(format, piece.size());
      }
      if (!tile.range.empty()) copy_tile(tile, format, frame->pixels.view());
    } else if (!tile.range.empty()) {
      ConstPixels pixels = tile.pixels.view();
      if (!with_depth) pixels.depth = nullptr;
      messages->send(0, root, tag, {{format, tile.range.size(), false}, pixels});
      timing.bytes_sent += tile.range.size() * static_cast<std::int64_t>(format.pixel_bytes());
      timing.messages_sent += Messages::tags(format, tile.range.size());
    }

    while (!messages->idle()) {
      if (messages->test().empty()) {
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
