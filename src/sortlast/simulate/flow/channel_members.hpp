// Channel members: which flows cross which channel, both ways round, while flows come and go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::simulate {

// 16 bytes a channel of a path, and 8 a channel and a flow. Flows are small numbers that the caller gives.
class ChannelMembers {
 public:
  // A flow on a channel, in the list of that channel's flows.
  struct Entry {
    fabric::Channel channel = 0;
    std::int32_t flow = 0;
    std::int32_t next = -1, previous = -1;
  };

  explicit ChannelMembers(fabric::Channel channels)
      : head_(static_cast<std::size_t>(channels), -1), count_(head_.size(), 0) {}

  // The path must not be empty, nor have a channel twice; the flow must not be there.
  void add(std::int32_t flow, std::span<const fabric::Channel> path);
  void remove(std::int32_t flow);

  std::span<const Entry> path(std::int32_t flow) const {
    const Block& block = blocks_[static_cast<std::size_t>(flow)];
    return {entries_.data() + block.first, static_cast<std::size_t>(block.length)};
  }
  std::int32_t count(fabric::Channel c) const { return count_[static_cast<std::size_t>(c)]; }

  template <class Visit>
  void for_each(fabric::Channel c, const Visit& visit) const {
    for (std::int32_t e = head_[static_cast<std::size_t>(c)]; e >= 0;) {
      const Entry& entry = entries_[static_cast<std::size_t>(e)];
      visit(entry.flow);
      e = entry.next;
    }
  }

  std::int64_t bytes() const;

 private:
  // The entries of a flow follow each other. Those of a flow that has left wait for one as long.
  struct Block {
    std::int32_t first = 0, length = 0;
  };
  std::int32_t take_block(std::size_t length);

  std::vector<std::int32_t> head_, count_;  // by channel
  std::vector<Block> blocks_;               // by flow
  std::vector<Entry> entries_;
  std::vector<std::vector<std::int32_t>> free_;  // by length: first entries
};

}  // namespace sortlast::simulate
