// Link rates: the time of a message on links of one rate or of several.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// The fastest rate, and the factor by which each other link is slower.
class LinkRates {
 public:
  // One rate for all links or, if it is 0, the topology's own. Throws ArgumentError for a negative rate, and
  // if a link's rate is unknown.
  LinkRates(const Topology& topology, double link_bytes_per_second);

  double fastest() const { return fastest_; }
  // Factor by which a channel is slower than the fastest, 1 or more.
  double slower(Channel c) const { return slower_.empty() ? 1 : slower_[static_cast<std::size_t>(c)]; }

  // Bytes of a message that takes as long alone on the fastest link. `loads`: flows, by channel.
  std::int64_t shared(std::span<const Channel> path, const std::vector<std::int32_t>& loads,
                      std::int64_t bytes) const;
  // The channel of a path on which its messages take longest; -1: the path has none.
  Channel limiting(std::span<const Channel> path, const std::vector<std::int32_t>& loads) const;

  // Throw ArgumentError if the result is more than 2^63 - 1.
  static std::int64_t times(std::int64_t bytes, std::int64_t factor);
  static std::int64_t plus(std::int64_t bytes, std::int64_t more);

 private:
  double fastest_ = 0;
  std::vector<double> slower_;  // by channel; empty: all have the same rate
};

}  // namespace sortlast::fabric
