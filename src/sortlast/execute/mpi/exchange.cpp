// Exchange: one rank's run of a schedule over MPI.
#include "sortlast/execute/mpi/exchange.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/keep.hpp"
#include "sortlast/execute/mpi/messages.hpp"
#include "sortlast/execute/mpi/patience.hpp"

namespace sortlast {
namespace {

// Give each transfer of a pair tags of its own; both ends count them in the same order.
template <typename Step, typename Pixels>
std::vector<std::int32_t> number(const std::vector<Step>& steps, const Format& format, Pixels pixels_of) {
  std::unordered_map<std::int32_t, std::int64_t> next;
  std::vector<std::int32_t> tags;
  tags.reserve(steps.size());
  for (const Step& step : steps) {
    std::int64_t& tag = next[step.peer];
    tags.push_back(static_cast<std::int32_t>(tag));
    tag += Messages::tags(format, pixels_of(step).size());
  }
  return tags;
}

// Throws the same on every rank if some pair of ranks might need more tags than there are: at most two
// transfers a stage.
void check_tags(const Schedule& schedule, const Format& format, int tag_limit) {
  if (std::int64_t{2} * schedule.stages() * Messages::tags(format, schedule.n()) <= tag_limit) return;
  throw ArgumentError(schedule.name() + " of " + std::to_string(schedule.n()) +
                      " pixels may take more messages between two ranks than this MPI library has tags (" +
                      std::to_string(tag_limit) + "); choose an algorithm with fewer stages");
}

class Exchange {
 public:
  Exchange(const Plan& plan, const Contribution& contribution, const Communicator& comm, const Alarm& alarm,
           Pool& pool, Timing& timing, std::vector<Event>* events)
      : plan_(plan),
        program_(plan.program),
        run_(std::make_unique<Run>(program_, contribution, pool)),
        messages_(std::make_unique<Messages>(comm)),
        patience_(alarm, [this] { return waits_for(); }),
        timing_(timing),
        events_(events),
        left_(static_cast<std::size_t>(plan.schedule->stages()) + 2, 0),
        receive_left_(program_.receives.size()),
        started_(program_.sends.size() + program_.receives.size(), 0.0),
        arrived_(program_.receives.size(), false) {
    for (const Send& send : program_.sends) ++left_[static_cast<std::size_t>(send.stage)];
    for (const Receive& receive : program_.receives) ++left_[static_cast<std::size_t>(receive.stage)];
  }

  Stretch run() {
    try {
      while (!done()) advance();
    } catch (...) {
      messages_->abandon();
      keep_for_ever(std::move(messages_));
      keep_for_ever(std::move(run_));
      throw;
    }
    return run_->take_result();
  }

 private:
  bool done() const { return run_->blended() && receive_left_ == 0 && sends_done_ == program_.sends.size(); }

  // One turn: move what can move, then blend a little; if nothing went on, wait.
  void advance() {
    open_stages();
    post_receives();
    post_sends();
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
      patience_.progress();
      end_wait(begin);
    } else {
      if (waiting_since_ < 0) waiting_since_ = begin;
      patience_.pause();
    }
  }

  // The last stage that may be under way.
  void open_stages() {
    const std::int32_t window = plan_.schedule->window();
    if (window == 0) {
      open_ = plan_.schedule->stages();
      return;
    }
    while (oldest_ <= plan_.schedule->stages() && left_[static_cast<std::size_t>(oldest_)] == 0) ++oldest_;
    open_ = oldest_ + window - 1;
  }

  void post_receives() {
    for (; next_receive_ < program_.receives.size(); ++next_receive_) {
      const Receive& receive = program_.receives[next_receive_];
      if (receive.stage > open_) return;
      const Incoming parcel = run_->incoming(next_receive_);
      started_[program_.sends.size() + next_receive_] = trace_clock();
      messages_->receive(next_receive_, receive.peer, plan_.receive_tags[next_receive_], parcel);
    }
  }

  void post_sends() {
    while (const auto ready = run_->next_send())
      ready_.push({-program_.sends[*ready].stage, -static_cast<std::int64_t>(*ready)});
    while (!ready_.empty() && -ready_.top().first <= open_) {
      const auto send = static_cast<std::size_t>(-ready_.top().second);
      ready_.pop();
      const Outgoing parcel = run_->outgoing(send);
      started_[send] = trace_clock();
      messages_->send(send, program_.sends[send].peer, plan_.send_tags[send], parcel);
      timing_.bytes_sent += bytes_of(parcel);
      timing_.messages_sent += Messages::tags(parcel.format, parcel.count);
    }
  }

  bool take_messages() {
    const auto& through = messages_->test();
    const double now = trace_clock();
    for (const Messages::Done& done : through) {
      if (done.sent) {
        const Send& send = program_.sends[done.transfer];
        const std::int64_t bytes = events_ == nullptr ? 0 : bytes_of(run_->outgoing(done.transfer));
        record({Activity::send, started_[done.transfer], now, send.peer, send.stage, bytes});
        run_->sent(done.transfer);
        ++sends_done_;
        --left_[static_cast<std::size_t>(send.stage)];
        continue;
      }
      const Receive& receive = program_.receives[done.transfer];
      Parcel parcel = run_->parcel(done.transfer);
      parcel.absent = done.absent;
      timing_.bytes_received += bytes_of(parcel);
      timing_.messages_received += Messages::tags(parcel.format, parcel.count);
      record({Activity::receive, started_[program_.sends.size() + done.transfer], now, receive.peer,
              receive.stage, bytes_of(parcel)});
      run_->arrived(done.transfer, done.absent);
      arrived_[done.transfer] = true;
      --receive_left_;
      --left_[static_cast<std::size_t>(receive.stage)];
    }
    return !through.empty();
  }

  static std::int64_t bytes_of(const Parcel& parcel) {
    return parcel.absent ? 0 : parcel.count * static_cast<std::int64_t>(parcel.format.pixel_bytes());
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
      if (arrived_[i]) continue;
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
  std::unique_ptr<Run> run_;
  std::unique_ptr<Messages> messages_;
  Patience patience_;
  Timing& timing_;
  std::vector<Event>* events_;
  std::vector<std::int64_t> left_;  // transfers of each stage that are not through
  std::int32_t oldest_ = 1;         // stage before which all are through
  std::int32_t open_ = 0;
  std::size_t next_receive_ = 0;
  std::size_t receive_left_;
  std::size_t sends_done_ = 0;
  std::priority_queue<std::pair<std::int64_t, std::int64_t>> ready_;  // by stage, then place in the list
  std::vector<double> started_;                                       // of sends, then of receives
  std::vector<bool> arrived_;
  double waiting_since_ = -1;
};

}  // namespace

Plan::Plan(std::shared_ptr<const Schedule> made, int rank, const Format& format, int tag_limit)
    : schedule(std::move(made)), program(schedule->program(rank)) {
  check_tags(*schedule, format, tag_limit);
  send_tags = number(program.sends, format, [](const Send& send) { return send.pixels; });
  receive_tags = number(program.receives, format, [this](const Receive& receive) {
    return program.values[static_cast<std::size_t>(receive.value)].pixels;
  });
}

Stretch exchange(const Plan& plan, const Contribution& contribution, const Communicator& comm,
                 const Alarm& alarm, Pool& pool, Timing& timing, std::vector<Event>* events) {
  timing.stages = plan.schedule->stages();
  return Exchange(plan, contribution, comm, alarm, pool, timing, events).run();
}

}  // namespace sortlast
