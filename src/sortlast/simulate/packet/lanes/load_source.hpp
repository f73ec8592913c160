// Open loop: packets generated at random times, for the lane engine, and statistics of the measured ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/random.hpp"
#include "sortlast/simulate/lanes.hpp"
#include "sortlast/simulate/packet/lanes/queues.hpp"
#include "sortlast/simulate/packet/random.hpp"

namespace sortlast::simulate {

class LoadSource {
 public:
  // All arguments must outlive this object. `group`: hosts per group, for next_group.
  LoadSource(std::int32_t hosts, std::int32_t group, const LoadOptions& load, const PacketOptions& options,
             LoadResult& result)
      : total_(hosts),
        group_(group),
        load_(load),
        options_(options),
        begins_(load.load / options.packet_phits),
        random_(options.seed, stream_of_loads),
        result_(result),
        queues_(static_cast<std::size_t>(hosts)),
        leaving_(queues_.size()) {
    if (begins_ <= 0) return;
    for (std::int32_t h = 0; h < hosts; ++h) next_.emplace(draw_wait(random_, begins_) - 1, h);
  }

  void begin(std::int32_t now) {
    while (!next_.empty() && next_.top().first <= now) {
      const std::int32_t host = next_.top().second;
      next_.pop();
      add(host, now);
      next_.emplace(now + draw_wait(random_, begins_), host);
    }
    const double part = static_cast<double>(now) / static_cast<double>(end() + load_.drain);
    if (options_.progress && now % 1024 == 0 && !options_.progress(part)) throw Error("cancelled");
  }

  std::vector<std::int32_t>& hosts() { return hosts_; }

  LanePacket take(std::int32_t host) {
    auto& queue = queues_[static_cast<std::size_t>(host)];
    LanePacket packet;
    packet.entered = queue.front().first;
    packet.destination = queue.front().second;
    queue.pop_front();
    leaving_[static_cast<std::size_t>(host)] = true;
    return packet;
  }

  void left(std::int32_t host, std::int32_t /*now*/) {
    leaving_[static_cast<std::size_t>(host)] = false;
    if (!queues_[static_cast<std::size_t>(host)].empty()) hosts_.push_back(host);
  }

  void arrives(const LanePacket& packet, std::int32_t now) {
    if (counts(now)) ++accepted_;
    if (counts(packet.entered)) result_.delay.add(now - packet.entered);
  }

  bool over(std::int32_t now) const {
    return now >= end() && (result_.delay.count() == result_.begun || now >= end() + load_.drain);
  }
  std::int64_t next(std::int32_t now) const {
    return next_.empty() ? end() : std::min(end(), std::max(std::int64_t{now} + 1, next_.top().first));
  }
  std::string waits() const { return "hosts wait for room"; }

  std::int64_t accepted() const { return accepted_; }  // packets that arrived in the measured cycles

 private:
  std::int64_t end() const { return std::int64_t{load_.warm_up} + load_.measured; }
  bool counts(std::int32_t cycle) const { return cycle >= load_.warm_up && cycle < end(); }

  void add(std::int32_t host, std::int32_t now) {
    auto& queue = queues_[static_cast<std::size_t>(host)];
    if (queue.empty() && !leaving_[static_cast<std::size_t>(host)]) hosts_.push_back(host);
    queue.emplace_back(now, draw(host));
    if (counts(now)) ++result_.begun;
  }

  std::int32_t draw(std::int32_t host) {
    if (load_.traffic == LoadTraffic::next_group) {
      const std::int32_t first = (host / group_ + 1) * group_ % total_;
      return first + static_cast<std::int32_t>(random_.below(static_cast<std::size_t>(group_)));
    }
    const auto other = static_cast<std::int32_t>(random_.below(static_cast<std::size_t>(total_ - 1)));
    return other < host ? other : other + 1;
  }

  const std::int32_t total_, group_;
  const LoadOptions& load_;
  const PacketOptions& options_;
  const double begins_;  // probability that a host generates a packet in a cycle
  SplitMix64 random_;
  LoadResult& result_;
  std::vector<std::deque<std::pair<std::int32_t, std::int32_t>>> queues_;  // by host: cycle, destination
  std::vector<bool> leaving_;
  std::vector<std::int32_t> hosts_;
  using Begin = std::pair<std::int64_t, std::int32_t>;
  std::priority_queue<Begin, std::vector<Begin>, std::greater<>> next_;  // cycle, host
  std::int64_t accepted_ = 0;
};

}  // namespace sortlast::simulate
