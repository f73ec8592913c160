// Run: one rank's program at work on real pixels. Executors move the messages; a run knows none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "sortlast/execute/run/encoding.hpp"
#include "sortlast/execute/run/pool.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/threads.hpp"
#include "sortlast/tile.hpp"

namespace sortlast {

// An image of n pixels, or none (colour is null). If `bounds`, the pixels outside are known to be empty.
struct Source {
  ConstPixels pixels;
  std::optional<Rectangle> bounds;
};

// What a rank brings.
struct Contribution {
  Source image;
  Size size;
  Format format;
  Op op = Op::over;
  bool background = false;         // one will be put behind the result
  PixelBuffer result;              // where the finished pixels are to be put; empty: anywhere
  Interleaving interleaving = {};  // how images, of less than 2^32 pixels then, hold the program's pixels
};

// The image of another rank that can be read without a message: where it lies, or, if `pull` is set, by
// having runs of its pixels, counted from pixel `origin`, copied to where each is stored in `to`. `released`
// is called once, when it has been read.
struct Reference {
  bool absent = false;
  Source image;
  std::function<void(std::int64_t origin, std::span<const ActiveRun> runs, Pixels to)> pull;
  std::function<void()> released;
};

// One message's part of a transfer: program.sends[transfer] or program.receives[transfer].
struct Chunk {
  std::size_t transfer = 0;
  std::int64_t number = 0;

  auto operator<=>(const Chunk&) const = default;
};

// A transfer is cut into chunks of wire.chunk_pixels(), in order. Of each transfer at most `window`
// chunks are under way, at both ends, so that the memory for messages stays small; blending and sending
// follow chunk by chunk. The executor calls: open() when transfers of further stages may begin,
// next_receive() and incoming() for each chunk to receive and arrived() when it is there, next_send() and
// outgoing() for each to send and sent() when its memory is no longer needed, blend() whenever there is time.
// Neither the order nor the moment of these calls changes the result.
class Run {
 public:
  static constexpr std::int64_t window = 3;

  // All but the wire must outlive the run.
  Run(const Program& program, const Contribution& contribution, const WireOptions& wire, Pool& pool,
      Team& team);

  std::int64_t chunks(Range pixels) const;  // of a transfer; 1 or more

  // Transfers without a message, to be named before anything else: program.receives[receive] is read where it
  // lies, and the receiver of program.sends[send] reads this rank's image.
  void refer(std::size_t receive, Reference reference);
  void spare(std::size_t send);
  // To be called where the stages under way are limited: receive all chunks of values that are needed later
  // than in the stage that brings them, as that must come to its end before the other is opened.
  void receive_ahead();
  // Transfers of the stages up to `stage` may be under way.
  void open(std::int32_t stage);

  std::optional<Chunk> next_receive();
  Incoming incoming(Chunk chunk);
  void arrived(Chunk chunk, std::size_t colour_bytes);

  std::optional<Chunk> next_send();
  Outgoing outgoing(Chunk chunk);
  void sent(Chunk chunk);

  // Blend up to `blend_unit` pixels a thread of what is there. Returns the bytes that were read; 0 if there
  // is nothing to blend now.
  static constexpr std::int64_t blend_unit = 1 << 15;
  std::int64_t blend();

  bool blended() const { return merges_left_ == 0; }  // all merges are done
  // The finished pixels, once blended(); see fill_absent() for those of no image. Call once.
  PixelBuffer take_result();

 private:
  struct Part {  // a chunk of a received value
    Memory memory;
    ConstPixels pixels;
    bool sparse = false;
    std::span<const ActiveRun> runs;
    bool there = false;
    std::int64_t uses = 0;  // pixels times the merges and sends that still need them
  };
  struct Referred {  // the image of another rank
    Reference reference;
    std::vector<ActiveRun> runs;  // of its pixels, if in_runs(), counted from the value's first pixel
  };
  struct Held {  // a value
    Range pixels;
    Format format;
    bool absent = false;  // no rank that it stands for had an image; known once any of it is there
    int uses = 0;         // sends and merges that still need it
    std::size_t receive = 0;
    std::vector<Part> parts;             // if received
    std::unique_ptr<Referred> referred;  // if read where it lies
    PixelBuffer memory;                  // if merged
    Value alias = -1;                    // value in whose memory its merges go on
    std::vector<std::size_t> readers;    // merges that read it
    std::vector<std::size_t> sends;
    std::vector<std::size_t> writers;  // merges that write into it
  };
  struct Joining {            // a merge under way
    std::size_t joined = 0;   // inputs that are in what was gathered
    std::size_t joining = 0;  // inputs of the pass under way end here; == joined: no pass
    std::int64_t done = 0;    // pixels of the pass that are done
    bool gathered = false;    // the pixels gathered by earlier passes are not absent
    bool gathering = false;   // nor are those of this one
    bool complete = false;
    PixelBuffer accumulator;  // gathered pixels, where they may not lie in the value yet
  };
  struct Flow {  // a send or receive
    std::int64_t chunks = 0;
    std::int64_t begun = 0;  // chunks that were posted
    std::int64_t done = 0;   // chunks that were sent, or received and used up
    std::int64_t window = Run::window;
    bool queued = false;
  };

  // What values hold, and where: values.cpp.
  Held& held(Value value) { return held_[static_cast<std::size_t>(value)]; }
  const Held& held(Value value) const { return held_[static_cast<std::size_t>(value)]; }
  void index_steps();
  Format stored_as(Value value, const std::vector<bool>& is_sent) const;
  void find_aliases();
  bool needed_late(std::size_t receive, const std::vector<std::int32_t>& stages) const;
  bool may_alias(Value target, Value source) const;
  Range chunk_of(Range pixels, std::int64_t number) const;
  std::size_t part_at(const Held& held, std::int64_t pixel) const;
  std::int64_t ready_until(Value value, std::int64_t pixel) const;
  bool ready(Value value, Range pixels) const;
  std::int64_t pull_pixels(const Format& format) const;
  std::int64_t pulled_until(const Held& held, std::int64_t pixel) const;
  std::int64_t contiguous_until(Value value, std::int64_t pixel) const;
  Link link(Value value, Range pixels, Side side);
  Link pulled(const Held& held, Range pixels, Side side);
  Pixels stage(const Format& format, std::int64_t count);
  bool in_runs(const Source& image) const;
  std::vector<ActiveRun> runs_of(const Source& image, Range pixels) const;
  Load own_load(Range pixels, std::vector<ActiveRun>& runs);
  Load load(Value value, Range pixels, PixelBuffer& copy);
  void materialise(Value value, Range pixels, Pixels to);
  void use_up(Value value, Range pixels);
  void release(Value value);
  void offer_receive(std::size_t receive);
  void offer_send(std::size_t send);
  void settled(Value value);

  bool start_pass(std::size_t merge);
  Range next_unit(std::size_t merge) const;
  std::int64_t blend_unit_of(std::size_t merge, Range unit);
  void share_out(const std::vector<Link>& chain, const Format& format, Pixels out, std::int64_t n);
  void finish_pass(std::size_t merge);
  void complete(std::size_t merge);
  Pixels accumulate_into(std::size_t merge, bool last);

  const Program& program_;
  const Contribution& own_;
  WireOptions wire_;
  Pool& pool_;
  Team& team_;
  std::int64_t chunk_pixels_;
  std::int32_t open_ = 0;
  std::vector<Held> held_;
  std::vector<Joining> joining_;
  std::vector<Flow> sends_;
  std::vector<Flow> receives_;
  std::vector<ActiveRun> own_runs_;  // of the own image's pixels, if in_runs()
  std::set<std::tuple<std::int32_t, std::int64_t, std::size_t>> ready_sends_;  // stage, chunk, send
  std::set<std::tuple<std::int32_t, std::int64_t, std::size_t>> ready_receives_;
  std::vector<std::size_t> candidates_;  // merges that may be able to go on
  std::size_t merges_left_ = 0;

  // Pulled pixels of the unit that is being blended.
  Memory staging_;
  std::size_t pulls_ = 0;   // values that are pulled
  std::size_t staged_ = 0;  // bytes in use
  std::vector<std::vector<ActiveRun>> staged_runs_;
  std::vector<ActiveRun> reads_;  // of the last pull
  std::size_t staged_links_ = 0;
};

}  // namespace sortlast
