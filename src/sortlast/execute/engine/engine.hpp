// Engine: executes one rank's program on content (content/content.hpp). It knows dependencies, stages,
// windows and chunks, but no pixels. Executors move the messages: Exchange by MPI, SerialRanks in one thread.
//
// An engine is made once per program and reused for each frame: begin_frame() resets counters, and allocates
// nothing from the second frame on.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "sortlast/content/content.hpp"
#include "sortlast/content/indexed_program.hpp"

namespace sortlast {

// At most one window of chunks of each transfer is under way at both ends, so that the memory for messages
// stays small, and transfers of at most one window of stages, if the schedule has one; merging and sending
// follow chunk by chunk. The executor starts a frame of the content, then calls begin_frame(); in_place() for
// each receive that the program spares, once the content has it; start() when transfers may begin;
// next_receive(), and arrived() when the chunk has arrived; next_send(), and sent() when its memory is no
// longer needed; work() whenever there is time.
class Engine {
 public:
  // Both must outlive the engine.
  Engine(const IndexedProgram& program, Content& content);

  void begin_frame();
  // The content has obtained program.receives[receive] without a message.
  void in_place(std::size_t receive) { settled(program_.receives[receive].value); }
  // Transfers may begin. Has no effect the second time in a frame.
  void start();

  // The next chunk to receive, for which buffers may be prepared; chunks of varying size need none.
  std::optional<Chunk> next_receive();
  void arrived(Chunk chunk, const Arrived& arrival);

  std::optional<Chunk> next_send();
  void sent(Chunk chunk);

  // Join some of the available pixels. Returns the number of bytes read; 0 if there is nothing to join now.
  std::int64_t work();

  // Number of chunks that have yet to be sent or to arrive.
  std::int64_t left() const { return all_left_; }

  const Program& program() const { return program_; }

 private:
  struct Flow {              // of a send or receive
    std::int64_t begun = 0;  // chunks posted
    std::int64_t done = 0;   // chunks sent, or received and used up
    bool queued = false;
  };
  // Chunks that may be posted, ordered by stage, number and transfer; the smallest is on top.
  using Next = std::tuple<std::int32_t, std::int64_t, std::size_t>;
  struct Queue : std::priority_queue<Next, std::vector<Next>, std::greater<>> {
    void clear() { c.clear(); }
  };

  // Open the stages that may be in progress.
  void open_stages();
  // A chunk of a stage has been sent or has arrived.
  void completed(std::int32_t stage);
  void offer_receive(std::size_t receive);
  void offer_send(std::size_t send);
  void settled(Value value);
  void use_up(Value value, Range pixels);

  const IndexedProgram& index_;
  const Program& program_;
  Content& content_;
  std::vector<std::int64_t> chunks_;  // of this rank, by stage
  std::vector<std::int64_t> left_;    // of them, not yet completed
  std::int64_t all_left_ = 0;
  std::int32_t oldest_ = 1;  // all stages before it are complete
  std::int32_t open_ = 0;    // transfers of the stages up to this one may be under way
  std::vector<Flow> sends_;
  std::vector<Flow> receives_;
  Queue ready_sends_;
  Queue ready_receives_;
};

}  // namespace sortlast
