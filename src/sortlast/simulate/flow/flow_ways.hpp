// Flow ways: the channels that a flow between two hosts crosses, and the share of it that each of them
// carries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "sortlast/fabric/contention/stages.hpp"
#include "sortlast/simulate/flow.hpp"

namespace sortlast::simulate {

class FlowWays {
 public:
  // Without host_links the first and the last channel are left out. `ways` must outlive this object.
  FlowWays(const Ways& ways, bool host_links) : ways_(ways), host_links_(host_links) {
    if (const auto* routes = std::get_if<fabric::Routes>(&ways)) walker_.emplace(*routes);
    path_.resize(1);
  }

  // Finds the paths between two hosts, which channels() and shares() return until the next call.
  void find(std::int32_t from, std::int32_t to) {
    if (walker_) {
      host_links_ ? walker_->walk_whole(from, to, path_, 0) : walker_->walk_inner(from, to, path_, 0);
      return;
    }
    channels_.clear();
    shares_.clear();
    const auto all = fabric::even_shares(std::get<fabric::Spreading>(ways_), from, to);
    for (std::size_t i = host_links_ ? 0 : 1; i + (host_links_ ? 0 : 1) < all.size(); ++i) {
      channels_.push_back(all[i].channel);
      shares_.push_back(all[i].share);
    }
  }

  std::span<const fabric::Channel> channels() const {
    return walker_ ? path_.row(0) : std::span<const fabric::Channel>(channels_);
  }
  // Share of each channel; empty: all carry the whole flow.
  std::span<const double> shares() const { return shares_; }

 private:
  const Ways& ways_;
  bool host_links_;
  std::optional<fabric::PathWalker> walker_;
  fabric::PathRows path_;
  std::vector<fabric::Channel> channels_;
  std::vector<double> shares_;
};

}  // namespace sortlast::simulate
