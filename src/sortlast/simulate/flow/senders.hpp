// Senders: the tasks of traffic. Says which messages may go now, from what is over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sortlast/simulate/traffic.hpp"
#include "sortlast/simulate/traffic/dependents.hpp"

namespace sortlast::simulate {

class Senders {
 public:
  // A message or computation in one iteration.
  struct Action {
    Traffic::Message message = 0;
    std::int64_t iteration = 0;
  };

  // The traffic must have passed its check and outlive this. `at_once`: messages of a task that may be under
  // way at once; 0: any number.
  Senders(const Traffic& traffic, std::int32_t at_once);

  // What waits for nothing may go.
  void start();
  // A message has arrived, or a computation has ended.
  void over(const Action& action);
  // What may go since this was last emptied by the caller.
  std::vector<Action>& ready() { return ready_; }

  std::int32_t source(Traffic::Message m) const { return source_[index(m)]; }
  bool is_computation(Traffic::Message m) const { return traffic_.destination[index(m)] == source(m); }
  std::int64_t done() const { return done_; }  // of total(), computations too
  std::int64_t total() const { return traffic_.messages() * traffic_.repeats; }
  // Why the first tasks that are not done wait: "task 3 waits for message 7 of task 5".
  std::string waits() const;
  std::int64_t bytes() const;

 private:
  struct Task {
    Traffic::Message next = 0;   // in order: the message to go next
    std::int64_t iteration = 0;  // of it
    std::int64_t cause = 0;      // the first of its causes that is not known to be over
    Traffic::Message last = -1;  // not in order: the end of the circle of messages that may go
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
  std::vector<std::int64_t> completed_;  // by message: iterations that are over
  std::vector<Task> tasks_;
  std::vector<Action> ready_;
  std::int64_t done_ = 0;

  // Not in order; by message the next in its circle.
  Dependents dependents_;
  std::vector<Traffic::Message> next_waiting_;
};

}  // namespace sortlast::simulate
