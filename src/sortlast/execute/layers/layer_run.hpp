// LayerRun: one rank's program at work on byte strings (see content.hpp). Executors move the messages; a run
// knows none.
//
// Nothing is joined before it has to be. A merge only lists its inputs' strings under the merged value; they
// are joined when a part of that value is sent, and those of the rank's own piece when it is finished, all at
// once. So the algorithms that move each contribution straight to its owner read it once and join it once.
//
// Pixels are cut at the multiples of a block, the same on all ranks. Strings of different ranks then cover
// the same pixels and need no cutting, and the blocks are shared out to the threads. Where the content takes
// strings of any part of what is finished, and nothing is joined on the way, there are only as many blocks as
// keep the threads busy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/execute/layers/content.hpp"
#include "sortlast/execute/layers/packed_strings.hpp"
#include "sortlast/execute/run/pool.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/nodes.hpp"
#include "sortlast/threads.hpp"

namespace sortlast {

// A rank's program, and which of its steps need which others. Does not change from frame to frame.
struct LayerProgram {
  // Steps are the merges, then the sends, then the end: the rank's own piece.
  struct Dependences {
    std::vector<std::vector<std::size_t>> after_receive;  // by receive: steps that need it
    std::vector<std::vector<std::size_t>> after_merge;    // by merge
    std::vector<std::int32_t> needs;                      // by step: receives and merges that it needs
  };

  LayerProgram(Program made, const Setting& setting);

  std::size_t first_send() const { return program.merges.size(); }
  std::size_t end() const { return first_send() + program.sends.size(); }

  Program program;
  SparedTransfers spared;  // they are handed over outside messages: see LayerRun
  Dependences dependences;
  std::vector<std::int32_t> uses;  // by value: merges, sends and the end that read it
  bool straight = false;           // all sends are of the rank's own contribution
};

// Blocks of pixels for an image of n, shared out among p ranks.
std::int64_t layer_block(std::int64_t n, std::int32_t p);

class LayerRun {
 public:
  // All must outlive the run. Strings are cut at multiples of `block` pixels.
  LayerRun(const LayerProgram& program, std::int64_t block, Pool& pool, Team& team);

  // Start a frame. The content must stay until end_frame().
  void begin_frame(const LayerContent& content);

  // program.receives[receive] is there, as a message of its sender: see outgoing(). `memory` keeps it. Throws
  // Error if it is damaged.
  void arrived(std::size_t receive, std::span<const std::byte> message,
               const std::shared_ptr<const void>& memory);

  // The send of the lowest stage, up to `last_stage`, whose pixels are complete. Each is returned once; those
  // that the program spares never are, as their outgoing() may be called from the start.
  std::optional<std::size_t> next_send(std::int32_t last_stage);
  // Append its message: encodes and joins what it carries.
  void outgoing(std::size_t send, Bytes& message);

  bool complete() const;  // all contributions to the own piece are there
  // Join and flatten the own piece, once complete(), into pixels of which the first is that of piece.begin.
  // Returns the joined strings, pixel by pixel in order, if the content keeps them.
  std::vector<LayerString> finish(Pixels out, const Format& format);
  // Let go of all memory of the frame.
  void end_frame();

 private:
  // A string in a value: only the pixels `window` of it. Without a string: the rank's own contribution.
  struct Entry {
    Range window;
    LayerString string;
    bool own = false;
  };
  // Neighbouring pixels to which the same entries contribute or, if they need not be the same, some of the
  // strings only to a part.
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
  void settle(const std::vector<std::size_t>& steps);
  void take_step(std::size_t step);
  void merge(const Merge& merge);
  void use_up(Value value);
  std::vector<Unit> units_of(Value value, Range pixels);
  std::vector<Unit> long_units_of(Value value, Range pixels);
  template <typename Work>
  void share_out(std::size_t units, const Work& work);

  const LayerProgram& plan_;
  const Program& program_;
  std::int64_t block_;
  Pool& pool_;
  Team& team_;
  const LayerContent* content_ = nullptr;
  std::vector<std::vector<Entry>> values_;
  std::vector<std::int32_t> uses_;                     // by value, left
  std::vector<std::int32_t> needs_;                    // by step, left
  using Ready = std::pair<std::int32_t, std::size_t>;  // stage, send
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
};

}  // namespace sortlast
