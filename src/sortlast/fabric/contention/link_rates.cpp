#include "sortlast/fabric/contention/link_rates.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/loads.hpp"
#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {

namespace {

[[noreturn]] void refuse() {
  throw ArgumentError(
      "a pattern whose bytes, times the flows that share their links, are more than 2^63 - 1; make its "
      "messages shorter");
}

}  // namespace

LinkRates::LinkRates(const Topology& topology, double link_bytes_per_second)
    : fastest_(link_bytes_per_second) {
  if (!(link_bytes_per_second >= 0)) {
    throw ArgumentError("a link of " + std::to_string(link_bytes_per_second) +
                        " bytes per second; expected more than 0, or 0 for the topology's own rates");
  }
  if (link_bytes_per_second > 0) return;
  for (Channel c = 0; c < topology.channels(); ++c) {
    if (!topology.target(c).connected()) continue;
    if (!(topology.gbps(c) > 0)) {
      std::string link = describe_channels(topology, {c});
      link.erase(link.find_last_not_of('\n') + 1);
      throw ArgumentError("the rate of " + link + " is not known; give that of a link in bytes per second");
    }
    fastest_ = std::max(fastest_, data_rate(topology.gbps(c)));
  }
  slower_.resize(static_cast<std::size_t>(topology.channels()), 1);
  bool alike = true;
  for (Channel c = 0; c < topology.channels(); ++c) {
    if (!topology.target(c).connected()) continue;
    slower_[static_cast<std::size_t>(c)] = fastest_ / data_rate(topology.gbps(c));
    alike = alike && slower_[static_cast<std::size_t>(c)] == 1;
  }
  if (alike) slower_.clear();
}

std::int64_t LinkRates::shared(std::span<const Channel> path, const std::vector<std::int32_t>& loads,
                               std::int64_t bytes) const {
  std::int32_t most = 0;
  double slowest = 0;
  for (const Channel c : path) {
    const std::int32_t load = loads[static_cast<std::size_t>(c)];
    most = std::max(most, load);
    if (!slower_.empty()) slowest = std::max(slowest, load * slower_[static_cast<std::size_t>(c)]);
  }
  if (slower_.empty()) return times(bytes, most);
  const double shared = static_cast<double>(bytes) * slowest;
  if (!(shared < 0x1p62)) refuse();
  return std::llround(shared);
}

Channel LinkRates::limiting(std::span<const Channel> path, const std::vector<std::int32_t>& loads) const {
  Channel limiting = -1;
  double slowest = 0;
  for (const Channel c : path) {
    const double time = loads[static_cast<std::size_t>(c)] * slower(c);
    if (time <= slowest) continue;
    slowest = time;
    limiting = c;
  }
  return limiting;
}

std::int64_t LinkRates::times(std::int64_t bytes, std::int64_t factor) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(bytes, factor, &product)) refuse();
  return product;
}

std::int64_t LinkRates::plus(std::int64_t bytes, std::int64_t more) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(bytes, more, &sum)) refuse();
  return sum;
}

}  // namespace sortlast::fabric
