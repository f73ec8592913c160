// Paths for analysis: the channels from host to host, found fast, kept in rows, or all held at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sortlast/fabric/contention.hpp"
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

class PathCache {
 public:
  // Nothing if the paths depend on more than the source's switch, or need more than `most_bytes`. Uses
  // options.threads threads. Throws what walk() throws.
  static std::optional<PathCache> make(const PathWalker& walker, const Placement& placement,
                                       std::int64_t most_bytes, const AnalysisOptions& options);

  static constexpr Channel end = -1;  // after the last channel of a path

  // Channels of the longest path.
  std::size_t stride() const { return stride_; }
  // Paths from participant i's switch to participants 0, 1, ...: `stride` channels each, `end` after the
  // last. Undefined for dummies.
  const Channel* from(std::int32_t i) const {
    return cells_.data() +
           static_cast<std::size_t>(place_[static_cast<std::size_t>(i)]) * place_.size() * stride_;
  }

 private:
  // Fills the paths from place `place`, which the participant `source` has; false: one is too long.
  bool fill(const PathWalker& walker, const Placement& placement, std::int32_t source, std::int32_t place);
  bool fill_all(const PathWalker& walker, const Placement& placement,
                const std::vector<std::int32_t>& sources, const AnalysisOptions& options);

  std::size_t stride_ = 1;
  std::vector<std::int32_t> place_;  // by participant: its switch among those that have any; -1: dummy
  std::vector<Channel> cells_;
};

}  // namespace sortlast::fabric
