// Loads of the channels at one stage, and what is summed of them over stages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// Flows on every channel now, with the number of channels by load, so that neither the fullest load nor the
// histogram needs a pass over the channels.
class ChannelLoads {
 public:
  explicit ChannelLoads(Channel channels)
      : load_(static_cast<std::size_t>(channels), 0),
        most_(static_cast<std::size_t>(channels), 0),
        now_(2, 0) {}

  void add(std::span<const Channel> path) {
    for (const Channel c : path) {
      const std::int32_t f = ++load_[static_cast<std::size_t>(c)];
      std::int32_t& most = most_[static_cast<std::size_t>(c)];
      most = std::max(most, f);
      if (f > top_) raise_top(f);
      --now_[static_cast<std::size_t>(f) - 1];
      ++now_[static_cast<std::size_t>(f)];
    }
  }

  void remove(std::span<const Channel> path) {
    for (const Channel c : path) {
      const std::int32_t f = load_[static_cast<std::size_t>(c)]--;
      --now_[static_cast<std::size_t>(f)];
      ++now_[static_cast<std::size_t>(f) - 1];
    }
  }

  void clear() {
    std::fill(load_.begin(), load_.end(), 0);
    std::fill(now_.begin(), now_.end(), 0);
    top_ = 0;
  }

  // Most flows on a channel now.
  std::int32_t top() {
    while (top_ > 0 && now_[static_cast<std::size_t>(top_)] == 0) --top_;
    return top_;
  }

  // Most flows on a channel of a path, which must have been added; 0 if it has no channels.
  std::int32_t fullest(std::span<const Channel> path) const {
    std::int32_t most = 0;
    for (const Channel c : path) most = std::max(most, load_[static_cast<std::size_t>(c)]);
    return most;
  }

  // [f]: channels that carry f flows now, f from 1; element 0 means nothing.
  std::span<const std::int64_t> channels_by_load() const { return now_; }
  const std::vector<std::int32_t>& loads() const { return load_; }
  // By channel: most flows since this was made.
  const std::vector<std::int32_t>& most() const { return most_; }

 private:
  void raise_top(std::int32_t f) {
    top_ = f;
    if (static_cast<std::size_t>(f) >= now_.size()) now_.resize(2 * static_cast<std::size_t>(f), 0);
  }

  std::vector<std::int32_t> load_;
  std::vector<std::int32_t> most_;
  std::vector<std::int64_t> now_;
  std::int32_t top_ = 0;  // no channel has more
};

// Sums over stages, kept in whole numbers: whoever adds the parts in whichever order gets the same figures.
class Tally {
 public:
  // Ends a stage: `flows_by_fullest[m]` flows have m flows on the fullest channel of their path. Returns
  // their mean share.
  double end_stage(std::span<const std::int64_t> channels_by_load,
                   std::span<const std::int64_t> flows_by_fullest);
  // `times` more uses of a channel by f flows.
  void add_uses(std::size_t f, std::int64_t times);
  void merge(const Tally& other);

  std::int64_t flows() const;
  double mean_share() const;
  // [f]: uses of a channel by f flows; no zeros at its end, and at least [0], which is 0.
  std::vector<std::int64_t> histogram() const;

 private:
  std::vector<std::int64_t> uses_;
  std::vector<std::int64_t> flows_by_fullest_;
};

}  // namespace sortlast::fabric
