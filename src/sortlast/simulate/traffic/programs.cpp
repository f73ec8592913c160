#include "sortlast/simulate/traffic/programs.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast::simulate {

Programs::Programs(std::string name, std::int32_t tasks) : name_(std::move(name)), tasks_(tasks) {
  if (tasks < 1) throw ArgumentError(name_ + ": " + std::to_string(tasks) + " tasks; expected 1 or more");
}

void Programs::send(std::int32_t task, std::int32_t to, std::int64_t bytes, std::int64_t tag) {
  add({task, to, bytes, tag, false});
  if (task == to) throw ArgumentError(name_ + ": task " + std::to_string(task) + " sends to itself");
}

void Programs::receive(std::int32_t task, std::int32_t from, std::int64_t tag) {
  add({task, from, 0, tag, true});
  if (task == from) throw ArgumentError(name_ + ": task " + std::to_string(task) + " receives from itself");
}

void Programs::compute(std::int32_t task, std::int64_t nanoseconds) {
  add({task, task, nanoseconds, 0, false});
}

void Programs::add(const Action& action) {
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

// By action (sorted by task): of a send its message, of a receive the message that it takes.
std::vector<Traffic::Message> Programs::matches() const {
  // Number the messages in the order of the actions.
  std::vector<Traffic::Message> match(actions_.size(), -1);
  Traffic::Message messages = 0;
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    if (!actions_[a].receives) match[a] = messages++;
  }

  // Bring sends and receives of the same pair and tag together, each kind in the order of its program.
  std::vector<std::uint32_t> order;
  for (std::size_t a = 0; a < actions_.size(); ++a) {
    if (actions_[a].peer != actions_[a].task) order.push_back(static_cast<std::uint32_t>(a));
  }
  const auto key = [this](const Action& action) {
    const auto [from, to] = action.receives ? std::pair(action.peer, action.task)  //
                                            : std::pair(action.task, action.peer);
    return std::tuple(from, to, action.tag, action.receives);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(actions_[a]) < key(actions_[b]); });

  // Within such a stretch the sends come first: give the k-th receive the k-th of them.
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

Traffic Programs::finish(std::int64_t repeats) && {
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

    // Begin the tasks up to this one; what the one before received last causes nothing.
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

}  // namespace sortlast::simulate
