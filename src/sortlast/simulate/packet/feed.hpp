// Feed: the tasks and their injection queues. Turns traffic into packets, and arrivals into what they cause.
//
// A message is cut into packets only as they enter the queue, one a cycle, so that memory does not grow with
// the length of messages. A packet takes its place in the queue until its tail has left.
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/traffic.hpp"
#include "sortlast/simulate/traffic/dependents.hpp"

namespace sortlast::simulate {

class Feed {
 public:
  struct Packet {
    Traffic::Message message = 0;
    std::int32_t entered = 0;  // cycle in which it entered the queue
  };

  // Both must outlive the feed. Cycles that computations take are rounded up.
  Feed(const Traffic& traffic, const PacketOptions& options);

  // Release what waits for nothing.
  void start();

  bool empty(std::int32_t task) const { return hosts_[static_cast<std::size_t>(task)].count == 0; }
  // Take the first packet of a queue that is not empty.
  Packet take(std::int32_t task);
  // The tail of the packet that was taken last has left, in the cycle before `now`.
  void left(std::int32_t task, std::int32_t now);

  // Count a packet of a message that will have arrived; true: it is the last of an iteration.
  bool count_packet(Traffic::Message m) { return ++arriving_[index(m)] % packets_[index(m)] == 0; }
  // An iteration of a message is there, from cycle `now` on.
  void arrived(Traffic::Message m, std::int32_t now);

  // Computations: whether any is under way, when the first ends, and what it causes.
  bool computing() const { return !timers_.empty(); }
  std::int64_t next_timer() const { return timers_.top().first; }
  void fire(std::int32_t now);

  // Tasks whose queue was empty and has a packet now, since it was last cleared.
  std::vector<std::int32_t>& woken() { return woken_; }

  std::int64_t delivered() const { return delivered_; }  // messages and computations that are over
  std::int64_t total() const { return total_; }
  // Why the first tasks that are not done wait: "task 3 waits for message 7 from task 5".
  std::string waits() const;

  std::vector<MessageRecord> log() const;
  std::int64_t bytes() const;

 private:
  struct Host {
    Traffic::Message next = 0, end = 0;  // in order: the message to go next, and the last's successor
    std::int32_t iteration = 0;
    Traffic::Message open = -1;  // the message that is being cut, -1: none ...
    std::uint32_t uncut = 0;     // ... and its packets that have not entered yet
    Traffic::Message last = -1;  // not in order: the end of the list of messages that may go
    std::int32_t entered = -1;   // cycle in which the last packet entered
    std::uint16_t head = 0, count = 0;
    bool leaving = false, computing = false;
    bool blocked =
        false;  // in order: nothing that the next message waits for has come since it was looked at
  };

  static std::size_t index(Traffic::Message m) { return static_cast<std::size_t>(m); }
  bool is_computation(Traffic::Message m) const {
    return traffic_.destination[index(m)] == source_[index(m)];
  }
  void fill(std::int32_t task, std::int32_t now);
  bool open_next(std::int32_t task, std::int32_t now);
  bool open_in_order(std::int32_t task, std::int32_t now);
  bool causes_over(Traffic::Message m, const Host& host) const;
  void step(Host& host, std::int32_t task);
  void open(Host& host, Traffic::Message m, std::int32_t now);
  void compute(Traffic::Message m, std::int32_t now);
  void release(Traffic::Message m, std::int32_t now);
  void over_at(Traffic::Message m, std::int32_t task, std::int32_t now);

  const Traffic& traffic_;
  const PacketOptions& options_;
  std::int64_t total_ = 0, delivered_ = 0;
  std::vector<std::int32_t> source_;
  std::vector<std::uint32_t> packets_;    // of an iteration of each message
  std::vector<std::uint32_t> arriving_;   // packets of each message, all iterations
  std::vector<std::uint32_t> completed_;  // iterations of each message that are there
  std::vector<Host> hosts_;
  std::vector<Packet> queue_;  // tasks x injection_packets: rings
  std::vector<std::int32_t> woken_;

  // Not in order; the lists of messages that may go.
  Dependents dependents_;
  std::vector<Traffic::Message> next_ready_;

  using Timer = std::pair<std::int64_t, Traffic::Message>;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::vector<MessageRecord> log_;  // by message and iteration
};

}  // namespace sortlast::simulate
