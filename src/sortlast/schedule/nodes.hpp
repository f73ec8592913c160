// Nodes: the ranks of each node of a setting, and the runs of depth positions that they hold together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/schedule.hpp"

namespace sortlast {

// A depth run is a maximal range of consecutive depth positions that one node holds: what its ranks can
// merge among themselves. For operators that commute, the depth positions are numbered anew, node by node
// in the ring's order, so that every node is one run.
class Nodes {
 public:
  // The setting must have passed check_setting(). Costs O(p).
  explicit Nodes(const Setting& setting);

  std::int32_t count() const { return static_cast<std::int32_t>(ring_.size()); }
  std::int32_t smallest() const { return smallest_; }  // ranks of the smallest node

  // Nodes by their first depth position, and by their first place in the ring.
  const std::vector<std::int32_t>& order() const { return order_; }
  const std::vector<std::int32_t>& ring() const { return ring_; }

  std::int32_t node(std::int32_t rank) const { return node_[static_cast<std::size_t>(rank)]; }
  // A node's ranks in the ring's order, and a rank's place among them.
  std::span<const std::int32_t> members(std::int32_t node) const;
  std::int32_t place(std::int32_t rank) const { return place_[static_cast<std::size_t>(rank)]; }

  std::int64_t position(std::int32_t rank) const;  // depth position
  std::int32_t rank_at(std::int64_t position) const;

  // A node's depth runs, front to back.
  std::span<const Range> runs(std::int32_t node) const;
  // The depth runs of several nodes together: those at places [begin, end) of order(). Where operators
  // commute, places and positions are counted round a circle.
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
  std::vector<std::int32_t> position_;     // rank -> depth position; empty: the same
  std::vector<std::int32_t> rank_at_;      // depth position -> rank; empty: the same
  std::vector<Range> runs_;                // node by node
  std::vector<std::size_t> first_run_;     // node -> index into runs_, and one past the end
};

// Transfers of a rank that need no message, as they bring a rank of a node what another one there started
// with, which it can read where it lies: by place in the program's lists.
struct SparedTransfers {
  std::vector<bool> sends;
  std::vector<bool> receives;
};
SparedTransfers spared_transfers(const Program& program, const Setting& setting);

}  // namespace sortlast
