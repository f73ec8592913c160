// Matches: messages that one end of a transfer has numbered, found by the other end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

class Matches {
 public:
  // A message of the next rank, for a transfer with `other`. Ranks follow each other, and the transfers of a
  // rank in their order.
  void add(std::int32_t other, Traffic::Message message) { added_.emplace_back(other, message); }

  // Sort them by the other end, of p ranks.
  void sort(std::int32_t p) {
    first_.assign(static_cast<std::size_t>(p) + 1, 0);
    for (const auto& [rank, message] : added_) ++first_[static_cast<std::size_t>(rank) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    messages_.resize(added_.size());
    std::vector<std::size_t> at(first_.begin(), first_.end() - 1);
    for (const auto& [rank, message] : added_) messages_[at[static_cast<std::size_t>(rank)]++] = message;
    added_ = {};
  }

  // The messages for the transfers of a rank, each of which has a `peer`: both ends of a pair list the
  // transfers between them in the same order. Throws Error if there are more or fewer.
  template <class Transfer>
  std::vector<Traffic::Message> of(std::int32_t rank, const std::vector<Transfer>& transfers) const {
    const std::size_t begin = first_[static_cast<std::size_t>(rank)];
    if (first_[static_cast<std::size_t>(rank) + 1] - begin != transfers.size()) {
      throw Error("rank " + std::to_string(rank) + " has " + std::to_string(transfers.size()) +
                  " transfers, and their other ends " +
                  std::to_string(first_[static_cast<std::size_t>(rank) + 1] - begin));
    }
    std::vector<std::size_t> by_peer(transfers.size());
    std::iota(by_peer.begin(), by_peer.end(), std::size_t{0});
    std::stable_sort(by_peer.begin(), by_peer.end(),
                     [&](std::size_t a, std::size_t b) { return transfers[a].peer < transfers[b].peer; });
    std::vector<Traffic::Message> found(transfers.size());
    for (std::size_t i = 0; i < by_peer.size(); ++i) found[by_peer[i]] = messages_[begin + i];
    return found;
  }

 private:
  std::vector<std::pair<std::int32_t, Traffic::Message>> added_;
  std::vector<std::size_t> first_;  // by rank
  std::vector<Traffic::Message> messages_;
};

}  // namespace sortlast::simulate
