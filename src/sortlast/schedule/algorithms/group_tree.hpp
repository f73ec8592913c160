// Group tree: the common recursion of binary swap, 2-3 swap, radix-k, multi-step and the binary tree.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {

// A group of ranks at consecutive depth positions. After it has merged, its `owners` (some or all of its
// members) hold the composite of all its images, in equal pieces of [0, n).
struct Group {
  std::int32_t height = 0;  // 0: a single rank; otherwise the stage in which its children merge
  std::int64_t index = 0;   // number among the groups of the same height
  Range depth;              // its members' depth positions
  std::int64_t owners = 1;
};

struct Child {
  Group group;
  bool stays = true;  // whether its owners become owners of the parent; otherwise they send everything and
                      // leave
};

// Largest h with 2^h <= p, for p >= 1.
std::int32_t floor_log2(std::int64_t p);

// The depth positions of ranks. A compositor repeatedly asks for the position of one rank, which is searched
// for once. If the positions of several ranks are requested, the inverse of the order is computed.
class Positions {
 public:
  // `order` is as in Setting and must outlive this object.
  explicit Positions(const std::vector<std::int32_t>& order) : order_(order) {}

  std::int32_t of(std::int32_t rank) const;

 private:
  const std::vector<std::int32_t>& order_;
  mutable std::atomic<std::int64_t> first_{-1};  // the first requested rank and its position
  mutable std::once_flag made_;
  mutable std::vector<std::int32_t> inverse_;
};

// An algorithm that is a tree of groups. The subclass defines the root and the division of a group. The
// owners of a group are the owners of the children that stay. A group with an only child may have fewer
// owners: the first ones of that child.
class GroupTree : public Algorithm {
 public:
  explicit GroupTree(const Setting& setting);

  Program program(std::int32_t rank) const final;
  Range piece(std::int32_t rank) const final;
  std::int32_t stages() const final { return root().height; }
  std::int32_t window() const final { return 2; }  // bounds the memory for messages

 protected:
  virtual Group root() const = 0;
  // A group with height > 0 has children 0, 1, ... in depth order, which tile its depth range. O(1).
  virtual std::int64_t children(const Group& group) const = 0;
  virtual Child child(const Group& group, std::int64_t c) const = 0;
  // Whether all children of any group stay and have the same number of owners.
  virtual bool uniform() const { return false; }

  std::int64_t p() const { return p_; }

 private:
  class Builder;

  bool transfers(const Group& group) const;
  std::int64_t child_at(const Group& group, std::int64_t position) const;
  std::int64_t place(const Group& group, std::int64_t c, std::int64_t j) const;
  std::pair<std::int64_t, std::int64_t> at_place(const Group& group, std::int64_t wanted) const;
  std::int64_t owner_index(const Group& group, std::int64_t position) const;
  std::int64_t owner_position(const Group& group, std::int64_t index) const;

  std::int64_t p_;
  std::int64_t n_;
  const std::vector<std::int32_t>& order_;  // depth position -> rank; empty: identity
  Positions position_;
};

}  // namespace sortlast
