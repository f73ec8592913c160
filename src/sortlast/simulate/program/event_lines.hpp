// Events of the LogGOPS model, the CPUs and NICs that they need, and the lines in which they wait for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sortlast/simulate/program.hpp"

namespace sortlast::simulate {

using Time = std::int64_t;  // nanoseconds

namespace loggops {

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

struct Event {
  Time time = 0;
  std::int64_t order = 0;
  std::int32_t action = 0;  // that may begin; or the send of an arriving message
  bool arrives = false;
  std::int32_t line = -1;  // not -1: only a call of the first event of that line
  bool operator>(const Event& other) const {
    return std::tie(time, order) > std::tie(other.time, other.order);
  }
};
using Earliest = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

// Times at which the CPUs and NICs of each rank are free, with each direction of a NIC separate. A message
// uses the sender's CPU and NIC numbers at both ends.
class Units {
 public:
  Units(const Program& program, const std::vector<std::int32_t>& rank) : first_(at(program.ranks) + 1) {
    std::vector<std::int64_t> count(at(program.ranks), 1);
    for (std::size_t a = 0; a < rank.size(); ++a) {
      const Program::Action& action = program.actions[a];
      const std::int64_t needed = std::max(action.cpu, action.nic) + std::int64_t{1};
      for (const std::int32_t r : {rank[a], action.peer}) {
        if (r != Program::any) count[at(r)] = std::max(count[at(r)], needed);
      }
    }
    for (std::size_t r = 0; r < count.size(); ++r) first_[r + 1] = first_[r] + count[r];
    for (std::vector<Time>* const free : {&cpu_, &out_, &in_}) free->resize(at(first_.back()));
  }

  Time& cpu(std::int32_t rank, std::int32_t cpu) { return cpu_[at(first_[at(rank)] + cpu)]; }
  Time& out(std::int32_t rank, std::int32_t nic) { return out_[at(first_[at(rank)] + nic)]; }
  Time& in(std::int32_t rank, std::int32_t nic) { return in_[at(first_[at(rank)] + nic)]; }
  // Time at which the last of its CPUs is free.
  Time end(std::int32_t rank) const {
    return *std::max_element(cpu_.begin() + first_[at(rank)], cpu_.begin() + first_[at(rank) + 1]);
  }

 private:
  std::vector<std::int64_t> first_;
  std::vector<Time> cpu_, out_, in_;
};

// Lines of events that wait for the same CPU and NIC of a rank, in the order of their creation.
class Lines {
 public:
  // The line of an action that computes or sends, or of a send with an arriving message.
  std::int32_t of(std::int32_t rank, const Program::Action& action, bool arrives) {
    const std::uint64_t kind = arrives ? 2 : action.kind == Program::Kind::compute ? 1 : 0;
    const std::uint64_t nic = kind == 1 ? 0 : static_cast<std::uint64_t>(action.nic);
    const std::uint64_t key = ((static_cast<std::uint64_t>(rank) * 3 + kind) * Program::most_units +
                               static_cast<std::uint64_t>(action.cpu)) *
                                  Program::most_units +
                              nic;
    const auto [found, is_new] = numbers_.try_emplace(key, static_cast<std::int32_t>(lines_.size()));
    if (is_new) lines_.emplace_back();
    return found->second;
  }

  // An event joins a line, for resources that are free at time `free`. If it is now the first, it is called
  // then.
  void join(std::int32_t line, Event event, Time free, Earliest& queue) {
    event.time = 0;
    lines_[at(line)].waiting.push(event);
    if (lines_[at(line)].waiting.top().order == event.order) call(line, free, queue);
  }
  // Whether a call is valid: the line has not called another event since.
  bool counts(const Event& call) const {
    return lines_[at(call.line)].called == std::pair(call.time, call.order);
  }
  Event leave(std::int32_t line) {
    const Event first = lines_[at(line)].waiting.top();
    lines_[at(line)].waiting.pop();
    return first;
  }
  bool empty(std::int32_t line) const { return lines_[at(line)].waiting.empty(); }
  void call(std::int32_t line, Time free, Earliest& queue) {
    Line& here = lines_[at(line)];
    here.called = {free, here.waiting.top().order};
    queue.push({free, here.waiting.top().order, -1, false, line});
  }

 private:
  struct Line {
    Earliest waiting;                              // all have time 0
    std::pair<Time, std::int64_t> called{-1, -1};  // time and order of the valid call
  };
  std::unordered_map<std::uint64_t, std::int32_t> numbers_;
  std::vector<Line> lines_;
};

}  // namespace loggops

}  // namespace sortlast::simulate
