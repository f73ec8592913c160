// Senders: the tasks of traffic; determines which messages may be sent now.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/simulate/traffic.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {

class Senders {
 public:
  // A message or computation in one iteration.
  struct Action {
    Traffic::Message message = 0;
    std::int64_t iteration = 0;
  };

  // The traffic must have passed its check and outlive this object. `at_once`: maximum messages of a task
  // under way; 0: any number.
  Senders(const Traffic& traffic, std::int32_t at_once);

  // Releases everything without causes.
  void start();
  // A message has arrived, or a computation has ended.
  void over(const Action& action);
  // Actions released since the caller last emptied the list.
  std::vector<Action>& ready() { return ready_; }

  std::int32_t source(Traffic::Message m) const { return source_[index(m)]; }
  bool is_computation(Traffic::Message m) const { return traffic_.destination[index(m)] == source(m); }
  std::int64_t done() const { return done_; }  // of total(), including computations
  std::int64_t total() const { return traffic_.messages() * traffic_.repeats; }
  // Why the first unfinished tasks wait: "task 3 waits for message 7 of task 5".
  std::string waits() const;
  std::int64_t bytes() const;

 private:
  struct Task {
    Traffic::Message next = 0;   // in order: the next message
    std::int64_t iteration = 0;  // of that message
    std::int64_t cause = 0;      // the first of its causes that is not known to have ended
    Traffic::Message last = -1;  // not in order: the end of the circular list of ready messages
    std::int32_t under_way = 0;  // messages
    bool computing = false;      // in order
  };

  static std::size_t index(Traffic::Message m) { return static_cast<std::size_t>(m); }
  Task& task_of(Traffic::Message m) { return tasks_[static_cast<std::size_t>(source(m))]; }
  bool has_room(const Task& task) const { return at_once_ == 0 || task.under_way < at_once_; }
  void proceed(std::int32_t t);
  bool causes_over(Task& task) const;
  void step(Task& task, std::int32_t t) const;
  void release(Traffic::Message m);
  void send_waiting(Task& task);

  const Traffic& traffic_;
  std::int32_t at_once_;
  std::vector<std::int32_t> source_;
  std::vector<std::int64_t> completed_;  // by message: completed iterations
  std::vector<Task> tasks_;
  std::vector<Action> ready_;
  std::int64_t done_ = 0;

  // Not in order: by message, the next one in its circular list.
  Dependents dependents_;
  std::vector<Traffic::Message> next_waiting_;
};

inline Senders::Senders(const Traffic& traffic, std::int32_t at_once)
    : traffic_(traffic),
      at_once_(at_once),
      source_(sources(traffic)),
      completed_(source_.size()),
      tasks_(static_cast<std::size_t>(traffic.tasks)) {
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    tasks_[t].next = traffic.first[t];
    tasks_[t].cause = traffic.first_cause[index(tasks_[t].next)];
  }
  if (traffic.in_order) return;
  dependents_ = Dependents(traffic);
  next_waiting_.assign(source_.size(), -1);
}

inline void Senders::start() {
  for (std::int32_t t = 0; t < traffic_.tasks; ++t) {
    if (traffic_.in_order) {
      proceed(t);
      continue;
    }
    const auto at = static_cast<std::size_t>(t);
    for (Traffic::Message m = traffic_.first[at]; m < traffic_.first[at + 1]; ++m) {
      if (dependents_.missing(m) == 0) release(m);
    }
  }
}

inline void Senders::over(const Action& action) {
  const Traffic::Message m = action.message;
  ++completed_[index(m)];
  ++done_;
  Task& task = task_of(m);
  const bool computation = is_computation(m);
  if (!computation) --task.under_way;
  if (traffic_.in_order) {
    if (computation) task.computing = false;
    proceed(source(m));
    if (!computation) proceed(traffic_.destination[index(m)]);
    return;
  }
  send_waiting(task);
  for (const Traffic::Message dependent : dependents_.of(m)) {
    if (dependents_.settle(dependent)) release(dependent);
  }
}

// In order: releases the next messages, as far as possible.
inline void Senders::proceed(std::int32_t t) {
  Task& task = tasks_[static_cast<std::size_t>(t)];
  const Traffic::Message end = traffic_.first[static_cast<std::size_t>(t) + 1];
  while (task.next < end && !task.computing && has_room(task) && causes_over(task)) {
    ready_.push_back({task.next, task.iteration});
    if (is_computation(task.next)) {
      task.computing = true;
    } else {
      ++task.under_way;
    }
    step(task, t);
  }
}

inline bool Senders::causes_over(Task& task) const {
  const std::int64_t end = traffic_.first_cause[index(task.next) + 1];
  while (task.cause < end) {
    if (completed_[index(traffic_.causes[static_cast<std::size_t>(task.cause)])] <= task.iteration) {
      return false;
    }
    ++task.cause;
  }
  return true;
}

// Advances to the next message of the program, which may start over.
inline void Senders::step(Task& task, std::int32_t t) const {
  const auto at = static_cast<std::size_t>(t);
  if (++task.next == traffic_.first[at + 1] && task.iteration + 1 < traffic_.repeats) {
    task.next = traffic_.first[at];
    ++task.iteration;
  }
  task.cause = traffic_.first_cause[index(task.next)];
}

// Not in order: all causes of a message have ended.
inline void Senders::release(Traffic::Message m) {
  if (is_computation(m)) {
    ready_.push_back({m, 0});
    return;
  }
  Task& task = task_of(m);
  next_waiting_[index(m)] = task.last < 0 ? m : std::exchange(next_waiting_[index(task.last)], m);
  task.last = m;
  send_waiting(task);
}

// Sends the messages in a task's circular list (the last links to the first) while there is room.
inline void Senders::send_waiting(Task& task) {
  while (task.last >= 0 && has_room(task)) {
    const Traffic::Message first = next_waiting_[index(task.last)];
    if (first == task.last) {
      task.last = -1;
    } else {
      next_waiting_[index(task.last)] = next_waiting_[index(first)];
    }
    ++task.under_way;
    ready_.push_back({first, 0});
  }
}

inline std::string Senders::waits() const {
  std::string text;
  int named = 0;
  for (std::int32_t t = 0; t < traffic_.tasks && named < 4; ++t) {
    const Task& task = tasks_[static_cast<std::size_t>(t)];
    for (Traffic::Message m = task.next; m < traffic_.first[static_cast<std::size_t>(t) + 1]; ++m) {
      if (!traffic_.in_order && dependents_.missing(m) <= 0) continue;
      for (std::int64_t i = traffic_.first_cause[index(m)]; i < traffic_.first_cause[index(m) + 1]; ++i) {
        const Traffic::Message cause = traffic_.causes[static_cast<std::size_t>(i)];
        if (completed_[index(cause)] > task.iteration) continue;
        text += (named++ > 0 ? "; task " : "task ") + std::to_string(t) + " waits for message " +
                std::to_string(cause) + " of task " + std::to_string(source(cause));
        break;
      }
      break;
    }
  }
  return text;
}

inline std::int64_t Senders::bytes() const {
  const auto size = [](const auto& values) {
    return static_cast<std::int64_t>(values.capacity() * sizeof(values[0]));
  };
  return size(source_) + size(completed_) + size(tasks_) + size(ready_) + dependents_.bytes() +
         size(next_waiting_);
}

}  // namespace sortlast::simulate
