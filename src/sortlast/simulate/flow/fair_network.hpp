// Fair network: flows on channels, their max-min fair rates, and when each of them ends.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sortlast/simulate/flow/channel_members.hpp"
#include "sortlast/simulate/flow/completion_heap.hpp"

namespace sortlast::simulate {

// Flows are small numbers that the caller gives, and may give again after their end. Times are in seconds and
// never go back.
class FairNetwork {
 public:
  // Every channel carries `capacity` bytes a second.
  FairNetwork(fabric::Channel channels, double capacity);

  // A flow of `bytes` > 0 over a path of one channel or more, none twice.
  void start(std::int32_t flow, std::span<const fabric::Channel> path, double bytes);
  void end(std::int32_t flow);
  // Share the channels among the flows that are there now. Only what starts and ends can have changed is
  // computed.
  void share(double now);

  // The flow that ends next if nothing else happens; `never` if there is none. After share().
  static constexpr double never = std::numeric_limits<double>::infinity();
  double next_end() const { return ends_.empty() ? never : ends_.top().time; }
  std::int32_t next_flow() const { return ends_.top().flow; }

  std::span<const ChannelMembers::Entry> path(std::int32_t flow) const { return members_.path(flow); }
  double rate(std::int32_t flow) const { return flows_[static_cast<std::size_t>(flow)].rate; }
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

  double capacity_;
  ChannelMembers members_;
  CompletionHeap ends_;
  std::vector<Flow> flows_;
  std::int64_t shares_ = 0;

  // Of one call of share().
  std::vector<fabric::Channel> touched_;   // where flows have come or gone
  std::vector<fabric::Channel> channels_;  // of the component, with two flows or more
  std::vector<std::int32_t> component_;    // its flows
  std::vector<bool> seen_;                 // by channel
  std::vector<double> free_;               // by channel: bytes a second that are not given yet
  std::vector<std::int32_t> unsettled_;    // by channel: flows without a rate yet
  std::vector<Level> levels_;              // heap
};

}  // namespace sortlast::simulate
