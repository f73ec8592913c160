// Paths for analysis: the channels from host to host, found fast and kept in rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {

// The channels of paths, one row a path, each row with room for the longest so far: 4 bytes a channel.
class PathRows {
 public:
  void resize(std::size_t rows);
  std::size_t rows() const { return lengths_.size(); }
  std::span<const Channel> row(std::size_t r) const {
    return {cells_.data() + r * stride_, static_cast<std::size_t>(lengths_[r])};
  }
  void clear(std::size_t r) { lengths_[r] = 0; }
  void append(std::size_t r, Channel c) {
    if (static_cast<std::size_t>(lengths_[r]) == stride_) widen();
    cells_[r * stride_ + static_cast<std::size_t>(lengths_[r]++)] = c;
  }

 private:
  void widen();

  std::size_t stride_ = 4;
  std::vector<Channel> cells_;
  std::vector<std::int32_t> lengths_;
};

// walk() without its cost. May be used by several threads at once.
class PathWalker {
 public:
  explicit PathWalker(const Routes& routes);

  // Fills row r with the channels between the switch of `source` and the switch of `destination`: not the
  // hosts' own. Two hosts of one switch have none. Throws what walk() throws.
  void walk_inner(std::int32_t source, std::int32_t destination, PathRows& rows, std::size_t r) const;
  // The same with the first channel, which leaves `source`, and the last, which enters `destination`; none
  // if they are the same host.
  void walk_whole(std::int32_t source, std::int32_t destination, PathRows& rows, std::size_t r) const;

  // Whether hosts of one switch have the same inner path to any destination.
  bool by_switch() const { return planes_ == 1; }
  const Topology& topology() const { return *routes_.topology; }
  std::int32_t switch_of_host(std::int32_t h) const { return switch_of_host_[static_cast<std::size_t>(h)]; }
  Channel ejection(std::int32_t h) const { return ejection_[static_cast<std::size_t>(h)]; }

 private:
  void walk_on(std::int32_t source, std::int32_t destination, PathRows& rows, std::size_t r) const;

  Routes routes_;
  const Forwarding& forwarding_;
  std::int32_t planes_;
  std::vector<std::int32_t> switch_of_host_;  // by host
  std::vector<Channel> ejection_;             // by host: the channel from its switch to it
  std::vector<Channel> first_channel_;        // by switch: of its port 1; one more at the end
  std::vector<std::int32_t> next_switch_;     // by channel: the switch it leads to; -1: none
};

}  // namespace sortlast::fabric
