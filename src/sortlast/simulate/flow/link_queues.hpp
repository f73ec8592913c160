// Link queues: messages on channels that serve one at a time, in order of arrival.
//
// Model. Every channel has a queue of unlimited length, and serves it first come, first served, at its full
// rate. A message arrives at the first channel of its path when it starts, and at the next one when the
// previous one begins to serve it (cut-through). From then on its bytes flow through both, because all
// channels have the same rate. A message of S bytes that meets no other therefore takes S / capacity, however
// long its path is, and while it waits at a channel, the later channels of its path are free for others.
//
// Messages that arrive at a channel at the same time are served by turn: first the messages that were the
// first of that time on the first channel of their paths, then the second ones, and so on; within a turn the
// message that started first. Without turns the source that starts its messages first would have all of them
// in front.
//
// A channel needs no list of waiting messages: later arrivals end later, so the time at which the channel is
// free again suffices. A message costs one visit to each of its channels, and nothing when others start and
// end.
//
// Rejected: a message that holds all channels of its path from beginning to end, like a circuit. The channels
// before a blocked one would idle, and buffers in a network exist to avoid chains of messages that wait for
// each other's tails.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "sortlast/fabric/topology.hpp"
#include "sortlast/simulate/flow/completion_heap.hpp"

namespace sortlast::simulate {

// Flows are small numbers chosen by the caller, and may be reused after their end. Times are in seconds and
// never decrease.
class LinkQueues {
 public:
  // Every channel carries `capacity` bytes per second. Arrivals no further apart than `precision` times the
  // time are simultaneous.
  LinkQueues(fabric::Channel channels, double capacity, double precision)
      : capacity_(capacity),
        precision_(precision),
        free_at_(static_cast<std::size_t>(channels), 0),
        turns_(free_at_.size()) {}

  // A flow of `bytes` > 0 over a path of one or more distinct channels.
  void start(std::int32_t flow, std::span<const fabric::Channel> path, double bytes);
  void end(std::int32_t flow);
  // Processes all arrivals at channels up to now.
  void share(double now);

  // Time of the next event, if nothing starts; and the next end of a flow, once it is known.
  static constexpr double never = std::numeric_limits<double>::infinity();
  double next_event() const { return std::min(next_end(), heads_.empty() ? never : heads_.top().time); }
  double next_end() const { return ends_.empty() ? never : ends_.top().time; }
  std::int32_t next_flow() const { return ends_.top().flow; }

  // Calls visit(channel, 1), because each channel carries the whole flow.
  template <class Visit>
  void for_each_channel(std::int32_t flow, const Visit& visit) const {
    for (const fabric::Channel c : flows_[static_cast<std::size_t>(flow)].path) visit(c, 1.0);
  }
  std::int32_t flows() const { return under_way_; }
  std::int64_t shares() const { return visits_; }  // number of messages served by channels
  std::int64_t bytes() const;

 private:
  struct Flow {
    std::vector<fabric::Channel> path;
    double seconds = 0;  // service time of each channel
    std::int64_t turn = 0;
    std::int64_t number = 0;  // position among all starts
    std::size_t hop = 0;      // of the path: the next channel of its head
  };
  // The first byte of a flow on its way to a channel.
  struct Head {
    double time = 0;
    std::int64_t turn = 0, number = 0;
    std::int32_t flow = 0;

    bool operator>(const Head& other) const {
      return std::tie(time, turn, number) > std::tie(other.time, other.turn, other.number);
    }
  };
  struct Turn {
    double time = -1;  // time of the last start
    std::int64_t count = 0;
  };
  struct InTurn {
    bool operator()(const Head& a, const Head& b) const {
      return std::tie(a.turn, a.number) > std::tie(b.turn, b.number);
    }
  };

  void serve(Head head, double last);

  double capacity_, precision_;
  std::vector<double> free_at_;  // by channel: end of service of all arrivals so far
  std::vector<Turn> turns_;      // by channel: of the flows that start there
  std::vector<Flow> flows_;
  std::vector<std::int32_t> started_;  // flows that have not arrived at a channel yet
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
  std::priority_queue<Head, std::vector<Head>, InTurn> together_;  // heads that arrive at the same time
  CompletionHeap ends_;
  std::int32_t under_way_ = 0;
  std::int64_t starts_ = 0, visits_ = 0;
};

inline void LinkQueues::start(std::int32_t flow, std::span<const fabric::Channel> path, double bytes) {
  const auto f = static_cast<std::size_t>(flow);
  if (f >= flows_.size()) flows_.resize(f + 1);
  flows_[f].path.assign(path.begin(), path.end());
  flows_[f].seconds = bytes / capacity_;
  flows_[f].hop = 0;
  flows_[f].number = starts_++;
  started_.push_back(flow);
  ++under_way_;
}

inline void LinkQueues::end(std::int32_t flow) {
  ends_.remove(flow);
  --under_way_;
}

inline void LinkQueues::share(double now) {
  const double last = now + precision_ * now;
  for (const std::int32_t flow : started_) {
    Flow& started = flows_[static_cast<std::size_t>(flow)];
    Turn& turn = turns_[static_cast<std::size_t>(started.path.front())];
    turn.count = turn.time == now ? turn.count + 1 : 0;
    turn.time = now;
    started.turn = turn.count;
    together_.push({now, started.turn, started.number, flow});
  }
  started_.clear();
  while (!heads_.empty() && heads_.top().time <= last) {
    together_.push(heads_.top());
    heads_.pop();
  }
  while (!together_.empty()) {
    const Head head = together_.top();
    together_.pop();
    serve(head, last);
  }
}

// A head arrives at a channel, behind all earlier arrivals.
inline void LinkQueues::serve(Head head, double last) {
  Flow& flow = flows_[static_cast<std::size_t>(head.flow)];
  double& free_at = free_at_[static_cast<std::size_t>(flow.path[flow.hop])];
  head.time = std::max(head.time, free_at);
  free_at = head.time + flow.seconds;
  ++visits_;
  if (++flow.hop == flow.path.size()) {
    ends_.set(head.flow, free_at);
  } else if (head.time <= last) {
    together_.push(head);
  } else {
    heads_.push(head);
  }
}

inline std::int64_t LinkQueues::bytes() const {
  const auto size = [](const auto& values) {
    return static_cast<std::int64_t>(values.capacity() * sizeof(values[0]));
  };
  std::int64_t sum = ends_.bytes() + size(free_at_) + size(turns_) + size(flows_) + size(started_) +
                     static_cast<std::int64_t>((heads_.size() + together_.size()) * sizeof(Head));
  for (const Flow& flow : flows_) sum += size(flow.path);
  return sum;
}

}  // namespace sortlast::simulate
