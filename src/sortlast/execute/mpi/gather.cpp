// Gather.
//
// A tile is stored in one piece at its owner, wherever its pixels lie in the image. Contiguous tiles are
// received in place. If the image is dealt out in blocks, each tile consists of thousands of short ranges. A
// separate message for each range, received in place, took 5 times as long (8192x4096 RGBA uint8, tiles of
// 4096 ranges) as messages of many ranges that the root distributes while they are in its cache. With a
// derived datatype, MPI would do the same copy from a description of every range.
//
// As in compositing, the sender leaves out empty pixels of a message if that pays. The root posts buffers for
// all pixels, and unpacks messages that arrive packed.
//
// The root may have to receive from 10^5 ranks. Only a few messages are posted at a time, because MPI
// searches all posted receives for each message that arrives.
#include "sortlast/execute/mpi/gather.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "sortlast/content/pixels/encoding.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/mpi/messages.hpp"
#include "sortlast/execute/mpi/wait.hpp"

namespace sortlast {
namespace {

constexpr std::size_t posted_at_once = 64;
constexpr std::int64_t sent_bytes = 1 << 24;    // maximum that a rank sends at once
constexpr std::int64_t part_bytes = 1 << 22;    // maximum of a message that is received in place
constexpr std::int64_t copied_bytes = 1 << 18;  // maximum of a message with pixels that the root distributes

void count(const Messages::Done& done, Timing& timing) {
  const auto bytes = static_cast<std::int64_t>(done.bytes);
  (done.sent ? timing.bytes_sent : timing.bytes_received) += bytes;
  (done.sent ? timing.messages_sent : timing.messages_received) += done.messages;
}

class TileGather {
 public:
  TileGather(const Gathering& image, const WireOptions& wire, const FrameContext& with)
      : tile_(image.tile),
        taken_(image.taken),
        root_(image.root),
        format_(image.tile.format),
        wire_(wire),
        rank_(with.comm.rank()),
        messages_(with.comm) {
    format_.depth = image.with_depth;
    wire_.half = false;
    const std::int64_t bytes = tile_.interleaving.none() ? part_bytes : copied_bytes;
    most_ = std::max<std::int64_t>(1, bytes / static_cast<std::int64_t>(format_.pixel_bytes()));
    at_once_ = rank_ == root_ ? posted_at_once : static_cast<std::size_t>(sent_bytes / bytes);
  }

  // List the transfers of this rank; copy tiles that are already at the root.
  void begin(const PixelBuffer& out, const FrameContext& with) {
    const auto in_place = [&](int peer) { return tile_.shared && (peer == rank_ || with.node.mate(peer)); };
    if (rank_ == root_) {
      make_frame(out, with.pool);
      for (std::int32_t participant = 0; participant < tile_.schedule->p(); ++participant) {
        const Range piece = tile_.schedule->piece(participant);
        if (piece.empty()) continue;
        const std::int32_t peer =
            tile_.ranks.empty() ? participant : tile_.ranks[static_cast<std::size_t>(participant)];
        if (is_taken(peer)) continue;
        if (in_place(peer)) {
          const ConstPixels shared = PixelBuffer(tile_.shared, tile_.format, tile_.size.pixels()).view();
          put(piece, advance(shared, format_, piece.begin));
        } else if (peer == rank_) {
          put(piece, tile_.pixels.view());
        } else {
          pieces_.emplace_back(peer, piece);
        }
      }
    } else if (!tile_.range.empty() && !in_place(root_) && !is_taken(rank_)) {
      pieces_.emplace_back(root_, tile_.range);
    }
  }

  // Make some progress, a few messages at a time. Returns whether anything is left; sets `moved` if something
  // moved.
  bool step(const FrameContext& with, bool& moved) {
    if (!post(with.pool)) return false;
    if (take_messages(with)) moved = true;
    return true;
  }

  std::string waits_for() const {
    return rank_ == root_ ? std::string("tiles to gather")
                          : "rank " + std::to_string(root_) + " to gather its tile";
  }

  const std::optional<Frame>& frame() const { return frame_; }

  void abandon() { messages_.abandon(); }

 private:
  struct Posted {        // a message under way
    Range pixels;        // of the schedule
    PixelRoom incoming;  // if it is received
    PixelBuffer room;    // from which the pixels are distributed; empty: received in place
  };

  bool is_taken(int rank) const { return !taken_.empty() && taken_[static_cast<std::size_t>(rank)]; }

  void make_frame(const PixelBuffer& out, Pool& pool) {
    const std::int64_t n = tile_.size.pixels();
    PixelBuffer whole = out.view().colour != nullptr ? out
                        : tile_.shared               ? PixelBuffer(tile_.shared, tile_.format, n)
                        : tile_.has_frame            ? tile_.pixels
                                                     : take_pixels(pool, format_, n);
    if (!format_.depth) whole = PixelBuffer(whole.memory(), Pixels{whole.view().colour, nullptr});
    frame_ = Frame{tile_.size, format_, whole};
  }

  // Put pixels of the schedule, stored consecutively, into their places in the frame.
  void put(Range pixels, ConstPixels from) const {
    detail::put_pixels(tile_.interleaving, format_, pixels, from, frame_->pixels.view());
  }

  // Post as many messages as may be under way. Returns whether any are.
  bool post(Pool& pool) {
    while (under_way_ < at_once_ && next_piece_ < pieces_.size()) {
      auto& [peer, left] = pieces_[next_piece_];
      const Range part{left.begin, std::min(left.end, left.begin + most_)};
      if (free_.empty()) {
        free_.push_back(posted_.size());
        posted_.emplace_back();
      }
      const std::size_t place = free_.back();
      free_.pop_back();
      ++under_way_;
      if (rank_ == root_) {
        receive(place, peer, part, pool);
      } else {
        const ConstPixels from =
            advance(ConstPixels(tile_.pixels.view()), format_, part.begin - tile_.range.begin);
        const EncodedPixels pixels = encode(wire_, format_, {format_, from, part.size()}, pool);
        messages_.send({place, 0}, peer, tag, pixels.message());
      }
      left.begin = part.end;
      if (left.empty()) ++next_piece_;
    }
    return under_way_ > 0;
  }

  void receive(std::size_t place, int peer, Range part, Pool& pool) {
    Posted& posted = posted_[place];
    posted.pixels = part;
    if (!tile_.interleaving.none()) posted.room = take_pixels(pool, format_, part.size());
    const Pixels room = posted.room.view().colour != nullptr
                            ? posted.room.view()
                            : advance(frame_->pixels.view(), format_, part.begin);
    posted.incoming = {format_, part.size(), room};
    messages_.receive({place, 0}, peer, tag, posted.incoming.planes());
  }

  bool take_messages(const FrameContext& with) {
    const auto& ended = messages_.test();
    for (const Messages::Done& done : ended) {
      count(done, with.timing);
      Posted& posted = posted_[done.chunk.transfer];
      if (!done.sent && posted.incoming.coding(done.arrival.bytes) == Coding::sparse)
        open(posted.incoming, done.arrival.bytes, with.pool);
      if (posted.room.view().colour != nullptr) put(posted.pixels, posted.room.view());
      posted.room = PixelBuffer();
      free_.push_back(done.chunk.transfer);
      --under_way_;
    }
    return !ended.empty();
  }

  // Unpack packed pixels in the buffer that received them.
  static void open(const PixelRoom& incoming, std::size_t bytes, Pool& pool) {
    const Format& format = incoming.format;
    const Memory packed = pool.take(incoming.dense_colour_bytes());
    std::memcpy(packed.get(), incoming.room.colour, bytes);
    const Packed content = unpack(format, packed.get(), bytes, incoming.count);
    const Link link{content.pixels, format.scalar, Side::back, true, content.runs};
    blend(Op::add, format.channels, format.depth, {&link, 1}, incoming.room, format.scalar, incoming.count);
  }

  static constexpr std::int32_t tag = 0;

  const detail::TileData tile_;
  const std::vector<bool> taken_;
  const int root_;
  Format format_;
  WireOptions wire_;
  const int rank_;
  std::int64_t most_;    // maximum pixels per message
  std::size_t at_once_;  // maximum number of messages under way
  Messages messages_;
  std::optional<Frame> frame_;
  std::vector<std::pair<std::int32_t, Range>> pieces_;  // peers, and the remaining pixels to send or receive
  std::size_t next_piece_ = 0;
  std::vector<Posted> posted_;
  std::vector<std::size_t> free_;  // free indices in posted_
  std::size_t under_way_ = 0;
};

}  // namespace

std::optional<Frame> gather_tiles(const std::vector<Gathering>& images, const WireOptions& wire,
                                  const FrameContext& with) {
  const auto gathers = std::make_shared<std::vector<std::unique_ptr<TileGather>>>();
  try {
    for (const Gathering& image : images) {
      gathers->push_back(std::make_unique<TileGather>(image, wire, with));
      gathers->back()->begin(image.out, with);
    }
    const TileGather* unfinished = nullptr;
    Backoff backoff(with.alarm, [&] { return unfinished->waits_for(); });
    do {
      unfinished = nullptr;
      bool moved = false;
      for (const auto& gather : *gathers)
        if (gather->step(with, moved)) unfinished = gather.get();
      if (moved) {
        backoff.progress();
      } else if (unfinished != nullptr) {
        backoff.pause();
      }
    } while (unfinished != nullptr);
    std::optional<Frame> own;
    for (const auto& gather : *gathers)
      if (gather->frame()) own = gather->frame();
    return own;
  } catch (...) {
    for (const auto& gather : *gathers) gather->abandon();
    keep_for_ever(gathers);
    throw;
  }
}

// ---- Strings --------------------------------------------------------------------------------------

namespace {

// A rank's strings as one message.
Outgoing packed(const std::vector<LayerString>& strings, Pool& pool) {
  Bytes message([&pool](std::size_t size) { return pool.take(size); });
  message.grow(string_head_bytes);
  StringPacker packer(message, strings.size());
  for (const LayerString& string : strings) {
    packer.begin();
    message.append(string.bytes);
    packer.end(string.pixels);
  }
  return outgoing_strings(message);
}

}  // namespace

std::optional<std::vector<LayerString>> gather_strings(const std::vector<LayerString>& strings, int root,
                                                       const StringOptions& options,
                                                       const FrameContext& with) {
  const bool receives = with.comm.rank() == root;
  const auto messages = std::make_shared<Messages>(with.comm, with.pool);
  messages->set_strings(options);
  try {
    std::vector<std::vector<LayerString>> of(static_cast<std::size_t>(with.comm.size()));
    std::size_t left = receives ? of.size() - 1 : 1;
    if (receives) {
      of[static_cast<std::size_t>(root)] = strings;
    } else {
      messages->send_string({}, root, 0, packed(strings, with.pool));
    }
    Backoff backoff(with.alarm, [&] {
      return receives ? std::string("strings to gather")
                      : "rank " + std::to_string(root) + " to gather its strings";
    });
    while (left > 0) {
      const auto& ended = messages->test(receives);
      for (const Messages::Done& done : ended) {
        count(done, with.timing);
        if (!done.sent)
          of[static_cast<std::size_t>(done.peer)] = unpacked(done.arrival.string, done.arrival.memory);
        --left;
      }
      if (ended.empty()) {
        backoff.pause();
      } else {
        backoff.progress();
      }
    }
    if (!receives) return std::nullopt;
    std::vector<LayerString> all;
    for (const std::vector<LayerString>& one : of) all.insert(all.end(), one.begin(), one.end());
    return all;
  } catch (...) {
    messages->abandon();
    keep_for_ever(messages);
    throw;
  }
}

}  // namespace sortlast
