// Nodes: the ranks of each node of a setting, and the runs of depth positions that they hold together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/schedule.hpp"

namespace sortlast {

// A depth run is a maximal range of consecutive depth positions on one node; its ranks can merge it among
// themselves. For operators that commute, depth positions are renumbered node by node in ring order, so that
// every node is one run.
class Nodes {
 public:
  // The setting must have passed check_setting(). Costs O(p).
  explicit Nodes(const Setting& setting);

  std::int32_t count() const { return static_cast<std::int32_t>(ring_.size()); }
  std::int32_t smallest() const { return smallest_; }  // ranks of the smallest node

  // Nodes sorted by their first depth position, and by their first place in the ring.
  const std::vector<std::int32_t>& order() const { return order_; }
  const std::vector<std::int32_t>& ring() const { return ring_; }

  std::int32_t node(std::int32_t rank) const { return node_[static_cast<std::size_t>(rank)]; }
  // A node's ranks in ring order, and a rank's place among them.
  std::span<const std::int32_t> members(std::int32_t node) const;
  std::int32_t place(std::int32_t rank) const { return place_[static_cast<std::size_t>(rank)]; }

  std::int64_t position(std::int32_t rank) const;  // depth position
  std::int32_t rank_at(std::int64_t position) const;

  // A node's depth runs, front to back.
  std::span<const Range> runs(std::int32_t node) const;
  // The depth runs of several nodes together, at places [begin, end) of order(). If operators commute, places
  // and positions are counted modulo their number.
  std::vector<Range> runs(Range places) const;

 private:
  void list_members(const Setting& setting);
  void number_positions(const Setting& setting);
  void find_runs();

  bool commutes_;
  std::int32_t smallest_ = 0;
  std::vector<std::int32_t> node_;   // rank -> node
  std::vector<std::int32_t> place_;  // rank -> place in its node
  std::vector<std::int32_t> order_;
  std::vector<std::int32_t> ring_;
  std::vector<std::int32_t> members_;      // node by node
  std::vector<std::size_t> first_member_;  // node -> index into members_, and one past the end
  std::vector<std::int32_t> position_;     // rank -> depth position; empty: identity
  std::vector<std::int32_t> rank_at_;      // depth position -> rank; empty: identity
  std::vector<Range> runs_;                // node by node
  std::vector<std::size_t> first_run_;     // node -> index into runs_, and one past the end
};

// Transfers of a rank that need no message, by index in the program's lists: they give a rank the own image
// of another rank on its node, which it can read in place.
struct SparedTransfers {
  std::vector<bool> sends;
  std::vector<bool> receives;
};
SparedTransfers spared_transfers(const Program& program, const Setting& setting);

}  // namespace sortlast
