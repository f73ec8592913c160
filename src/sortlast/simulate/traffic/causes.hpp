// Causes of traffic: programs from which traffic is built, and dependents, which are the inverted causes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

// Collects the actions of each task in their order, and turns them into traffic in order: a send waits for
// the receives between it and the task's previous send. The k-th receive by b from a with a tag is the k-th
// send from a to b with that tag.
class Programs {
 public:
  // Throws ArgumentError if there is no task.
  Programs(std::string name, std::int32_t tasks);

  // All throw ArgumentError for a task that does not exist, a negative size, or a message to oneself.
  void send(std::int32_t task, std::int32_t to, std::int64_t bytes, std::int64_t tag = 0);
  void receive(std::int32_t task, std::int32_t from, std::int64_t tag = 0);
  void compute(std::int32_t task, std::int64_t nanoseconds);

  // Throws ArgumentError, with both tasks, if a receive has no send; and as totals() does.
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

inline Programs::Programs(std::string name, std::int32_t tasks) : name_(std::move(name)), tasks_(tasks) {
  if (tasks < 1) throw ArgumentError(name_ + ": " + std::to_string(tasks) + " tasks; expected 1 or more");
}

inline void Programs::send(std::int32_t task, std::int32_t to, std::int64_t bytes, std::int64_t tag) {
  add({task, to, bytes, tag, false});
  if (task == to) throw ArgumentError(name_ + ": task " + std::to_string(task) + " sends to itself");
}

inline void Programs::receive(std::int32_t task, std::int32_t from, std::int64_t tag) {
  add({task, from, 0, tag, true});
  if (task == from) throw ArgumentError(name_ + ": task " + std::to_string(task) + " receives from itself");
}

inline void Programs::compute(std::int32_t task, std::int64_t nanoseconds) {
  add({task, task, nanoseconds, 0, false});
}

inline void Programs::add(const Action& action) {
  for (const std::int32_t task : {action.task, action.peer}) {
    if (task >= 0 && task < tasks_) continue;
    throw ArgumentError(name_ + ": task " + std::to_string(task) + " does not exist: there are " +
                        std::to_string(tasks_));
  }
  if (action.size < 0) {
    throw ArgumentError(name_ + ": task " + std::to_string(action.task) + " has an action of size " +
                        std::to_string(action.size));
  }
  if (actions_.size() == static_cast<std::size_t>(INT32_MAX)) {
    throw ArgumentError(name_ + ": more than 2^31 - 1 sends, receives and computations");
  }
  actions_.push_back(action);
}

// By action (sorted by task): for a send its message, for a receive the message that it takes.
inline std::vector<Traffic::Message> Programs::matches() const {
  // Number the messages in the order of the actions.
  std::vector<Traffic::Message> match(actions_.size(), -1);
  Traffic::Message messages = 0;
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    if (!actions_[a].receives) match[a] = messages++;
  }

  // Group sends and receives by pair and tag, each kind in the order of its program.
  std::vector<std::uint32_t> order;
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    if (actions_[a].peer != actions_[a].task) order.push_back(static_cast<std::uint32_t>(a));
  }
  const auto key = [](const Action& action) {
    const auto [from, to] = action.receives ? std::pair(action.peer, action.task)  //
                                            : std::pair(action.task, action.peer);
    return std::tuple(from, to, action.tag, action.receives);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(actions_[a]) < key(actions_[b]); });

  // Within such a range the sends come first: give the k-th receive the k-th of them.
  const auto pair_and_tag = [&](std::size_t i) {
    const auto [from, to, tag, receives] = key(actions_[order[i]]);
    return std::tuple(from, to, tag);
  };
  std::size_t send = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || pair_and_tag(i) != pair_and_tag(i - 1)) send = i;
    const Action& action = actions_[order[i]];
    if (!action.receives) continue;
    if (actions_[order[send]].receives) {
      throw ArgumentError(name_ + ": task " + std::to_string(action.task) + " receives more from task " +
                          std::to_string(action.peer) + " (tag " + std::to_string(action.tag) +
                          ") than that one sends to it");
    }
    match[order[i]] = match[order[send++]];
  }
  return match;
}

inline Traffic Programs::finish(std::int64_t repeats) && {
  std::stable_sort(actions_.begin(), actions_.end(),
                   [](const Action& a, const Action& b) { return a.task < b.task; });
  const std::vector<Traffic::Message> match = matches();

  Traffic made;
  made.name = name_;
  made.tasks = tasks_;
  made.repeats = repeats;
  made.first_cause.push_back(0);
  std::size_t waiting = 0;  // first cause of the next message
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    const Action& action = actions_[a];

    // Begin the tasks up to this one; the last receives of the previous task cause nothing.
    while (made.first.size() <= static_cast<std::size_t>(action.task)) {
      made.first.push_back(made.messages());
      made.causes.resize(waiting);
    }
    if (action.receives) {
      made.causes.push_back(match[a]);
    } else {
      made.destination.push_back(action.peer);
      made.size.push_back(action.size);
      waiting = made.causes.size();
      made.first_cause.push_back(static_cast<std::int64_t>(waiting));
    }
  }
  made.causes.resize(waiting);
  made.first.resize(static_cast<std::size_t>(tasks_) + 1, made.messages());
  (void)totals(made);
  return made;
}

// The messages caused by each message, and the number of causes that each still waits for.
class Dependents {
 public:
  // No messages.
  Dependents() = default;
  explicit Dependents(const Traffic& traffic);

  // The messages caused by message m.
  std::span<const Traffic::Message> of(Traffic::Message m) const;
  // Number of causes that m still waits for.
  std::int32_t missing(Traffic::Message m) const { return missing_[static_cast<std::size_t>(m)]; }
  // One cause of m has ended; true: it was the last.
  bool settle(Traffic::Message m) { return --missing_[static_cast<std::size_t>(m)] == 0; }
  std::int64_t bytes() const;

 private:
  std::vector<std::int64_t> first_;
  std::vector<Traffic::Message> messages_;
  std::vector<std::int32_t> missing_;
};

// Invert the list of causes by counting.
inline Dependents::Dependents(const Traffic& traffic)
    : first_(static_cast<std::size_t>(traffic.messages()) + 1),
      messages_(traffic.causes.size()),
      missing_(static_cast<std::size_t>(traffic.messages())) {
  for (const Traffic::Message cause : traffic.causes) ++first_[static_cast<std::size_t>(cause) + 1];
  for (std::size_t m = 0; m < missing_.size(); ++m) first_[m + 1] += first_[m];
  std::vector<std::int64_t> at(first_.begin(), first_.end() - 1);
  for (std::size_t m = 0; m < missing_.size(); ++m) {
    missing_[m] = static_cast<std::int32_t>(traffic.first_cause[m + 1] - traffic.first_cause[m]);
    for (std::int64_t i = traffic.first_cause[m]; i < traffic.first_cause[m + 1]; ++i) {
      const auto cause = static_cast<std::size_t>(traffic.causes[static_cast<std::size_t>(i)]);
      messages_[static_cast<std::size_t>(at[cause]++)] = static_cast<Traffic::Message>(m);
    }
  }
}

inline std::span<const Traffic::Message> Dependents::of(Traffic::Message m) const {
  const auto at = static_cast<std::size_t>(m);
  return std::span(messages_).subspan(static_cast<std::size_t>(first_[at]),
                                      static_cast<std::size_t>(first_[at + 1] - first_[at]));
}

inline std::int64_t Dependents::bytes() const {
  return static_cast<std::int64_t>(first_.capacity() * sizeof(first_[0]) +
                                   messages_.capacity() * sizeof(messages_[0]) +
                                   missing_.capacity() * sizeof(missing_[0]));
}

}  // namespace sortlast::simulate
