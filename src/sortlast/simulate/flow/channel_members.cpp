#include "sortlast/simulate/flow/channel_members.hpp"

#include "sortlast/error.hpp"

namespace sortlast::simulate {

std::int32_t ChannelMembers::take_block(std::size_t length) {
  if (length < free_.size() && !free_[length].empty()) {
    const std::int32_t first = free_[length].back();
    free_[length].pop_back();
    return first;
  }
  if (entries_.size() + length > static_cast<std::size_t>(INT32_MAX)) {
    throw Error("the paths of the flows that are under way at once have more than 2^31 channels");
  }
  entries_.resize(entries_.size() + length);
  return static_cast<std::int32_t>(entries_.size() - length);
}

void ChannelMembers::add(std::int32_t flow, std::span<const fabric::Channel> path) {
  const auto at = static_cast<std::size_t>(flow);
  if (at >= blocks_.size()) blocks_.resize(at + 1);
  std::int32_t e = take_block(path.size());
  blocks_[at] = {e, static_cast<std::int32_t>(path.size())};
  for (const fabric::Channel c : path) {
    std::int32_t& head = head_[static_cast<std::size_t>(c)];
    entries_[static_cast<std::size_t>(e)] = {c, flow, head, -1};
    if (head >= 0) entries_[static_cast<std::size_t>(head)].previous = e;
    head = e++;
    ++count_[static_cast<std::size_t>(c)];
  }
}

void ChannelMembers::remove(std::int32_t flow) {
  const Block block = blocks_[static_cast<std::size_t>(flow)];
  for (const Entry& entry : path(flow)) {
    const auto c = static_cast<std::size_t>(entry.channel);
    if (entry.next >= 0) entries_[static_cast<std::size_t>(entry.next)].previous = entry.previous;
    if (entry.previous >= 0) {
      entries_[static_cast<std::size_t>(entry.previous)].next = entry.next;
    } else {
      head_[c] = entry.next;
    }
    --count_[c];
  }
  const auto length = static_cast<std::size_t>(block.length);
  if (length >= free_.size()) free_.resize(length + 1);
  free_[length].push_back(block.first);
}

std::int64_t ChannelMembers::bytes() const {
  std::size_t sum = (head_.capacity() + count_.capacity()) * sizeof(std::int32_t) +
                    blocks_.capacity() * sizeof(Block) + entries_.capacity() * sizeof(Entry);
  for (const auto& blocks : free_) sum += blocks.capacity() * sizeof(std::int32_t);
  return static_cast<std::int64_t>(sum);
}

}  // namespace sortlast::simulate
