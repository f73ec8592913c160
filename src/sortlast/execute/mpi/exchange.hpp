// Exchange: one rank's execution of a plan over MPI, frame after frame, for any content.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/content/content.hpp"
#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/execute/device/gpu.hpp"
#include "sortlast/execute/engine/engine.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/mpi/messages.hpp"
#include "sortlast/execute/mpi/rendezvous.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/plan/choice.hpp"
#include "sortlast/execute/plan/plan.hpp"
#include "sortlast/threads.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

// The resources that an exchange or a gather of one compositor uses.
struct FrameContext {
  const Communicator& comm;
  const Alarm& alarm;
  Node& node;
  Pool& pool;
  Team& team;
  Timing& timing;
  Traffic& traffic;
  Gpu* gpu = nullptr;                    // null: no image of the node lies in the memory of one
  std::vector<Event>* events = nullptr;  // null: none are recorded
  // For contents of varying size: whether no rank sends any message.
  bool all_in_place = false;
};

// Receives of fixed size are posted ahead. Sends start as soon as their pixels are complete, chunk by chunk,
// and stage by stage if the schedule limits the stages under way. Merging overlaps with communication. Ranks
// of a node exchange the values they started with without messages; how depends on the kind of content
// (pixel_exchange.hpp, string_exchange.hpp).
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

 protected:
  // The content, and the communicator, pool and team of the context, must outlive it at the same addresses.
  Exchange(std::shared_ptr<const Plan> plan, Content& content, const FrameContext& context);

  // Collective: run the plan for one frame, which the content has begun, and return this rank's finished
  // pixels. Throws TimeoutError; messages may then still be under way, the content and the communicator must
  // stay valid, and no other frame can be run. If ranks have yet to arrive (`arrival`), it does not end
  // before they do. If they disagree, it throws their MismatchError, with the same consequences as a
  // TimeoutError.
  PixelBuffer run_frame(const FrameContext& context, CallArrival* arrival = nullptr);

  // If the node has other ranks: take the values that they hand over, and pass them to the engine; and end
  // the sharing.
  virtual void share() = 0;
  virtual void end_sharing() = 0;
  // This rank no longer reads values that others have handed over.
  virtual void release_all() {}
  // Called in every frame, after share() if the node has other ranks; messages may be under way.
  virtual void met() {}

  const Plan& plan() const { return plan_; }
  const FrameContext& context() const { return *context_; }
  Engine& engine() { return engine_; }
  Messages& messages() { return messages_; }

  void record(const Event& event) {
    if (context_->events != nullptr) context_->events->push_back(event);
  }
  // Record time spent on joining, in which `bytes` were read.
  void took_time(double begin, std::int64_t bytes);
  void begin_wait(double now) {
    if (waiting_since_ < 0) waiting_since_ = now;
  }
  void end_wait(double now);
  // Send a chunk that is complete. Returns whether there was one.
  bool send_next();
  // Returns whether any chunks have completed.
  bool take_messages();

 private:
  // Whether the ranks of a node hand over any values.
  bool shares() const { return !plan_.mates.empty() && plan_.schedule->n() > 0; }

  PixelBuffer run();
  void begin(const FrameContext& context, CallArrival* arrival);
  void advance(Backoff& backoff);
  bool work();
  void count(Coding coding);
  void count_search(double begin, double seconds);
  Chunk find_receive(const Messages::Done& done) const;
  void look_at_arrival(Backoff& backoff);
  [[noreturn]] void call_off();
  std::string waits_for() const;

  const std::shared_ptr<const Plan> kept_;
  const Plan& plan_;
  const Program& program_;
  Content& content_;
  Engine engine_;
  Messages messages_;
  std::map<std::pair<std::int32_t, std::uint32_t>, std::size_t>
      receive_of_;                       // strings: peer, number -> receive
  std::optional<FrameContext> context_;  // of the last call
  CallArrival* arrival_ = nullptr;       // ranks have yet to arrive at it; null: all have
  std::uint64_t hash_ = 0;               // of the frame's arguments
  std::int64_t receives_left_ = 0;
  std::size_t bytes_under_way_ = 0;     // of strings being sent
  std::vector<std::int64_t> received_;  // number of chunks received of each receive
  double waiting_since_ = -1;
};

}  // namespace sortlast
