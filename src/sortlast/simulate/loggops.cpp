// The LogGOPS model, event by event.
//
// An event is an action that may begin, or the arrival of a message's first byte. An event that finds its CPU
// or NIC busy is repeated when they are free, and keeps its place among events of the same time, which is the
// order of their creation. Equal programs therefore give equal runs, and the same runs as LogGOPSim.
//
// Events that need the same CPU and NIC wait in one line, and only the first of the line is called when these
// are free. Rejected: calling all of them, all but one of which go back, as LogGOPSim does: n messages at a
// busy CPU take n^2 / 2 calls.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/program.hpp"
#include "sortlast/simulate/program/event_lines.hpp"
#include "sortlast/simulate/program/graph.hpp"
#include "sortlast/simulate/program/meetings.hpp"

namespace sortlast::simulate {
namespace {

using Kind = Program::Kind;
using namespace loggops;

constexpr double most = 1e15;               // of any parameter
constexpr Time longest = Time{1} << 53U;    // duration of any single action
constexpr Time last_time = Time{1} << 54U;  // of any event: the work of 256 CPUs can be added up
constexpr std::int64_t events_between_progress = 1 << 14;

class Run {
 public:
  Run(const Program& program, const LogGops& parameters, const Progress& progress)
      : program_(program),
        parameters_(parameters),
        progress_(progress),
        rank_(ranks_of(program)),
        units_(program, rank_),
        meetings_(program),
        requirers_(program),
        open_(program.actions.size()),
        ready_(program.actions.size()),
        matches_(program.actions.size(), -1) {
    result_.ranks.resize(at(program.ranks));
    for (std::size_t a = 0; a < program.actions.size(); ++a) {
      open_[a] = program.first_requirement[a + 1] - program.first_requirement[a];
    }
  }

  LogGopsResult run() {
    for (std::int32_t rank = 0; rank < program_.ranks; ++rank) {
      for (std::int32_t a = program_.first[at(rank)]; a < program_.first[at(rank) + 1]; ++a) {
        if (open_[at(a)] == 0) freed_.push_back(a);
      }
      insert_freed();
    }
    std::int64_t events = 0;
    while (!queue_.empty()) {
      const Event event = queue_.top();
      queue_.pop();
      if (event.time > last_time) too_long();
      happen(event);
      insert_freed();
      if (++events % events_between_progress == 0) tell();
    }
    if (done_ < program_.actions.size()) throw Error(stuck());
    tell();
    for (std::int32_t rank = 0; rank < program_.ranks; ++rank) {
      Time& end = told(rank).end;
      end = std::max(end, units_.end(rank));
      result_.seconds = std::max(result_.seconds, 1e-9 * static_cast<double>(end));
    }
    return std::move(result_);
  }
  // After run(): the send matched with each receive.
  std::vector<std::int32_t> matches() && { return std::move(matches_); }

 private:
  // The send of a message that has arrived.
  struct Arrived {
    std::int32_t send = 0;
    Time end = 0;  // end of the receiver's overhead
  };

  const Program::Action& action(std::int32_t a) const { return program_.actions[at(a)]; }
  LogGopsRank& told(std::int32_t rank) { return result_.ranks[at(rank)]; }
  // Time of all bytes after the first.
  Time rest(std::int64_t bytes, double each) const {
    const double time = bytes > 1 ? each * static_cast<double>(bytes - 1) : 0;
    if (time > static_cast<double>(longest)) too_long();
    return std::llround(time);
  }
  [[noreturn]] void too_long() const { throw ArgumentError(program_.name + ": it ends past 2^54 ns"); }

  // Whether the resources of an event are free; otherwise the event joins the line for them.
  bool available(const Event& event, std::int32_t rank, Time free) {
    if (free <= event.time) return true;
    lines_.join(lines_.of(rank, action(event.action), event.arrives), event, free, queue_);
    return false;
  }

  void happen(const Event& event) {
    if (event.line < 0) {
      event.arrives ? arrive(event) : begin(event);
      return;
    }
    if (!lines_.counts(event)) return;
    Event first = lines_.leave(event.line);
    first.time = event.time;
    first.arrives ? arrive(first) : begin(first);
    // If it had to join again, it has scheduled its own call.
    if (!lines_.empty(event.line) && lines_.counts(event)) {
      lines_.call(event.line, free_for(first), queue_);
    }
  }

  // Time at which the CPU and NIC of an event are free.
  Time free_for(const Event& event) {
    const Program::Action& needs = action(event.action);
    const std::int32_t rank = event.arrives ? needs.peer : rank_[at(event.action)];
    const Time cpu = units_.cpu(rank, needs.cpu);
    if (event.arrives) return std::max(cpu, units_.in(rank, needs.nic));
    return needs.kind == Kind::send ? std::max(cpu, units_.out(rank, needs.nic)) : cpu;
  }

  void begin(const Event& event) {
    const std::int32_t a = event.action;
    switch (action(a).kind) {
      case Kind::compute:
        compute(event);
        break;
      case Kind::send:
        send(event);
        break;
      case Kind::receive:
        receive(event);
        break;
    }
  }

  void compute(const Event& event) {
    const std::int32_t rank = rank_[at(event.action)];
    if (!available(event, rank, free_for(event))) return;
    const Time size = action(event.action).size;
    if (size > longest) too_long();
    units_.cpu(rank, action(event.action).cpu) = event.time + size;
    told(rank).computing += size;
    start(event.action, event.time);
    finish(event.action, event.time + size);
  }

  void send(const Event& event) {
    const Program::Action& sent = action(event.action);
    const std::int32_t rank = rank_[at(event.action)];
    if (!available(event, rank, free_for(event))) return;
    start(event.action, event.time);
    const Time overhead = parameters_.o + rest(sent.size, parameters_.O);
    units_.cpu(rank, sent.cpu) = event.time + overhead;
    units_.out(rank, sent.nic) = event.time + parameters_.g + rest(sent.size, parameters_.G);
    told(rank).overhead += overhead;
    queue_.push({event.time + parameters_.o + parameters_.L, made_++, event.action, true});
    if (sent.size <= parameters_.S) finish(event.action, event.time + overhead);
  }

  void receive(const Event& event) {
    const std::int32_t a = event.action;
    start(a, event.time);
    const std::int32_t message = meetings_.take(a);
    if (message < 0) {
      meetings_.wait(a);
    } else {
      meet(a, {message, ready_[at(message)]}, event.time);
    }
  }

  void arrive(const Event& event) {
    const Program::Action& sent = action(event.action);
    const std::int32_t rank = sent.peer;
    if (!available(event, rank, free_for(event))) return;
    const Time overhead = parameters_.o + rest(sent.size, std::max(parameters_.O, parameters_.G));
    const Time end = event.time + overhead;
    units_.cpu(rank, sent.cpu) = end;
    units_.in(rank, sent.nic) = event.time + parameters_.g + rest(sent.size, parameters_.G);
    told(rank).overhead += overhead;
    ++result_.messages;
    if (__builtin_add_overflow(result_.bytes, sent.size, &result_.bytes)) {
      throw ArgumentError(program_.name + ": all messages have more than 2^63 - 1 bytes");
    }
    const std::int32_t receive = meetings_.take(event.action);
    if (receive < 0) {
      meetings_.wait(event.action);
      ready_[at(event.action)] = end;
    } else {
      meet(receive, {event.action, end}, event.time);
    }
  }

  // A message and its receive have both arrived.
  void meet(std::int32_t receive, const Arrived& message, Time time) {
    matches_[at(receive)] = message.send;
    if (action(message.send).size > parameters_.S) finish(message.send, time);
    finish(receive, std::max(time, message.end));
  }

  void start(std::int32_t a, Time time) { settle(a, time, true); }
  void finish(std::int32_t a, Time time) {
    ++done_;
    Time& end = told(rank_[at(a)]).end;
    end = std::max(end, time);
    settle(a, time, false);
  }
  void settle(std::int32_t a, Time time, bool started) {
    for (const Program::Requirement& dependent : requirers_.of(a)) {
      if (dependent.start_only != started) continue;
      ready_[at(dependent.action)] = std::max(ready_[at(dependent.action)], time);
      if (--open_[at(dependent.action)] == 0) freed_.push_back(dependent.action);
    }
  }

  // Actions that may begin now: rank by rank; within a rank its sends, receives, computations.
  void insert_freed() {
    std::ranges::stable_sort(freed_, {},
                             [this](std::int32_t a) { return std::pair(rank_[at(a)], action(a).kind); });
    for (const std::int32_t a : freed_) {
      Event event{0, made_++, a, false};
      event.time = std::max(ready_[at(a)], free_for(event));
      queue_.push(event);
    }
    freed_.clear();
  }

  void tell() const {
    const double total = std::max<double>(1, static_cast<double>(program_.actions.size()));
    if (progress_ && !progress_(static_cast<double>(done_) / total)) throw Error("cancelled");
  }

  // The waits at the end: the first send or receive without a match.
  std::string stuck() {
    std::string all = program_.name + ": ranks deadlock";
    const std::int32_t a = meetings_.waiting();
    if (a < 0) return all;
    const bool receives = action(a).kind == Kind::receive;
    const auto number = [](std::int64_t each) {
      return each == Program::any ? std::string("any") : std::to_string(each);
    };
    return all + ": rank " + std::to_string(rank_[at(a)]) + (receives ? " receives from" : " sends to") +
           " rank " + number(action(a).peer) + " (tag " + number(action(a).tag) + "), which never " +
           (receives ? "sends it" : "receives it");
  }

  const Program& program_;
  LogGops parameters_;
  const Progress& progress_;
  std::vector<std::int32_t> rank_;
  Units units_;
  Lines lines_;
  Meetings meetings_;
  Requirers requirers_;
  std::vector<std::int64_t> open_;     // requirements not met yet
  std::vector<Time> ready_;            // when the last of them was met; for a waiting message: its end
  std::vector<std::int32_t> freed_;    // actions that may begin, not yet in the queue
  std::vector<std::int32_t> matches_;  // by action: for a receive, the send matched with it
  Earliest queue_;
  std::int64_t made_ = 0;  // events
  std::size_t done_ = 0;   // actions
  LogGopsResult result_;
};

void check(const LogGops& parameters) {
  const std::pair<const char*, double> all[] = {{"L", static_cast<double>(parameters.L)},
                                                {"o", static_cast<double>(parameters.o)},
                                                {"g", static_cast<double>(parameters.g)},
                                                {"G", parameters.G},
                                                {"O", parameters.O},
                                                {"S", static_cast<double>(parameters.S)}};
  for (const auto& [name, value] : all) {
    if (value >= 0 && value <= most) continue;
    throw ArgumentError(std::string(name) + " is " + std::to_string(value) + "; expected 0 to 1e15");
  }
}

}  // namespace

std::vector<std::int32_t> matches_in_time(const Program& program) {
  const Progress untold;
  Run run(program, {}, untold);
  (void)run.run();
  return std::move(run).matches();
}

LogGopsResult simulate_loggops(const Program& program, const LogGops& parameters, const Progress& progress) {
  check(program);
  check(parameters);
  return Run(program, parameters, progress).run();
}

}  // namespace sortlast::simulate
