// Programs: traffic written as what each task does, one action after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

// Collects the actions of each task in their order, and turns them into traffic in order: a send waits for
// the receives that stand between it and the task's send before. The k-th receive by b from a with a tag is
// the k-th send from a to b with that tag.
class Programs {
 public:
  // Throws ArgumentError if there is no task.
  Programs(std::string name, std::int32_t tasks);

  // All throw ArgumentError for a task that does not exist, a negative size, or a message to oneself.
  void send(std::int32_t task, std::int32_t to, std::int64_t bytes, std::int64_t tag = 0);
  void receive(std::int32_t task, std::int32_t from, std::int64_t tag = 0);
  void compute(std::int32_t task, std::int64_t nanoseconds);

  // Throws ArgumentError, with both tasks, if a receive has no send; and what totals() throws.
  Traffic finish(std::int64_t repeats = 1) &&;

 private:
  struct Action {
    std::int32_t task = 0, peer = 0;
    std::int64_t size = 0, tag = 0;
    bool receives = false;
  };
  void add(const Action& action);
  std::vector<Traffic::Message> matches() const;

  std::string name_;
  std::int32_t tasks_ = 0;
  std::vector<Action> actions_;
};

}  // namespace sortlast::simulate
