// Link queues: messages on channels that serve one at a time, in the order in which they come to it.
//
// Model. Every channel has a queue, as long as need be, and serves it first come, first served, at its full
// rate. A message comes to the first channel of its path when it starts, and to the next one when the one
// before begins to serve it (cut-through): from there on its bytes follow each other through both, as all
// channels have the same rate. So a message of S bytes that meets no other takes S / capacity, however long
// its path is, and while one waits at a channel, those behind it on its path are free for others.
//
// Messages that come to a channel at the same time go in turn: those that were the first of that time on the
// first channel of their paths, then those that were the second, and among these the one that started first.
// Without turns the source whose messages the caller starts first would have all of them in front.
//
// A channel needs no list of who waits: what comes to it later ends later, so that the time at which it is
// free again says all. A message costs a visit to each of its channels and nothing when others come and go.
//
// Rejected: a message that holds all channels of its path from its beginning to its end, as a circuit. Those
// in front of a blocked one would idle, and a chain of messages that wait for each other's tails is what
// buffers in a network are for.
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

// Flows are small numbers that the caller gives, and may give again after their end. Times are in seconds and
// never go back.
class LinkQueues {
 public:
  // Every channel carries `capacity` bytes a second. What comes no further apart than `precision` times the
  // time comes together.
  LinkQueues(fabric::Channel channels, double capacity, double precision)
      : capacity_(capacity),
        precision_(precision),
        free_at_(static_cast<std::size_t>(channels), 0),
        turns_(free_at_.size()) {}

  // A flow of `bytes` > 0 over a path of one channel or more, none twice.
  void start(std::int32_t flow, std::span<const fabric::Channel> path, double bytes);
  void end(std::int32_t flow);
  // Let everything come to its next channel that does so up to now.
  void share(double now);

  // When something happens next, if nothing starts; and the flow that ends next, once it is known.
  static constexpr double never = std::numeric_limits<double>::infinity();
  double next_event() const { return std::min(next_end(), heads_.empty() ? never : heads_.top().time); }
  double next_end() const { return ends_.empty() ? never : ends_.top().time; }
  std::int32_t next_flow() const { return ends_.top().flow; }

  // Calls visit(channel, 1): each carries the whole flow.
  template <class Visit>
  void for_each_channel(std::int32_t flow, const Visit& visit) const {
    for (const fabric::Channel c : flows_[static_cast<std::size_t>(flow)].path) visit(c, 1.0);
  }
  std::int32_t flows() const { return under_way_; }
  std::int64_t shares() const { return visits_; }  // channels that served a message
  std::int64_t bytes() const;

 private:
  struct Flow {
    std::vector<fabric::Channel> path;
    double seconds = 0;  // that each channel serves it
    std::int64_t turn = 0;
    std::int64_t number = 0;  // of all starts
    std::size_t hop = 0;      // of the path: the channel to which its head comes next
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
    double time = -1;  // of the last start
    std::int64_t count = 0;
  };
  struct InTurn {
    bool operator()(const Head& a, const Head& b) const {
      return std::tie(a.turn, a.number) > std::tie(b.turn, b.number);
    }
  };

  void serve(Head head, double last);

  double capacity_, precision_;
  std::vector<double> free_at_;  // by channel: when it has served all that has come
  std::vector<Turn> turns_;      // by channel: of the flows that begin there
  std::vector<Flow> flows_;
  std::vector<std::int32_t> started_;  // flows that have not come to a channel yet
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
  std::priority_queue<Head, std::vector<Head>, InTurn> together_;  // heads that come at one time
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

// A head comes to a channel, behind all that has come before it.
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
