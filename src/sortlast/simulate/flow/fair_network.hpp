// Fair network: flows on channels, their max-min fair rates, and when each of them ends. A flow may be split,
// so that a channel carries a share of it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::simulate {

// Which flows cross which channel, both ways round, while flows come and go: 16 bytes a channel of a path (24
// once a flow was split), and 8 a channel and a flow. Flows are small numbers that the caller gives.
class ChannelMembers {
 public:
  // A flow on a channel, in the list of that channel's flows.
  struct Entry {
    fabric::Channel channel = 0;
    std::int32_t flow = 0;
    std::int32_t next = -1, previous = -1;
  };

  explicit ChannelMembers(fabric::Channel channels)
      : head_(static_cast<std::size_t>(channels), -1), count_(head_.size(), 0) {}

  // The path must not be empty, nor have a channel twice; the flow must not be there. `shares`: of each
  // channel of the path the part of the flow that crosses it; none: all of it.
  void add(std::int32_t flow, std::span<const fabric::Channel> path, std::span<const double> shares = {});
  void remove(std::int32_t flow);

  std::span<const Entry> path(std::int32_t flow) const {
    const Block& block = blocks_[static_cast<std::size_t>(flow)];
    return {entries_.data() + block.first, static_cast<std::size_t>(block.length)};
  }
  // Whether a flow was ever split.
  bool split() const { return !shares_.empty(); }
  // Of an entry of a path: the part of the flow that crosses the channel.
  double share(const Entry& entry) const {
    return split() ? shares_[static_cast<std::size_t>(&entry - entries_.data())] : 1;
  }
  // Parts of flows that cross a channel, added up.
  double shares_on(fabric::Channel c) const;
  std::int32_t count(fabric::Channel c) const { return count_[static_cast<std::size_t>(c)]; }

  template <class Visit>
  void for_each(fabric::Channel c, const Visit& visit) const {
    for (std::int32_t e = head_[static_cast<std::size_t>(c)]; e >= 0;) {
      const Entry& entry = entries_[static_cast<std::size_t>(e)];
      visit(entry.flow);
      e = entry.next;
    }
  }

  std::int64_t bytes() const;

 private:
  // The entries of a flow follow each other. Those of a flow that has left wait for one as long.
  struct Block {
    std::int32_t first = 0, length = 0;
  };
  std::int32_t take_block(std::size_t length);

  std::vector<std::int32_t> head_, count_;  // by channel
  std::vector<Block> blocks_;               // by flow
  std::vector<Entry> entries_;
  std::vector<double> shares_;                   // by entry; empty: all are 1
  std::vector<std::vector<std::int32_t>> free_;  // by length: first entries
};

// Which of many flows ends next, while the ends of others move: a binary heap that knows where each flow is,
// so that it holds every flow once. Of two that end at the same time the one with the lower number is first.
class CompletionHeap {
 public:
  struct Entry {
    double time = 0;
    std::int32_t flow = 0;

    bool operator<(const Entry& other) const {
      return time != other.time ? time < other.time : flow < other.flow;
    }
  };

  bool empty() const { return heap_.empty(); }
  const Entry& top() const { return heap_.front(); }

  // Adds a flow, or moves it.
  void set(std::int32_t flow, double time) {
    const auto f = static_cast<std::size_t>(flow);
    if (f >= place_.size()) place_.resize(f + 1, absent);
    if (place_[f] == absent) {
      place_[f] = static_cast<std::int32_t>(heap_.size());
      heap_.push_back({time, flow});
      rise(heap_.size() - 1);
    } else {
      restore(static_cast<std::size_t>(place_[f]), {time, flow});
    }
  }

  // Nothing happens if the flow is not there.
  void remove(std::int32_t flow) {
    const auto f = static_cast<std::size_t>(flow);
    if (f >= place_.size() || place_[f] == absent) return;
    const auto hole = static_cast<std::size_t>(std::exchange(place_[f], absent));
    const Entry last = heap_.back();
    heap_.pop_back();
    if (hole < heap_.size()) restore(hole, last);
  }

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(heap_.capacity() * sizeof(Entry) +
                                     place_.capacity() * sizeof(std::int32_t));
  }

 private:
  static constexpr std::int32_t absent = -1;

  void put(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    place_[static_cast<std::size_t>(entry.flow)] = static_cast<std::int32_t>(at);
  }
  void restore(std::size_t at, const Entry& entry) {
    put(at, entry);
    rise(at);
    sink(static_cast<std::size_t>(place_[static_cast<std::size_t>(entry.flow)]));
  }
  void rise(std::size_t at) {
    const Entry entry = heap_[at];
    for (; at > 0 && entry < heap_[(at - 1) / 2]; at = (at - 1) / 2) put(at, heap_[(at - 1) / 2]);
    put(at, entry);
  }
  void sink(std::size_t at) {
    const Entry entry = heap_[at];
    for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
      if (!(heap_[child] < entry)) break;
      put(at, heap_[child]);
      at = child;
    }
    put(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::int32_t> place_;  // by flow
};

// Flows are small numbers that the caller gives, and may give again after their end. Times are in seconds and
// never go back.
class FairNetwork {
 public:
  // Every channel carries `capacity` bytes a second.
  FairNetwork(fabric::Channel channels, double capacity);
  // Channel c carries capacities[c] > 0 bytes a second.
  explicit FairNetwork(std::vector<double> capacities);

  // A flow of `bytes` > 0 over a path of one channel or more, none twice; `shares` as ChannelMembers::add()
  // takes them.
  void start(std::int32_t flow, std::span<const fabric::Channel> path, double bytes,
             std::span<const double> shares = {});
  void end(std::int32_t flow);
  // Share the channels among the flows that are there now. Only what starts and ends can have changed is
  // computed.
  void share(double now);

  // The flow that ends next if nothing else happens; `never` if there is none. After share().
  static constexpr double never = std::numeric_limits<double>::infinity();
  double next_event() const { return next_end(); }
  double next_end() const { return ends_.empty() ? never : ends_.top().time; }
  std::int32_t next_flow() const { return ends_.top().flow; }

  // Calls visit(channel, part of the flow that crosses it).
  template <class Visit>
  void for_each_channel(std::int32_t flow, const Visit& visit) const {
    for (const ChannelMembers::Entry& entry : members_.path(flow)) {
      visit(entry.channel, members_.share(entry));
    }
  }
  double rate(std::int32_t flow) const { return flows_[static_cast<std::size_t>(flow)].rate; }
  std::int32_t flows() const { return under_way_; }
  std::int64_t shares() const { return shares_; }  // rates that were computed
  std::int64_t bytes() const;

 private:
  struct Flow {
    double left = 0;   // bytes at time `since`
    double since = 0;  // [s]
    double rate = 0;   // [byte/s]
    double fair = 0;   // rate that is being computed; `open`: not yet known
  };
  struct Level {
    double share = 0;
    fabric::Channel channel = 0;
  };
  static constexpr double open = -1;

  void find_component();
  void visit(fabric::Channel c);
  void fill();
  void settle(fabric::Channel c, double share);
  void set_rate(std::int32_t flow, double now);
  double share_of(fabric::Channel c) const;
  double capacity(fabric::Channel c) const {
    return capacities_.empty() ? capacity_ : capacities_[static_cast<std::size_t>(c)];
  }
  // Whether a channel may hold back its flows: by their number, or by a capacity below that of others. A
  // single flow that is split may be faster than a channel.
  bool limits(fabric::Channel c) const {
    return members_.count(c) > 1 || capacity(c) < capacity_ || members_.split();
  }

  double capacity_;                 // the greatest
  std::vector<double> capacities_;  // by channel; empty: all are alike
  ChannelMembers members_;
  CompletionHeap ends_;
  std::vector<Flow> flows_;
  std::int32_t under_way_ = 0;
  std::int64_t shares_ = 0;

  // Of one call of share().
  std::vector<fabric::Channel> touched_;   // where flows have come or gone
  std::vector<fabric::Channel> channels_;  // of the component, that may limit flows
  std::vector<std::int32_t> component_;    // its flows
  std::vector<bool> seen_;                 // by channel
  std::vector<double> free_;               // by channel: bytes a second that are not given yet
  std::vector<std::int32_t> unsettled_;    // by channel: flows without a rate yet ...
  std::vector<double> open_shares_;        // ... and their shares, once a flow was split
  std::vector<Level> levels_;              // heap
};

}  // namespace sortlast::simulate
