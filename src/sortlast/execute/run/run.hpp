// Run: one rank's program at work on real pixels. Executors move the messages; a run knows none.
//
// A run is made once for a program and started anew for each frame: begin_frame() resets counters, and
// allocates nothing from the second frame on.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "sortlast/execute/plan/plan.hpp"
#include "sortlast/execute/run/passes.hpp"
#include "sortlast/execute/run/values.hpp"
#include "sortlast/threads.hpp"
#include "sortlast/tile.hpp"

namespace sortlast {

// One message's part of a transfer: program.sends[transfer] or program.receives[transfer].
struct Chunk {
  std::size_t transfer = 0;
  std::int64_t number = 0;

  auto operator<=>(const Chunk&) const = default;
};

// A transfer is cut into chunks of wire.chunk_pixels(), in order. Of each transfer at most `window`
// chunks are under way, at both ends, so that the memory for messages stays small; blending and sending
// follow chunk by chunk. The executor calls: begin_frame(), and refer() for each receive that the program
// spares; open() when transfers of further stages may begin,
// next_receive() and incoming() for each chunk to receive and arrived() when it is there, next_send() and
// outgoing() for each to send and sent() when its memory is no longer needed, blend() whenever there is time.
// Neither the order nor the moment of these calls changes the result.
class Run {
 public:
  static constexpr std::int64_t window = IndexedProgram::window;

  // All must outlive the run.
  Run(const IndexedProgram& program, Pool& pool, Team& team);

  // Start a frame. The contribution must stay until end_frame().
  void begin_frame(const Contribution& contribution);
  // program.receives[receive] is read where it lies.
  void refer(std::size_t receive, Reference reference);
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
  static constexpr std::int64_t blend_unit = Passes::unit;
  std::int64_t blend();

  bool blended() const { return passes_.done(); }  // all merges are done
  // The finished pixels, once blended(); see fill_absent() for those of no image. Call once.
  PixelBuffer take_result() { return values_.take_result(); }
  // Let go of all memory of the frame.
  void end_frame() {
    values_.end_frame();
    passes_.end_frame();
  }

 private:
  struct Flow {              // of a send or receive
    std::int64_t begun = 0;  // chunks that were posted
    std::int64_t done = 0;   // chunks that were sent, or received and used up
    bool queued = false;
  };
  // Chunks that may be posted, the first in order of stage, number and transfer on top.
  using Next = std::tuple<std::int32_t, std::int64_t, std::size_t>;
  struct Queue : std::priority_queue<Next, std::vector<Next>, std::greater<>> {
    void clear() { c.clear(); }
  };

  void offer_receive(std::size_t receive);
  void offer_send(std::size_t send);
  void settled(Value value);
  void use_up(Value value, Range pixels);

  const IndexedProgram& index_;
  const Program& program_;
  Values values_;
  Passes passes_;
  std::int32_t open_ = 0;
  std::vector<Flow> sends_;
  std::vector<Flow> receives_;
  Queue ready_sends_;
  Queue ready_receives_;
};

// As execute_serial() of serial.hpp, which runs all ranks in one thread, where pixels of other nodes travel
// as `wire` says, and the schedule's pixels lie in the images as `interleaving`, made for as many, says.
Frame execute_serial(const Schedule& schedule, std::span<const ConstPixels> images, Size size,
                     const Format& format, Op op, std::uint32_t seed, const WireOptions& wire,
                     const Interleaving& interleaving = {});

}  // namespace sortlast
