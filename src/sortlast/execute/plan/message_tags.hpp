// Message tags: by which the messages of one transfer are told from those of others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sortlast {

// Of all sends of a rank, or of all its receives. Between two ranks each transfer has a tag, and both ends
// count them in the same order; tags that come round again are those of transfers that ended long before.
//
// A rank may send before it is known that all ranks passed the same arguments. So that no message is taken
// for one of another frame, tags depend on a hash of the arguments too. With few transfers between two ranks
// those of two hashes are the same once in about as many as there are tags: 10^8 with MPICH and Open MPI.
class MessageTags {
 public:
  // Of `steps`, each with a `peer`, of which a rank may have as many as there are ranks. Tags are
  // 0..tag_limit.
  template <typename Step>
  MessageTags(const std::vector<Step>& steps, std::int32_t tag_limit) : room_(std::int64_t{tag_limit} + 1) {
    std::unordered_map<std::int32_t, std::int32_t> counts;
    numbers_.reserve(steps.size());
    for (const Step& step : steps) {
      std::int32_t& count = counts[step.peer];
      numbers_.push_back(static_cast<std::int32_t>(count % room_));
      ++count;
    }
    for (const auto& [peer, count] : counts)
      if (count > 1) several_[peer] = std::min<std::int64_t>(count, room_);
  }

  // Of steps[step] among those with its peer.
  std::uint32_t number(std::size_t step) const { return static_cast<std::uint32_t>(numbers_[step]); }
  // Of the transfer steps[step], whose peer it is, in a frame of arguments with this hash.
  int tag(std::size_t step, std::int32_t peer, std::uint64_t hash) const {
    const auto several = several_.find(peer);
    const std::int64_t count = several == several_.end() ? 1 : several->second;
    const auto ways = static_cast<std::uint64_t>(room_ / count);
    return static_cast<int>(numbers_[step] + count * static_cast<std::int64_t>(hash % ways));
  }

 private:
  std::int64_t room_;
  std::vector<std::int32_t> numbers_;                       // of each step among those with its peer
  std::unordered_map<std::int32_t, std::int64_t> several_;  // with those peers that have more than one
};

}  // namespace sortlast
