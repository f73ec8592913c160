// Exchange.
#include "sortlast/execute/mpi/exchange.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/mpi/messages.hpp"
#include "sortlast/execute/mpi/strays.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/execute/node/node_image.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {

// The frame under way, and what it has in common with the next.
class Exchange::Frame {
 public:
  Frame(std::shared_ptr<const Plan> plan, const FrameContext& context)
      : kept_(std::move(plan)),
        plan_(*kept_),
        program_(plan_.indexed.program),
        run_(plan_.indexed, context.pool, context.team),
        messages_(context.comm),
        sent_(program_.sends.size()),
        received_(program_.receives.size()) {}

  PixelBuffer run(const Contribution& contribution, const FrameContext& context, Meeting* meeting) {
    begin(contribution);
    context_.emplace(context);
    meeting_ = meeting;
    hash_ = meeting == nullptr ? 0 : meeting->hash();
    context_->timing.stages = plan_.schedule->stages();
    Backoff backoff(context_->alarm, [this] { return waits_for(); });
    if (shares()) share();
    while (all_left_ > 0 || !run_.blended() || meeting_ != nullptr) {
      advance(backoff);
      look_at_meeting(backoff);
    }
    PixelBuffer result = run_.take_result();
    if (shares()) context_->node.wait_until_read("composite");
    end();
    return result;
  }

  // Whether the ranks disagreed, and nothing is under way any more.
  bool called_off() const { return called_off_; }
  void abandon() { messages_.abandon(); }

 private:
  void begin(const Contribution& contribution) {
    contribution_ = contribution;
    left_ = plan_.stage_chunks;
    all_left_ = plan_.chunks;
    oldest_ = 1;
    std::fill(sent_.begin(), sent_.end(), 0);
    std::fill(received_.begin(), received_.end(), 0);
    waiting_since_ = -1;
    reads_.clear();
    if (shares())
      for (const Plan::Mate& mate : plan_.mates) reads_.push_back(mate.reads);
    run_.begin_frame(contribution_);
  }

  // Whether ranks of a node read each other's images.
  bool shares() const { return !plan_.mates.empty() && plan_.schedule->n() > 0; }

  void end() {
    run_.end_frame();
    contribution_ = {};
  }

  // Read the images of this node's ranks where they lie, and let go those that this rank does not need.
  void share() {
    for (const Plan::Mate& mate : plan_.mates)
      if (mate.reads == 0) context_->node.release(mate.rank);
    for (std::size_t i = 0; i < program_.receives.size(); ++i)
      if (plan_.indexed.receives[i].spared) run_.refer(i, reference(i));
  }

  // A little of what is there. Whether there was anything.
  bool blend() {
    const double begin = trace_clock();
    const std::int64_t bytes = run_.blend();
    if (bytes == 0) return false;
    const double end = trace_clock();
    context_->timing.blend += end - begin;
    record({Activity::blend, begin, end, -1, -1, bytes});
    return true;
  }

  Reference reference(std::size_t receive) {
    const std::int32_t peer = program_.receives[receive].peer;
    NodeImage image(context_->node, peer);
    Reference reference{image.view()};
    ++(image.in_place() ? context_->traffic.direct : context_->traffic.pulled);
    if (!image.view().is_none() && !image.in_place()) {
      reference.pull = [image = std::move(image)](std::int64_t origin, std::span<const ActiveRun> runs,
                                                  Pixels to) mutable { image.pull(origin, runs, to); };
    }
    reference.released = [this, mate = static_cast<std::uint32_t>(plan_.mate_of[receive])] {
      if (--reads_[mate] == 0) context_->node.release(plan_.mates[mate].rank);
    };
    return reference;
  }

  void count(Content content) {
    switch (content) {
      case Content::dense:
        ++context_->traffic.dense;
        break;
      case Content::sparse:
        ++context_->traffic.sparse;
        break;
      case Content::absent:
        ++context_->traffic.absent;
        break;
    }
  }

  void count_search(double begin, double seconds) {
    if (seconds == 0) return;
    context_->timing.search += seconds;
    record({Activity::search, begin, begin + seconds, -1, -1, 0});
  }

  // Whether the ranks agree shows once all have come.
  void look_at_meeting(Backoff& backoff) {
    if (meeting_ == nullptr || !meeting_->through()) return;
    if (!meeting_->same()) call_off();
    meeting_ = nullptr;
    backoff.progress();
    end_wait(trace_clock());
  }

  // End what is under way. Other ranks do the same, or have begun nothing.
  [[noreturn]] void call_off() {
    take_in_strays(context_->comm, context_->alarm, stop_receiving());
    Backoff backoff(context_->alarm, [] { return std::string("what it has sent to be received"); });
    while (!messages_.idle()) {
      if (messages_.test().empty()) {
        backoff.pause();
      } else {
        backoff.progress();
      }
    }
    for (std::size_t i = 0; i < reads_.size(); ++i)
      if (reads_[i] > 0) context_->node.release(plan_.mates[i].rank);
    if (!reads_.empty()) context_->node.wait_until_read("composite");
    end();
    called_off_ = true;
    meeting_->throw_difference();
  }

  // The messages of this frame so far.
  Exchanged stop_receiving() {
    const auto p = static_cast<std::size_t>(context_->comm.size());
    Exchanged messages{std::vector<std::int32_t>(p), std::vector<std::int32_t>(p)};
    const auto add = [](std::vector<std::int32_t>& to, std::int32_t peer, std::int64_t count) {
      to[static_cast<std::size_t>(peer)] += static_cast<std::int32_t>(count);
    };
    for (const auto& [chunk, came] : messages_.stop_receiving(context_->alarm))
      add(messages.received, program_.receives[chunk.transfer].peer, came);
    const std::int64_t of_chunk = plan_.indexed.image.depth ? 2 : 1;
    for (std::size_t i = 0; i < sent_.size(); ++i)
      add(messages.sent, program_.sends[i].peer, of_chunk * sent_[i]);
    for (std::size_t i = 0; i < received_.size(); ++i)
      add(messages.received, program_.receives[i].peer, of_chunk * received_[i]);
    return messages;
  }

  // One turn: move what can move, then blend a little; if nothing went on, wait.
  void advance(Backoff& backoff) {
    open_stages();
    while (const auto chunk = run_.next_receive()) {
      const Receive& receive = program_.receives[chunk->transfer];
      const int tag = plan_.receive_tags.tag(chunk->transfer, receive.peer, hash_);
      messages_.receive(*chunk, receive.peer, tag, run_.incoming(*chunk));
    }
    while (const auto chunk = run_.next_send()) {
      const Send& send = program_.sends[chunk->transfer];
      const double begin = trace_clock();
      end_wait(begin);
      const Outgoing message = run_.outgoing(*chunk);
      count_search(begin, message.search);
      count(message.content);
      messages_.send(*chunk, send.peer, plan_.send_tags.tag(chunk->transfer, send.peer, hash_), message);
      ++sent_[chunk->transfer];
    }
    bool progress = take_messages();
    const double begin = trace_clock();
    if (blend()) progress = true;
    if (progress) {
      backoff.progress();
      end_wait(begin);
    } else {
      if (waiting_since_ < 0) waiting_since_ = begin;
      backoff.pause();
    }
  }

  // The last stage that may be under way.
  void open_stages() {
    const std::int32_t window = plan_.schedule->window();
    std::int32_t open = plan_.schedule->stages();
    if (window > 0) {
      while (oldest_ <= plan_.schedule->stages() && left_[static_cast<std::size_t>(oldest_)] == 0) ++oldest_;
      open = oldest_ + window - 1;
    }
    run_.open(open);
  }

  bool take_messages() {
    const auto& through = messages_.test();
    const double now = trace_clock();
    for (const Messages::Done& done : through) {
      const std::size_t transfer = done.chunk.transfer;
      const auto bytes = static_cast<std::int64_t>(done.bytes);
      std::int32_t stage = 0;
      if (done.sent) {
        const Send& send = program_.sends[transfer];
        stage = send.stage;
        record({Activity::send, done.posted, now, send.peer, stage, bytes});
        context_->timing.bytes_sent += bytes;
        context_->timing.messages_sent += done.messages;
        run_.sent(done.chunk);
      } else {
        const Receive& receive = program_.receives[transfer];
        stage = receive.stage;
        record({Activity::receive, done.posted, now, receive.peer, stage, bytes});
        context_->timing.bytes_received += bytes;
        context_->timing.messages_received += done.messages;
        run_.arrived(done.chunk, done.colour_bytes);
        ++received_[transfer];
      }
      --left_[static_cast<std::size_t>(stage)];
      --all_left_;
    }
    return !through.empty();
  }

  void record(const Event& event) {
    if (context_->events != nullptr) context_->events->push_back(event);
  }

  void end_wait(double now) {
    if (waiting_since_ < 0) return;
    record({Activity::wait, waiting_since_, now, -1, -1, 0});
    context_->timing.wait += now - waiting_since_;
    waiting_since_ = -1;
  }

  // "rank 3 at stage 2 of shift (and 4 more), and for all ranks to call composite"
  std::string waits_for() const {
    std::string text;
    std::size_t others = 0;
    for (std::size_t i = 0; i < program_.receives.size(); ++i) {
      const IndexedTransfer& transfer = plan_.indexed.receives[i];
      if (transfer.spared || received_[i] == transfer.chunks) continue;
      const Receive& receive = program_.receives[i];
      if (text.empty()) {
        text = "rank " + std::to_string(receive.peer) + " at stage " + std::to_string(receive.stage) +
               " of " + plan_.schedule->name();
      } else {
        ++others;
      }
    }
    if (others > 0) text += " (and " + std::to_string(others) + " more)";
    if (meeting_ != nullptr) {
      text += (text.empty() ? "" : ", and for ") + ("all ranks to call " + meeting_->call());
    } else if (text.empty()) {
      text = "its last sends of " + plan_.schedule->name() + " to be received";
    }
    return text;
  }

  const std::shared_ptr<const Plan> kept_;
  const Plan& plan_;
  const Program& program_;
  Run run_;
  Messages messages_;
  std::optional<FrameContext> context_;  // of the last call
  Meeting* meeting_ = nullptr;           // to which not all have come
  bool called_off_ = false;
  std::uint64_t hash_ = 0;  // of the frame's arguments
  Contribution contribution_;
  std::vector<std::int64_t> left_;  // chunks of each stage that are not through
  std::int64_t all_left_ = 0;
  std::int32_t oldest_ = 1;             // stage before which all are through
  std::vector<std::int64_t> sent_;      // chunks of each send, those under way too
  std::vector<std::int64_t> received_;  // chunks of each receive
  std::vector<std::int32_t> reads_;     // of each mate: receives that still read its image
  double waiting_since_ = -1;
};

Exchange::Exchange(std::shared_ptr<const Plan> plan, const FrameContext& context)
    : frame_(std::make_shared<Frame>(std::move(plan), context)) {}
Exchange::~Exchange() = default;

PixelBuffer Exchange::run(const Contribution& contribution, const FrameContext& context, Meeting* meeting) {
  try {
    return frame_->run(contribution, context, meeting);
  } catch (...) {
    if (frame_->called_off()) throw;
    frame_->abandon();
    keep_for_ever(frame_);
    context.alarm.throw_alone();
  }
}

}  // namespace sortlast
