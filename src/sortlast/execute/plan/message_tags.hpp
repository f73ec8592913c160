// Message tags: one per transfer between two ranks, so that messages are not confused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sortlast {

// The tags of all sends of a rank, or of all its receives. Each transfer between two ranks has a tag, and
// both ends count the transfers in the same order. Tags that wrap around were last used by transfers that
// ended long ago.
//
// A rank may send before all ranks are known to have passed the same arguments. Tags therefore also depend on
// a hash of the arguments, so that no message is mistaken for one of another frame. With few transfers
// between two ranks, the tags of two hashes collide about once in as many cases as there are tags: 10^8 with
// MPICH and Open MPI.
class MessageTags {
 public:
  // For `steps`, each with a `peer`; a rank may have as many steps as there are ranks. Tags are 0..tag_limit.
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

  // Number of steps[step] among the steps with the same peer.
  std::uint32_t number(std::size_t step) const { return static_cast<std::uint32_t>(numbers_[step]); }
  // Tag of the transfer steps[step] with `peer`, in a frame of arguments with this hash.
  int tag(std::size_t step, std::int32_t peer, std::uint64_t hash) const {
    const auto several = several_.find(peer);
    const std::int64_t count = several == several_.end() ? 1 : several->second;
    const auto ways = static_cast<std::uint64_t>(room_ / count);
    return static_cast<int>(numbers_[step] + count * static_cast<std::int64_t>(hash % ways));
  }

 private:
  std::int64_t room_;
  std::vector<std::int32_t> numbers_;                       // of each step among the steps with the same peer
  std::unordered_map<std::int32_t, std::int64_t> several_;  // number of steps, for peers with more than one
};

}  // namespace sortlast
