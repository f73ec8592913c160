// Buffers: the queue behind every channel, the state of every task's injection queue, and their packets; the
// waiting queues, and the events due in each cycle.
//
// Within a cycle all decisions see the state before any movement of that cycle. The phits in a queue
// therefore need not be counted; they follow from the number of its packets, and from the times at which the
// last one began to enter and the last one began to leave:
//
//     phits(t) = P n - max(0, P - (t - entering)) + max(0, P - (t - leaving))
//
// with n packets that have not begun to leave. This is correct for t itself even if this cycle's movements
// are already recorded. The time at which the last packet began to enter queue c is also the time at which
// channel c was last taken: it is idle P cycles later.
//
// Layout: a decision needs 16 bytes of a queue, so that the ports of a group are in one or two cache lines.
// The rest of the queue, and its packets if there are 4, is one more line.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/simulate/packet/network.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

// A packet under way.
struct Packet {
  Traffic::Message message = 0;
  std::uint32_t key = 0;     // of the router
  std::int32_t entered = 0;  // cycle in which it entered its injection queue
};

struct Queue {
  std::int32_t entered = -1, left = -1;  // first cycles after the last packet has entered, and left
  Group receiver = 0;                    // leader of the domain that let the last one leave
  std::uint16_t count = 0, head = 0;  // packets that have not begun to leave, and the position of the first
};

// Position of a queue, and the packets that have entered it.
struct Place {
  Group sender = Network::none;      // leader of the groups that send here; for injection, its host's group
  std::int32_t switch_entered = -1;  // switch of the queue ...
  std::uint16_t port = 0;            // ... and its port, from 0
  std::uint32_t load = 0;            // packets that have entered: fewer than cycles
};

class Buffers {
 public:
  static constexpr std::int32_t most_packets = 255;

  // P phits per packet, `capacity` packets per queue. Queues channels .. channels + tasks - 1 are injection
  // queues, of which only the times are kept here.
  Buffers(const Network& network, std::size_t tasks, std::int32_t phits_per_packet, std::int32_t capacity)
      : P_(phits_per_packet),
        room_((capacity - 1) * phits_per_packet),
        capacity_(static_cast<std::uint32_t>(capacity)),
        lines_each_((capacity_ + per_line - 1) / per_line),
        queues_(network.sender.size() + tasks),
        lines_(queues_.size() * lines_each_) {
    for (std::size_t c = 0; c < network.sender.size(); ++c) {
      place(c).sender = network.sender[c];
      place(c).switch_entered = network.switch_entered[c];
      place(c).port = network.port_entered[c];
    }
  }

  Queue& operator[](std::size_t q) { return queues_[q]; }
  const Queue& operator[](std::size_t q) const { return queues_[q]; }
  Place& place(std::size_t q) { return lines_[q * lines_each_].place; }
  const Place& place(std::size_t q) const { return lines_[q * lines_each_].place; }

  std::int32_t phits(const Queue& queue, std::int32_t now) const {
    return P_ * queue.count - std::max(0, queue.entered - now) + std::max(0, queue.left - now);
  }
  bool has_room(std::int32_t phits) const { return phits <= room_; }
  // Whether there is room for a packet since the last one has left, and was none before.
  bool gained_room(const Queue& queue) const { return queue.count + 1u == capacity_; }
  static bool idle(const Queue& queue, std::int32_t now) { return now >= queue.entered; }

  // Prefetches a queue and its packets, only the packets, or `count` queues alone.
  void prefetch(std::size_t q) const {
    __builtin_prefetch(&queues_[q]);
    prefetch_packets(q);
  }
  void prefetch_packets(std::size_t q) const { __builtin_prefetch(&lines_[q * lines_each_]); }
  void prefetch_queues(std::size_t first, std::size_t count) const {
    for (std::size_t i = 0; i < count; i += 64 / sizeof(Queue)) __builtin_prefetch(&queues_[first + i]);
  }

  const Packet& front(std::size_t q) const {
    const std::uint32_t slot = queues_[q].head;
    return lines_[q * lines_each_ + slot / per_line].packet[slot % per_line];
  }
  // The first packet begins to leave; from cycle `left` on it has left.
  Packet pop(std::size_t q, std::int32_t left, Group receiver) {
    Queue queue = queues_[q];
    const Packet first = front(q);
    const std::uint32_t next = queue.head + 1u;
    queue.head = static_cast<std::uint16_t>(next == capacity_ ? 0 : next);
    --queue.count;
    queue.left = left;
    queue.receiver = receiver;
    queues_[q] = queue;
    return first;
  }
  // A packet begins to enter; from cycle `entered` on it has entered. The caller must store it in the
  // returned slot.
  std::uint32_t enter(std::size_t q, std::int32_t entered) {
    Queue& queue = queues_[q];
    const std::uint32_t slot = std::uint32_t{queue.head} + queue.count;
    queue.entered = entered;
    ++queue.count;
    return slot >= capacity_ ? slot - capacity_ : slot;
  }
  void put(std::size_t q, std::uint32_t slot, const Packet& packet) {
    lines_[q * lines_each_ + slot / per_line].packet[slot % per_line] = packet;
  }

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(queues_.capacity() * sizeof(Queue) + lines_.capacity() * sizeof(Line));
  }

 private:
  static constexpr std::uint32_t per_line = 4;
  struct alignas(64) Line {
    Place place;  // of the queue, in its first line
    Packet packet[per_line];
  };
  static_assert(sizeof(Line) == 64);

  const std::int32_t P_;
  const std::int32_t room_;  // maximum phits that leave room for a packet
  const std::uint32_t capacity_, lines_each_;
  std::vector<Queue> queues_;
  std::vector<Line> lines_;
};

// The queues that wait in each group, as a bit set of ports.
class Waiters {
 public:
  Waiters(std::size_t groups, std::uint32_t most_ports)
      : words_((most_ports + 63) / 64), bits_(groups * words_) {}

  void prefetch(Group g) const { __builtin_prefetch(&bits_[std::size_t{g} * words_]); }
  void add(Group g, std::uint32_t port) { word(g, port) |= std::uint64_t{1} << (port % 64); }
  void remove(Group g, std::uint32_t port) { word(g, port) &= ~(std::uint64_t{1} << (port % 64)); }

  // The n-th waiting port from 0; there must be more than n.
  std::uint32_t nth(Group g, std::uint32_t n) const {
    const std::uint64_t* at = bits_.data() + std::size_t{g} * words_;
    std::uint32_t base = 0;
    for (; words_ > 1; ++at, base += 64) {
      const auto here = static_cast<std::uint32_t>(std::popcount(*at));
      if (n < here) break;
      n -= here;
    }
    std::uint64_t bits = *at;
    for (; n > 0; --n) bits &= bits - 1;
    return base + static_cast<std::uint32_t>(std::countr_zero(bits));
  }

  // Calls `visit` with every waiting port, in ascending order.
  template <class Visit>
  void for_each(Group g, const Visit& visit) const {
    for (std::uint32_t w = 0; w < words_; ++w) {
      for (std::uint64_t bits = bits_[std::size_t{g} * words_ + w]; bits != 0; bits &= bits - 1) {
        visit(w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }
  }

  std::int64_t bytes() const { return static_cast<std::int64_t>(bits_.capacity() * sizeof(std::uint64_t)); }

 private:
  std::uint64_t& word(Group g, std::uint32_t port) { return bits_[std::size_t{g} * words_ + port / 64]; }

  std::uint32_t words_;
  std::vector<std::uint64_t> bits_;
};

// Future items by the cycle in which they are due.
template <class Item>
class Wheel {
 public:
  // For items due less than `span` cycles ahead.
  explicit Wheel(std::int32_t span)
      : mask_(std::bit_ceil(static_cast<std::uint32_t>(span)) - 1), slots_(std::size_t{mask_} + 1) {}

  void add(std::int32_t cycle, Item item) {
    Slot& slot = slots_[static_cast<std::uint32_t>(cycle) & mask_];
    if (slot.next == slot.end) grow(slot);
    *slot.next++ = item;
  }
  std::span<const Item> at(std::int32_t cycle) const {
    const Slot& slot = slots_[static_cast<std::uint32_t>(cycle) & mask_];
    return {slot.items.data(), slot.next};
  }
  // Removes the items that were due; returns their number.
  std::int64_t clear(std::int32_t cycle) {
    Slot& slot = slots_[static_cast<std::uint32_t>(cycle) & mask_];
    return std::exchange(slot.next, slot.items.data()) - slot.items.data();
  }

 private:
  struct Slot {
    std::vector<Item> items;
    Item *next = nullptr, *end = nullptr;  // position of the next item, and the end of the room
  };
  static void grow(Slot& slot) {
    const std::size_t count = slot.items.size();
    slot.items.resize(2 * count + 16);
    slot.next = slot.items.data() + count;
    slot.end = slot.items.data() + slot.items.size();
  }

  std::uint32_t mask_;
  std::vector<Slot> slots_;
};

}  // namespace sortlast::simulate
