// StringContent: executes one rank's program on contributions of varying size, held as byte strings. A
// StringCodec interprets the bytes (string_codec.hpp).
//
// Nothing is joined before it has to be. A merge only lists its inputs' strings under the merged value. They
// are joined when a part of that value is sent, and the strings of the rank's own piece all at once when it
// is finished. Algorithms that move each contribution straight to its owner thus read and join it once.
//
// Pixels are cut at multiples of a block, the same on all ranks. Strings of different ranks then cover the
// same pixels and need no cutting, and the blocks are distributed among the threads. If the content accepts
// strings of any part of the finished pixels and nothing is joined on the way, there are only as many blocks
// as keep the threads busy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sortlast/content/content.hpp"
#include "sortlast/content/indexed_program.hpp"
#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/content/strings/packed_strings.hpp"
#include "sortlast/content/strings/string_codec.hpp"
#include "sortlast/threads.hpp"

namespace sortlast {

// Pixels per block for an image of n pixels, divided among p ranks.
std::int64_t string_block(std::int64_t n, std::int32_t p);

class StringContent final : public Content {
 public:
  // All arguments must outlive it. Strings are cut at multiples of `block` pixels.
  StringContent(const IndexedProgram& program, std::int64_t block, Pool& pool, Team& team);

  // Start a frame. `own` must stay valid until end_frame().
  void begin_frame(const StringCodec& own);
  // Write the finished pixels, of `format`, to `result`, which begins at piece.begin. Call before
  // take_result().
  void place(const PixelBuffer& result, const Format& format);

  // Append the message of a send. Messages that the program spares, because ranks of the node read them in
  // place, may be made at any time.
  void append_message(std::size_t send, Bytes& message);

  bool ready(Value value, Range pixels) const override;
  bool offer(std::size_t merge) override;
  Incoming incoming(Chunk chunk) override;
  // Throws Error if the message is corrupt.
  void arrived(Chunk chunk, const Arrived& arrival) override;
  // Encodes and joins the strings that the send carries.
  Outgoing outgoing(Chunk chunk) override;
  std::int64_t use_up(Value /*value*/, Range /*pixels*/) override { return 0; }
  void release(Value /*value*/) override {}  // outgoing() has done it
  std::optional<Work> work(const std::function<void(Value, Range)>& /*used_up*/) override {
    return std::nullopt;
  }
  bool merged() const override { return merges_left_ == 0; }
  // Joins and flattens this rank's piece.
  PixelBuffer take_result() override;
  void end_frame() override;

  // After take_result(): the joined strings of the piece in pixel order, if the content keeps them.
  std::vector<LayerString> take_joined() { return std::move(joined_); }

 private:
  // A string in a value, limited to the pixels `window`. Without a string: the rank's own contribution.
  struct Entry {
    Range window;
    LayerString string;
    bool own = false;
  };
  // Consecutive pixels to which the same entries contribute or, if that is not required, to which some
  // strings contribute only in part.
  struct Unit {
    struct Part {
      const LayerString* string = nullptr;
      Range pixels;
    };
    Range pixels;
    bool own = false;
    std::vector<Part> strings;
  };
  class Joiner;

  Bytes::Take from_pool() const {
    return [this](std::size_t bytes) { return pool_.take(bytes); };
  }
  std::vector<Entry>& entries(Value value) { return values_[static_cast<std::size_t>(value)]; }
  void merge(const Merge& merge);
  void use_once(Value value);
  std::vector<Unit> units_of(Value value, Range pixels);
  std::vector<Unit> long_units_of(Value value, Range pixels);
  template <typename Each>
  void share_out(std::size_t units, const Each& each);

  const IndexedProgram& index_;
  const Program& program_;
  const bool straight_;  // whether all sends are of the rank's own contribution
  std::int64_t block_;
  Pool& pool_;
  Team& team_;
  const StringCodec* own_ = nullptr;
  PixelBuffer result_;
  Format format_;
  std::vector<std::vector<Entry>> values_;
  std::vector<std::int32_t> uses_;   // by value, remaining
  std::vector<bool> there_;          // by receive: whether it has arrived
  std::vector<std::size_t> inputs_;  // by merge: number of leading inputs that are complete
  std::vector<bool> merged_;         // by merge
  std::size_t merges_left_ = 0;
  std::vector<LayerString> joined_;
};

}  // namespace sortlast
