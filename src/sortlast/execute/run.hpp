// Run: one rank's program at work on real pixels. Executors move the messages; a run knows none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sortlast/execute/pool.hpp"
#include "sortlast/execute/tile.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule/schedule.hpp"

namespace sortlast {

// What a rank brings: n pixels of a format, or nothing (colour is null) if it has no image.
struct Contribution {
  ConstPixels pixels;
  Format format;
  Op op = Op::over;
  bool background = false;  // one will be put behind the result
};

// Pixels on their way: `format` says what they are stored as (partial composites may have another scalar than
// the images). An absent message has no pixels: none of the ranks that it stands for had an image.
struct Parcel {
  Format format;
  std::int64_t count = 0;
  bool absent = false;
};
struct Outgoing : Parcel {
  ConstPixels pixels;
};
struct Incoming : Parcel {
  Pixels pixels;
};

// The executor calls: incoming() once for each receive (any time before its message), arrived() when the
// message is there, next_send() until it is empty and sent() when a send's memory is no longer needed,
// blend() whenever there is time. Neither the order nor the moment of these calls changes the result.
class Run {
 public:
  // `program` and the contribution's pixels must outlive the run.
  Run(const Program& program, const Contribution& contribution, Pool& pool);

  // What the message of program.receives[receive] holds, and memory for it.
  Parcel parcel(std::size_t receive) const;
  Incoming incoming(std::size_t receive);
  // The message of program.receives[receive] lies in its memory, or was absent.
  void arrived(std::size_t receive, bool absent);

  // A send (index into program.sends) whose pixels are complete, each once; none if there is none now.
  std::optional<std::size_t> next_send();
  Outgoing outgoing(std::size_t send) const;
  void sent(std::size_t send);

  // Blend up to `blend_unit` pixels of what is there. Returns the bytes that were read; 0 if there is
  // nothing to blend now.
  static constexpr std::int64_t blend_unit = 1 << 15;
  std::int64_t blend();

  bool blended() const { return merges_left_ == 0; }  // all merges are done
  // The finished pixels, once blended(); see fill_absent() for those of no image. Call once.
  Stretch take_result();

 private:
  struct Held {  // a value
    Format format;
    Stretch memory;
    bool there = false;                // received, or all merges done
    bool absent = false;               // own or received, and no rank that it stands for had an image
    int uses = 0;                      // sends and merges that still need it
    int merges_left = 0;               // merges that still write into it
    std::vector<std::size_t> readers;  // merges that read it
    std::vector<std::size_t> sends;
    std::vector<std::size_t> writers;  // merges that write into it
  };
  struct Joining {            // a merge under way
    std::size_t joined = 0;   // inputs that are in what was gathered
    std::size_t joining = 0;  // inputs of the pass under way end here; == joined: no pass
    std::int64_t done = 0;    // pixels of the pass that are done
    bool gathered = false;    // the pixels gathered so far are not absent
    bool complete = false;
    Stretch accumulator;  // gathered pixels, where they may not lie in the value yet
  };

  void index_steps();
  Format stored_as(Value value, const std::vector<bool>& is_sent) const;
  bool ready(Value value, Range pixels) const;
  bool absent(Value value, Range pixels) const;
  ConstPixels view(Value value, Range pixels) const;
  void settled(Value value);
  void release(Value value);
  bool start_pass(std::size_t merge);
  std::int64_t continue_pass(std::size_t merge);
  void finish_pass(std::size_t merge);
  void complete(std::size_t merge);
  Pixels accumulate_into(std::size_t merge, bool last);

  const Program& program_;
  Contribution own_;
  Pool& pool_;
  std::vector<Held> held_;
  std::vector<Joining> joining_;
  std::vector<std::size_t> ready_sends_;
  std::vector<std::size_t> candidates_;  // merges that may be able to go on
  std::size_t merges_left_ = 0;
};

}  // namespace sortlast
