#include "sortlast/fabric/contention/channel_loads.hpp"

#include <numeric>

namespace sortlast::fabric {

namespace {

using Counts = std::vector<std::int64_t>;

void add_counts(Counts& sum, std::span<const std::int64_t> more) {
  if (sum.size() < more.size()) sum.resize(more.size(), 0);
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

// Mean of 1 / m over flows; 1 if there are none.
double mean_of(std::span<const std::int64_t> flows_by_fullest) {
  std::int64_t flows = 0;
  double sum = 0;
  for (std::size_t m = 1; m < flows_by_fullest.size(); ++m) {
    flows += flows_by_fullest[m];
    sum += static_cast<double>(flows_by_fullest[m]) / static_cast<double>(m);
  }
  return flows == 0 ? 1 : sum / static_cast<double>(flows);
}

}  // namespace

double Tally::end_stage(std::span<const std::int64_t> channels_by_load,
                        std::span<const std::int64_t> flows_by_fullest) {
  add_counts(uses_, channels_by_load);
  add_counts(flows_by_fullest_, flows_by_fullest);
  return mean_of(flows_by_fullest);
}

void Tally::add_uses(std::size_t f, std::int64_t times) {
  if (uses_.size() <= f) uses_.resize(f + 1, 0);
  uses_[f] += times;
}

void Tally::merge(const Tally& other) {
  add_counts(uses_, other.uses_);
  add_counts(flows_by_fullest_, other.flows_by_fullest_);
}

std::int64_t Tally::flows() const {
  return std::accumulate(flows_by_fullest_.begin(), flows_by_fullest_.end(), std::int64_t{0});
}

double Tally::mean_share() const { return mean_of(flows_by_fullest_); }

std::vector<std::int64_t> Tally::histogram() const {
  Counts result = uses_;
  if (result.empty()) result.push_back(0);
  result[0] = 0;  // channels that are not used are not counted
  while (result.size() > 1 && result.back() == 0) result.pop_back();
  return result;
}

}  // namespace sortlast::fabric
