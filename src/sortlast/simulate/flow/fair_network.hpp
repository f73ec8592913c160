// Fair network: flows on channels, their max-min fair rates, and their ends. A flow may be split, so that a
// channel carries a share of it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sortlast/fabric/topology.hpp"
#include "sortlast/simulate/flow/channel_members.hpp"
#include "sortlast/simulate/flow/completion_heap.hpp"

namespace sortlast::simulate {

// Shares per flow of the channels being filled, lowest first, ties by the lowest channel number. Channels
// usually reach the top once, when their flows are already settled. They are therefore sorted beforehand,
// which costs less than a heap, and only channels that go back are kept in one.
class Levels {
 public:
  struct Level {
    double share = 0;
    fabric::Channel channel = 0;

    bool operator<(const Level& other) const {
      return share < other.share || (share == other.share && channel < other.channel);
    }
  };

  // First add() all, then sort(), and after that pop() and put_back().
  void clear() {
    sorted_.clear();
    raised_.clear();
    next_ = 0;
  }
  void add(const Level& level) { sorted_.push_back(level); }
  // Shares must not be negative yet; rounding may make those put back later negative.
  void sort() {
    // Bits of positive numbers sort like the numbers; one long comparison has no branches.
    const auto key = [](const Level& level) {
      return static_cast<unsigned __int128>(std::bit_cast<std::uint64_t>(level.share)) << 64 |
             static_cast<std::uint32_t>(level.channel);
    };
    std::sort(sorted_.begin(), sorted_.end(),
              [&](const Level& a, const Level& b) { return key(a) < key(b); });
  }

  bool empty() const { return next_ == sorted_.size() && raised_.empty(); }
  // `none` if it is empty.
  static constexpr double none = std::numeric_limits<double>::infinity();
  double lowest() const {
    return std::min(next_ < sorted_.size() ? sorted_[next_].share : none,
                    raised_.empty() ? none : raised_.front().share);
  }
  Level pop() {
    const bool sorted = next_ < sorted_.size();
    if (sorted && (raised_.empty() || sorted_[next_] < raised_.front())) return sorted_[next_++];
    std::pop_heap(raised_.begin(), raised_.end(), later);
    const Level level = raised_.back();
    raised_.pop_back();
    return level;
  }
  void put_back(const Level& level) {
    raised_.push_back(level);
    std::push_heap(raised_.begin(), raised_.end(), later);
  }

  std::int64_t bytes() const {
    return static_cast<std::int64_t>((sorted_.capacity() + raised_.capacity()) * sizeof(Level));
  }

 private:
  static constexpr auto later = [](const Level& a, const Level& b) { return b < a; };

  std::vector<Level> sorted_;
  std::size_t next_ = 0;       // next of the sorted ones
  std::vector<Level> raised_;  // heap
};

// Flows are small numbers chosen by the caller, and may be reused after their end. Times are in seconds and
// never decrease.
class FairNetwork {
 public:
  // Every channel carries `capacity` bytes per second.
  FairNetwork(fabric::Channel channels, double capacity);
  // Channel c carries capacities[c] > 0 bytes per second.
  explicit FairNetwork(std::vector<double> capacities);

  // A flow of `bytes` > 0 over a path of one or more distinct channels; `shares` as in ChannelMembers::add().
  void start(std::int32_t flow, std::span<const fabric::Channel> path, double bytes,
             std::span<const double> shares = {});
  void end(std::int32_t flow);
  // Shares the channels among the current flows. Recomputes only rates that starts and ends may have changed.
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
  std::int64_t shares() const { return shares_; }  // number of computed rates
  std::int64_t bytes() const;

 private:
  struct Flow {
    double left = 0;   // bytes at time `since`
    double since = 0;  // [s]
    double rate = 0;   // [byte/s]
    double fair = 0;   // rate being computed
  };
  // A channel during the computation of rates.
  struct Filling {
    double free = 0;             // bytes per second not assigned yet
    std::int32_t unsettled = 0;  // flows of the component without a rate yet
    bool limits = false;         // whether it may limit its flows
  };

  void find_component();
  void find_flows(fabric::Channel c);
  void fill();
  void settle(fabric::Channel c, double share);
  void set_rate(std::int32_t flow, double now);
  double share_of(fabric::Channel c) const;
  double capacity(fabric::Channel c) const {
    return capacities_.empty() ? capacity_ : capacities_[static_cast<std::size_t>(c)];
  }
  // Whether a channel may limit its flows: by their number, or by a capacity below the maximum. A single flow
  // that is split may be faster than a channel.
  bool limits(fabric::Channel c) const {
    return members_.count(c) > 1 || capacity(c) < capacity_ || members_.split();
  }

  double capacity_;                 // the maximum
  std::vector<double> capacities_;  // by channel; empty: all are equal
  ChannelMembers members_;
  CompletionHeap ends_;
  std::vector<Flow> flows_;
  std::int32_t under_way_ = 0;
  std::int64_t shares_ = 0;

  // State of one call of share().
  std::vector<fabric::Channel> touched_;   // where flows have started or ended
  std::vector<fabric::Channel> channels_;  // that may limit flows of the component; room for all and one more
  std::size_t limiting_ = 0;               // number of these channels
  std::vector<std::int32_t> component_;    // its flows
  std::vector<std::uint8_t> open_;         // by flow: it is in the component and has no rate yet
  std::vector<Filling> filling_;           // by channel; between calls no flows are unsettled
  std::vector<double> open_shares_;        // by channel: sum of unsettled shares, once a flow has been split
  Levels levels_;
};

}  // namespace sortlast::simulate
