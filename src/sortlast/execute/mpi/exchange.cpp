// Exchange: one rank's run of a schedule over MPI.
#include "sortlast/execute/mpi/exchange.hpp"

#include <unordered_map>
#include <utility>

#include "sortlast/execute/mpi/backoff.hpp"
#include "sortlast/execute/mpi/keep.hpp"
#include "sortlast/execute/mpi/messages.hpp"
#include "sortlast/schedule/permutation.hpp"

namespace sortlast {
namespace {

// A tag for each transfer of a pair; both ends count them in the same order. Tags that come round again are
// those of transfers that are long through.
template <typename Step>
std::vector<std::int32_t> number(const std::vector<Step>& steps, int tag_limit) {
  std::unordered_map<std::int32_t, std::int32_t> next;
  std::vector<std::int32_t> tags;
  tags.reserve(steps.size());
  for (const Step& step : steps) {
    std::int32_t& tag = next[step.peer];
    tags.push_back(tag);
    tag = tag == tag_limit ? 0 : tag + 1;
  }
  return tags;
}

const Range& depth_of(const Program& program, Value value) {
  return program.values[static_cast<std::size_t>(value)].depth;
}

class Exchange {
 public:
  Exchange(const Plan& plan, std::shared_ptr<const Contribution> contribution, const FrameContext& context)
      : plan_(plan),
        program_(plan.program),
        node_(context.node),
        contribution_(std::move(contribution)),
        run_(std::make_unique<Run>(program_, *contribution_, plan.wire, context.pool, context.team)),
        messages_(std::make_unique<Messages>(context.comm)),
        backoff_(context.alarm, [this] { return waits_for(); }),
        timing_(context.timing),
        traffic_(context.traffic),
        events_(context.events),
        left_(static_cast<std::size_t>(plan.schedule->stages()) + 2, 0),
        received_(program_.receives.size(), 0) {
    if (plan.schedule->window() > 0) run_->receive_ahead();
    const auto count = [this](const auto& step, Range pixels) {
      left_[static_cast<std::size_t>(step.stage)] += run_->chunks(pixels);
      all_left_ += run_->chunks(pixels);
    };
    for (std::size_t i = 0; i < program_.sends.size(); ++i)
      if (!plan.sends_spared[i]) count(program_.sends[i], program_.sends[i].pixels);
    for (std::size_t i = 0; i < program_.receives.size(); ++i)
      if (!plan.receives_spared[i]) count(program_.receives[i], pixels_of(i));
  }

  PixelBuffer run() {
    try {
      share();
      while (all_left_ > 0 || !run_->blended()) advance();
      PixelBuffer result = run_->take_result();
      if (sharing_) node_.wait_until_read("composite");
      return result;
    } catch (...) {
      messages_->abandon();
      keep_for_ever(std::move(messages_));
      keep_for_ever(std::move(run_));
      keep_for_ever(std::move(contribution_));
      throw;
    }
  }

 private:
  Range pixels_of(std::size_t receive) const {
    return program_.values[static_cast<std::size_t>(program_.receives[receive].value)].pixels;
  }

  // Read the images of this node's ranks where they lie, and let go those that this rank does not need.
  void share() {
    if (node_.alone() || plan_.schedule->n() == 0) return;
    sharing_ = true;
    const auto size = static_cast<int>(plan_.schedule->p());
    readings_.assign(static_cast<std::size_t>(size), 0);
    for (std::size_t i = 0; i < program_.receives.size(); ++i)
      if (plan_.receives_spared[i]) ++readings_[static_cast<std::size_t>(program_.receives[i].peer)];
    for (int rank = 0; rank < size; ++rank)
      if (node_.mate(rank) && readings_[static_cast<std::size_t>(rank)] == 0) node_.release(rank);
    for (std::size_t i = 0; i < program_.sends.size(); ++i)
      if (plan_.sends_spared[i]) run_->spare(i);
    for (std::size_t i = 0; i < program_.receives.size(); ++i)
      if (plan_.receives_spared[i]) run_->refer(i, reference(program_.receives[i].peer));
  }

  Reference reference(std::int32_t peer) {
    const Node::Image image = node_.image(peer);
    Reference reference;
    reference.absent = image.view.is_none();
    reference.image = {image.view.pixels, image.view.bounds};
    ++(image.direct ? traffic_.direct : traffic_.pulled);
    if (!image.direct && !reference.absent) {
      reference.pull = [this, peer](std::int64_t origin, std::span<const ActiveRun> runs, Pixels to) {
        node_.pull(peer, origin, runs, to);
      };
    }
    reference.released = [this, peer] {
      if (--readings_[static_cast<std::size_t>(peer)] == 0) node_.release(peer);
    };
    return reference;
  }

  void count(Content content) {
    switch (content) {
      case Content::dense:
        ++traffic_.dense;
        break;
      case Content::sparse:
        ++traffic_.sparse;
        break;
      case Content::absent:
        ++traffic_.absent;
        break;
    }
  }

  // One turn: move what can move, then blend a little; if nothing went on, wait.
  void advance() {
    open_stages();
    while (const auto chunk = run_->next_receive()) {
      const Receive& receive = program_.receives[chunk->transfer];
      messages_->receive(*chunk, receive.peer, plan_.receive_tags[chunk->transfer], run_->incoming(*chunk));
    }
    while (const auto chunk = run_->next_send()) {
      const Send& send = program_.sends[chunk->transfer];
      const Outgoing parcel = run_->outgoing(*chunk);
      count(parcel.content);
      messages_->send(*chunk, send.peer, plan_.send_tags[chunk->transfer], parcel);
    }
    bool progress = take_messages();
    const double begin = trace_clock();
    const std::int64_t bytes = run_->blend();
    if (bytes > 0) {
      progress = true;
      const double end = trace_clock();
      timing_.blend += end - begin;
      record({Activity::blend, begin, end, -1, -1, bytes});
    }
    if (progress) {
      backoff_.progress();
      end_wait(begin);
    } else {
      if (waiting_since_ < 0) waiting_since_ = begin;
      backoff_.pause();
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
    run_->open(open);
  }

  bool take_messages() {
    const auto& through = messages_->test();
    const double now = trace_clock();
    for (const Messages::Done& done : through) {
      const std::size_t transfer = done.chunk.transfer;
      const auto bytes = static_cast<std::int64_t>(done.bytes);
      std::int32_t stage = 0;
      if (done.sent) {
        const Send& send = program_.sends[transfer];
        stage = send.stage;
        record({Activity::send, done.posted, now, send.peer, stage, bytes});
        timing_.bytes_sent += bytes;
        timing_.messages_sent += done.messages;
        run_->sent(done.chunk);
      } else {
        const Receive& receive = program_.receives[transfer];
        stage = receive.stage;
        record({Activity::receive, done.posted, now, receive.peer, stage, bytes});
        timing_.bytes_received += bytes;
        timing_.messages_received += done.messages;
        run_->arrived(done.chunk, done.colour_bytes);
        ++received_[transfer];
      }
      --left_[static_cast<std::size_t>(stage)];
      --all_left_;
    }
    return !through.empty();
  }

  void record(const Event& event) {
    if (events_ != nullptr) events_->push_back(event);
  }

  void end_wait(double now) {
    if (waiting_since_ < 0) return;
    record({Activity::wait, waiting_since_, now, -1, -1, 0});
    timing_.wait += now - waiting_since_;
    waiting_since_ = -1;
  }

  // "rank 3 at stage 2 of shift (and 4 more)"
  std::string waits_for() const {
    std::string text;
    std::size_t others = 0;
    for (std::size_t i = 0; i < program_.receives.size(); ++i) {
      if (plan_.receives_spared[i] || received_[i] == run_->chunks(pixels_of(i))) continue;
      const Receive& receive = program_.receives[i];
      if (text.empty()) {
        text = "rank " + std::to_string(receive.peer) + " at stage " + std::to_string(receive.stage) +
               " of " + plan_.schedule->name();
      } else {
        ++others;
      }
    }
    if (text.empty()) text = "its last sends of " + plan_.schedule->name() + " to be received";
    if (others > 0) text += " (and " + std::to_string(others) + " more)";
    return text;
  }

  const Plan& plan_;
  const Program& program_;
  Node& node_;
  std::shared_ptr<const Contribution> contribution_;
  std::unique_ptr<Run> run_;
  std::unique_ptr<Messages> messages_;
  Backoff backoff_;
  Timing& timing_;
  Traffic& traffic_;
  std::vector<Event>* events_;
  std::vector<std::int64_t> left_;  // chunks of each stage that are not through
  std::int64_t all_left_ = 0;
  std::int32_t oldest_ = 1;             // stage before which all are through
  std::vector<std::int64_t> received_;  // chunks of each receive
  bool sharing_ = false;
  std::vector<int> readings_;  // by rank: receives that still read its image
  double waiting_since_ = -1;
};

}  // namespace

Plan::Plan(std::shared_ptr<const Schedule> made, int rank, const WireOptions& way, const Node& node,
           int tag_limit)
    : schedule(std::move(made)), wire(way), program(schedule->program(rank)) {
  send_tags = number(program.sends, tag_limit);
  receive_tags = number(program.receives, tag_limit);

  // A fragment of one depth position is that rank's own image; where depth positions have no meaning, as the
  // operator commutes, no rank passes on the image of another.
  const Setting& setting = schedule->setting();
  const std::vector<std::int32_t> position = inverse(setting.order);
  for (const Send& send : program.sends) {
    sends_spared.push_back(node.mate(send.peer) && depth_of(program, send.value) == depth_of(program, 0));
  }
  for (const Receive& receive : program.receives) {
    const Range& depth = depth_of(program, receive.value);
    const bool own = depth.size() == 1 && (setting.commutes || depth.begin == at(position, receive.peer));
    receives_spared.push_back(node.mate(receive.peer) && own);
  }
}

PixelBuffer exchange(const Plan& plan, std::shared_ptr<const Contribution> contribution,
                     const FrameContext& context) {
  context.timing.stages = plan.schedule->stages();
  return Exchange(plan, std::move(contribution), context).run();
}

}  // namespace sortlast
