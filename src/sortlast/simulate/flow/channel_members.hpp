// Channel members: which flows cross which channel, while flows start and end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::simulate {

// Blocks of entries in one growing array. Returned blocks are reused for the same length.
template <class Entry>
class Blocks {
 public:
  // `kind`: a small number for the length, by which blocks of this length are found.
  std::int32_t take(std::size_t kind, std::size_t length) {
    if (kind < free_.size() && !free_[kind].empty()) {
      const std::int32_t first = free_[kind].back();
      free_[kind].pop_back();
      return first;
    }
    if (entries_.size() + length > static_cast<std::size_t>(INT32_MAX)) {
      throw Error("the paths of the flows that are under way at once have too many channels");
    }
    entries_.resize(entries_.size() + length);
    return static_cast<std::int32_t>(entries_.size() - length);
  }
  void give_back(std::size_t kind, std::int32_t first) {
    if (kind >= free_.size()) free_.resize(kind + 1);
    free_[kind].push_back(first);
  }

  std::size_t size() const { return entries_.size(); }
  const Entry* data() const { return entries_.data(); }
  Entry& operator[](std::int32_t at) { return entries_[static_cast<std::size_t>(at)]; }

  std::int64_t bytes() const {
    std::size_t sum = entries_.capacity() * sizeof(Entry);
    for (const auto& firsts : free_) sum += firsts.capacity() * sizeof(std::int32_t);
    return static_cast<std::int64_t>(sum);
  }

 private:
  std::vector<Entry> entries_;
  std::vector<std::vector<std::int32_t>> free_;  // by kind: first entries
};

// Which flows cross which channel, in both directions, while flows start and end. Paths and the flows of a
// channel are read far more often than changed, and are therefore contiguous. Memory: 8 bytes per flow and
// channel of its path (16 once a flow has been split); 12 bytes per channel, and 8 for each flow that it had
// at once, in room that doubles, so up to 32. Flows are small numbers chosen by the caller.
class ChannelMembers {
 public:
  // A channel of a path, and the position of the flow among the flows of the channel.
  struct Entry {
    fabric::Channel channel = 0;
    std::int32_t place = 0;
  };
  // A flow of a channel, and the index of the channel's entry in the path of the flow.
  struct Member {
    std::int32_t flow = 0;
    std::int32_t entry = 0;
  };

  explicit ChannelMembers(fabric::Channel channels) : channels_(static_cast<std::size_t>(channels)) {}

  // The path must not be empty or contain a channel twice, and the flow must not have been added. `shares`:
  // the part of the flow that crosses each channel of the path; empty: all of it.
  void add(std::int32_t flow, std::span<const fabric::Channel> path, std::span<const double> shares = {});
  void remove(std::int32_t flow);

  std::span<const Entry> path(std::int32_t flow) const {
    const Block& block = paths_[static_cast<std::size_t>(flow)];
    return {entries_.data() + block.first, static_cast<std::size_t>(block.length)};
  }
  // In any order.
  std::span<const Member> members(fabric::Channel c) const {
    const Room& room = channels_[static_cast<std::size_t>(c)];
    return {members_.data() + room.first, static_cast<std::size_t>(room.count)};
  }
  // Prefetches the flows of a channel, or a flow's path.
  void fetch(fabric::Channel c) const {
    __builtin_prefetch(members_.data() + channels_[static_cast<std::size_t>(c)].first);
  }
  void fetch(const Member& member) const { __builtin_prefetch(entries_.data() + member.entry); }
  // Whether any flow has been split.
  bool split() const { return !shares_.empty(); }
  // The part of the flow that crosses the channel of an entry.
  double share(const Entry& entry) const {
    return split() ? shares_[static_cast<std::size_t>(&entry - entries_.data())] : 1;
  }
  // Sum of the parts of flows that cross a channel.
  double shares_on(fabric::Channel c) const;
  std::int32_t count(fabric::Channel c) const { return channels_[static_cast<std::size_t>(c)].count; }

  std::int64_t bytes() const;

 private:
  struct Block {
    std::int32_t first = 0, length = 0;
  };
  // Room for 2^(kind - 1) flows; kind 0: for none.
  struct Room {
    std::int32_t first = 0, count = 0, kind = 0;
  };
  void grow(Room& room);

  std::vector<Room> channels_;
  std::vector<Block> paths_;    // by flow
  Blocks<Entry> entries_;       // by length
  Blocks<Member> members_;      // by kind of room
  std::vector<double> shares_;  // by entry; empty: all are 1
};

inline void ChannelMembers::add(std::int32_t flow, std::span<const fabric::Channel> path,
                                std::span<const double> shares) {
  const auto at = static_cast<std::size_t>(flow);
  if (at >= paths_.size()) paths_.resize(at + 1);
  std::int32_t e = entries_.take(path.size(), path.size());
  if (split() || !shares.empty()) {
    shares_.resize(entries_.size(), 1);
    for (std::size_t i = 0; i < path.size(); ++i) {
      shares_[static_cast<std::size_t>(e) + i] = shares.empty() ? 1 : shares[i];
    }
  }
  paths_[at] = {e, static_cast<std::int32_t>(path.size())};
  for (const fabric::Channel c : path) {
    Room& room = channels_[static_cast<std::size_t>(c)];
    if (room.kind == 0 || room.count == 1 << (room.kind - 1)) grow(room);
    entries_[e] = {c, room.count};
    members_[room.first + room.count++] = {flow, e++};
  }
}

inline void ChannelMembers::grow(Room& room) {
  const std::int32_t first =
      members_.take(static_cast<std::size_t>(room.kind) + 1, std::size_t{1} << room.kind);
  for (std::int32_t i = 0; i < room.count; ++i) members_[first + i] = members_[room.first + i];
  if (room.kind > 0) members_.give_back(static_cast<std::size_t>(room.kind), room.first);
  room.first = first;
  ++room.kind;
}

// The last flow of each channel takes the place of the removed one.
inline void ChannelMembers::remove(std::int32_t flow) {
  for (const Entry& entry : path(flow)) {
    Room& room = channels_[static_cast<std::size_t>(entry.channel)];
    const Member last = members_[room.first + --room.count];
    members_[room.first + entry.place] = last;
    entries_[last.entry].place = entry.place;
  }
  const Block block = paths_[static_cast<std::size_t>(flow)];
  entries_.give_back(static_cast<std::size_t>(block.length), block.first);
}

inline double ChannelMembers::shares_on(fabric::Channel c) const {
  if (!split()) return count(c);
  double sum = 0;
  for (const Member& member : members(c)) sum += shares_[static_cast<std::size_t>(member.entry)];
  return sum;
}

inline std::int64_t ChannelMembers::bytes() const {
  return entries_.bytes() + members_.bytes() +
         static_cast<std::int64_t>(channels_.capacity() * sizeof(Room) + paths_.capacity() * sizeof(Block) +
                                   shares_.capacity() * sizeof(double));
}

}  // namespace sortlast::simulate
