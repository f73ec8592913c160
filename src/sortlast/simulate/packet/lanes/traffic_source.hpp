// Packets of traffic with causes, for the lane engine: the hosts of feed.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/simulate/packet/feed.hpp"
#include "sortlast/simulate/packet/lanes/queues.hpp"

namespace sortlast::simulate {

class TrafficSource {
 public:
  // All arguments must outlive this object. Adds its statistics to `result`.
  TrafficSource(const Traffic& traffic, const fabric::Placement& placement, std::int32_t hosts,
                const PacketOptions& options, PacketResult& result)
      : traffic_(traffic),
        placement_(placement),
        options_(options),
        result_(result),
        feed_(traffic, no_background_, options),
        task_of_host_(static_cast<std::size_t>(hosts), -1),
        leaving_(placement.size()),
        complete_(options.packet_phits + 2) {
    for (std::size_t task = 0; task < placement.size(); ++task) {
      task_of_host_[static_cast<std::size_t>(placement[task])] = static_cast<std::int32_t>(task);
    }
    feed_.start();
  }

  void begin(std::int32_t now) {
    for (const std::int32_t m : complete_.at(now)) {
      feed_.arrived(static_cast<Traffic::Message>(m), now);
      ++result_.messages;
      result_.cycles = now;
    }
    pending_ -= complete_.clear(now);
    if (feed_.computing() && feed_.next_timer() <= now) {
      feed_.fire(now);
      result_.cycles = now;
    }
    for (const std::int32_t task : feed_.woken()) {
      if (!leaving_[static_cast<std::size_t>(task)]) hosts_.push_back(host_of(task));
    }
    feed_.woken().clear();
    if (options_.progress && ++begun_ % 16384 == 0 && !options_.progress(part())) throw Error("cancelled");
  }

  std::vector<std::int32_t>& hosts() { return hosts_; }

  LanePacket take(std::int32_t host) {
    const std::int32_t task = task_of_host_[static_cast<std::size_t>(host)];
    const Feed::Packet taken = feed_.take(task);
    leaving_[static_cast<std::size_t>(task)] = true;
    LanePacket packet;
    packet.message = static_cast<std::int32_t>(taken.message);
    packet.entered = taken.entered;
    packet.destination = host_of(traffic_.destination[static_cast<std::size_t>(taken.message)]);
    return packet;
  }

  void left(std::int32_t host, std::int32_t now) {
    const std::int32_t task = task_of_host_[static_cast<std::size_t>(host)];
    leaving_[static_cast<std::size_t>(task)] = false;
    feed_.left(task, now);
    feed_.woken().clear();
    if (!feed_.empty(task)) hosts_.push_back(host);
  }

  void arrives(const LanePacket& packet, std::int32_t now) {
    ++result_.packets;
    result_.delay.add(now - packet.entered);
    if (!feed_.count_packet(static_cast<Traffic::Message>(packet.message))) return;
    complete_.add(now + 1, packet.message);
    ++pending_;
  }

  bool over(std::int32_t /*now*/) const { return false; }
  std::int64_t next(std::int32_t now) const {
    if (pending_ > 0) return std::int64_t{now} + 1;
    return feed_.computing() ? std::max(std::int64_t{now} + 1, feed_.next_timer()) : -1;
  }
  std::string waits() const { return feed_.waits(); }

  const Feed& feed() const { return feed_; }

 private:
  std::int32_t host_of(std::int32_t task) const { return placement_[static_cast<std::size_t>(task)]; }
  double part() const {
    return feed_.total() > 0 ? static_cast<double>(feed_.delivered()) / static_cast<double>(feed_.total())
                             : 1;
  }

  const Traffic& traffic_;
  const fabric::Placement& placement_;
  const PacketOptions& options_;
  PacketResult& result_;
  const Background no_background_;
  Feed feed_;
  std::vector<std::int32_t> task_of_host_;
  std::vector<bool> leaving_;  // by task: whether one of its packets is leaving
  std::vector<std::int32_t> hosts_;
  Wheel<std::int32_t> complete_;  // messages
  std::int64_t pending_ = 0, begun_ = 0;
};

}  // namespace sortlast::simulate
