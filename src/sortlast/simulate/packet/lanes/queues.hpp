// Lane queues: `lanes` queues of packets behind every channel, and their occupation.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sortlast/fabric/topology.hpp"
#include "sortlast/simulate/packet/lanes/router.hpp"

namespace sortlast::simulate {

struct LanePacket {
  std::int32_t message = 0;                  // of the traffic
  std::int32_t entered = 0;                  // cycle in which it entered the queue of its host
  std::int32_t source = 0, destination = 0;  // hosts
  std::int32_t ready = 0;                    // first cycle in which its head may leave the queue
  WayState state;
};

// A packet occupies its place from the cycle in which its head begins to enter until the cycle after its tail
// has left.
class LaneQueues {
 public:
  LaneQueues(const fabric::Topology& topology, std::int32_t lanes, std::int32_t capacity)
      : lanes_(static_cast<std::size_t>(lanes)),
        capacity_(capacity),
        queues_(static_cast<std::size_t>(topology.channels()) * lanes_),
        packets_(queues_.size() * static_cast<std::size_t>(capacity)),
        waiting_(static_cast<std::size_t>(topology.channels())),
        used_(waiting_.size()) {}

  std::size_t index(fabric::Channel c, std::int32_t lane) const {
    return static_cast<std::size_t>(c) * lanes_ + static_cast<std::size_t>(lane);
  }
  std::size_t size() const { return queues_.size(); }
  std::int32_t slots(fabric::Channel c, std::int32_t lane) const { return queues_[index(c, lane)].slots; }
  bool has_room(fabric::Channel c, std::int32_t lane) const { return slots(c, lane) < capacity_; }
  // Occupied places on all lanes behind a channel.
  std::int32_t used(fabric::Channel c) const { return used_[static_cast<std::size_t>(c)]; }
  // Packets that have not begun to leave, on all lanes or one.
  std::int32_t waiting(fabric::Channel c) const { return waiting_[static_cast<std::size_t>(c)]; }
  std::int32_t waiting(fabric::Channel c, std::int32_t lane) const { return queues_[index(c, lane)].count; }

  const LanePacket& front(fabric::Channel c, std::int32_t lane) const {
    const std::size_t q = index(c, lane);
    return packets_[q * static_cast<std::size_t>(capacity_) + static_cast<std::size_t>(queues_[q].head)];
  }
  void push(fabric::Channel c, std::int32_t lane, const LanePacket& packet) {
    const std::size_t q = index(c, lane);
    Queue& queue = queues_[q];
    const auto place = static_cast<std::size_t>((queue.head + queue.count) % capacity_);
    packets_[q * static_cast<std::size_t>(capacity_) + place] = packet;
    ++queue.count;
    ++queue.slots;
    ++waiting_[static_cast<std::size_t>(c)];
    ++used_[static_cast<std::size_t>(c)];
  }
  // The first packet begins to leave; release() follows.
  LanePacket pop(fabric::Channel c, std::int32_t lane) {
    const LanePacket packet = front(c, lane);
    Queue& queue = queues_[index(c, lane)];
    queue.head = (queue.head + 1) % capacity_;
    --queue.count;
    --waiting_[static_cast<std::size_t>(c)];
    return packet;
  }
  // The tail of a packet has left queue q.
  void release(std::size_t q) {
    --queues_[q].slots;
    --used_[q / lanes_];
  }

  // Calls `visit` with the number, the channel and the first packet of every queue that is not empty.
  template <class Visit>
  void for_fronts(const Visit& visit) const {
    for (std::size_t q = 0; q < queues_.size(); ++q) {
      if (queues_[q].count == 0) continue;
      const std::size_t place =
          q * static_cast<std::size_t>(capacity_) + static_cast<std::size_t>(queues_[q].head);
      visit(q, static_cast<fabric::Channel>(q / lanes_), packets_[place]);
    }
  }

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(queues_.capacity() * sizeof(Queue) +
                                     packets_.capacity() * sizeof(LanePacket));
  }

 private:
  struct Queue {
    std::int32_t head = 0, count = 0, slots = 0;
  };

  const std::size_t lanes_;
  const std::int32_t capacity_;
  std::vector<Queue> queues_;
  std::vector<LanePacket> packets_;
  std::vector<std::int32_t> waiting_, used_;  // by channel
};

}  // namespace sortlast::simulate
