// Group tree.
//
// Problem: each of p ranks holds a full image. A tree of groups merges them: each child of a group holds a
// full image spread over its owners, and merging the children spreads the group's image over all owners that
// stay. One level is direct-send among the children; two children per level is binary swap; k_i children on
// level i is radix-k; two or three is 2-3 swap; one owner per group is the binary tree. A group with one
// child and fewer owners gathers the child's image on them.
//
// The assignment of new pieces to owners determines how much is sent. Old pieces nest in new ones if the new
// pieces are assigned in the order of (midpoint of the owner's old piece, child). Every owner then keeps a
// part of its data and, as long as all owners stay, none sends more than n (p - 1) / p in total, the lower
// bound. Assigning them in member order instead moves up to 1.5 n (and takes 11 messages instead of 6 at p =
// 64).
//
// Laziness: a program must cost O(its own steps), with p up to 10^6, so there are no tables. An owner's place
// in that order is counted: owner j of s in child c comes after all owners j' of s' in child c' with (2 j' +
// 1) / s' < (2 j + 1) / s, or equal and c' < c. The inverse is a division if the children that stay are
// equal, and a binary search in each child otherwise.
#include "sortlast/schedule/algorithms/group_tree.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

// Number of the s_other pieces with a midpoint before (or, if `ties`, at) the midpoint of piece j of s.
std::int64_t pieces_before(std::int64_t s_other, std::int64_t j, std::int64_t s, bool ties) {
  // (2 x + 1) s < (2 j + 1) s_other, x = 0, 1, ...: x < ((2 j + 1) s_other / s - 1) / 2.
  const std::int64_t bound = (2 * j + 1) * s_other;
  const std::int64_t quotient = ties ? bound / s : (bound + s - 1) / s;  // count odd numbers up to it, or
                                                                         // below it
  const std::int64_t odds = ties ? (quotient + 1) / 2 : quotient / 2;
  return std::clamp<std::int64_t>(odds, 0, s_other);
}

// The range of indices of those among g equal pieces of [0, n) that overlap `pixels`.
Range pieces_meeting(std::int64_t n, std::int64_t g, Range pixels) {
  if (pixels.empty()) return {};
  const auto piece_with = [n, g](std::int64_t pixel) {
    auto j = static_cast<std::int64_t>((static_cast<__int128>(pixel) * g) / n);
    while (piece_of(n, g, j).end <= pixel) ++j;
    while (piece_of(n, g, j).begin > pixel) --j;
    return j;
  };
  return {piece_with(pixels.begin), piece_with(pixels.end - 1) + 1};
}

}  // namespace

std::int32_t floor_log2(std::int64_t p) {
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(p))) - 1;
}

std::int32_t Positions::of(std::int32_t rank) const {
  if (order_.empty()) return rank;

  // Rank and position share one number, so that threads see both or neither.
  const std::int64_t known = first_.load(std::memory_order_relaxed);
  if (known >= 0 && known >> 32 == rank) return static_cast<std::int32_t>(known & 0x7fffffff);
  if (known < 0) {
    const auto position =
        static_cast<std::int32_t>(std::find(order_.begin(), order_.end(), rank) - order_.begin());
    first_.store((std::int64_t{rank} << 32) | position, std::memory_order_relaxed);
    return position;
  }
  std::call_once(made_, [this] { inverse_ = inverse(order_); });
  return inverse_[static_cast<std::size_t>(rank)];
}

GroupTree::GroupTree(const Setting& setting)
    : p_(setting.p), n_(setting.n), order_(setting.order), position_(order_) {}

std::int64_t GroupTree::child_at(const Group& group, std::int64_t position) const {
  std::int64_t first = 0;
  std::int64_t last = children(group) - 1;
  while (first < last) {
    const std::int64_t middle = (first + last) / 2;
    if (position < child(group, middle).group.depth.end) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

// Whether pixels move when a group merges.
bool GroupTree::transfers(const Group& group) const {
  return children(group) > 1 || child(group, 0).group.owners > group.owners;
}

// Place of owner j of child c among all owners that stay.
std::int64_t GroupTree::place(const Group& group, std::int64_t c, std::int64_t j) const {
  const std::int64_t count = children(group);
  if (uniform()) return j * count + c;
  const std::int64_t owners = child(group, c).group.owners;
  std::int64_t before = j;
  for (std::int64_t other = 0; other < count; ++other) {
    const Child sibling = child(group, other);
    if (other != c && sibling.stays) before += pieces_before(sibling.group.owners, j, owners, other < c);
  }
  return before;
}

// The child and its owner at a place: the inverse of place().
std::pair<std::int64_t, std::int64_t> GroupTree::at_place(const Group& group, std::int64_t wanted) const {
  const std::int64_t count = children(group);
  if (uniform()) return {wanted % count, wanted / count};
  for (std::int64_t c = 0; c < count; ++c) {
    const Child candidate = child(group, c);
    if (!candidate.stays) continue;
    std::int64_t low = 0;
    std::int64_t high = candidate.group.owners;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      const std::int64_t found = place(group, c, middle);
      if (found == wanted) return {c, middle};
      if (found < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
  }
  throw Error("group_tree: no owner has place " + std::to_string(wanted));
}

std::int64_t GroupTree::owner_index(const Group& group, std::int64_t position) const {
  if (group.height == 0) return 0;
  const std::int64_t c = child_at(group, position);
  const Child own = child(group, c);
  if (!own.stays) return -1;
  const std::int64_t j = owner_index(own.group, position);
  const std::int64_t index = j < 0 ? -1 : place(group, c, j);
  return index < group.owners ? index : -1;
}

std::int64_t GroupTree::owner_position(const Group& group, std::int64_t index) const {
  if (group.height == 0) return group.depth.begin;
  const auto [c, j] = at_place(group, index);
  return owner_position(child(group, c).group, j);
}

Range GroupTree::piece(std::int32_t rank) const {
  const Group whole = root();
  const std::int64_t index = owner_index(whole, position_.of(rank));
  return index < 0 ? Range{} : piece_of(n_, whole.owners, index);
}

// Builds the program of one rank, from its leaf to the root.
class GroupTree::Builder {
 public:
  Builder(const GroupTree& tree, std::int32_t rank) : tree_(tree), position_(tree.position_.of(rank)) {
    program_.rank = rank;
    program_.values.push_back({{0, tree.n_}, {position_, position_ + 1}});
  }

  Program build() {
    climb(tree_.root());
    program_.result = holding_.empty() ? -1 : held_;
    return std::move(program_);
  }

 private:
  // Merge `group` and all groups below it on this rank's path. Afterwards held_ is the value that it holds.
  void climb(const Group& group) {
    if (group.height == 0) {
      index_ = 0;
      holding_ = {0, tree_.n_};
      return;
    }
    const std::int64_t c = tree_.child_at(group, position_);
    const Child own = tree_.child(group, c);
    climb(own.group);

    // Find the pixels that this rank holds after the group has merged.
    std::int64_t index = index_ < 0 || !own.stays ? -1 : tree_.place(group, c, index_);
    if (index >= group.owners) index = -1;
    const Range kept = index < 0 ? Range{} : piece_of(tree_.n_, group.owners, index);

    if (tree_.transfers(group)) {
      if (index_ >= 0) send(group, kept);
      if (!kept.empty()) receive_and_merge(group, c, kept);
    }
    index_ = index;
    holding_ = kept;
  }

  // Send every other owner of the group its part of the held pixels: nearest pieces first, alternating
  // between both sides, which is the order in which the receivers plan to merge.
  void send(const Group& group, Range kept) {
    const Range targets = pieces_meeting(tree_.n_, group.owners, holding_);
    const std::int64_t centre =
        kept.empty() ? targets.begin : pieces_meeting(tree_.n_, group.owners, kept).begin;
    for (const std::int64_t target : nearest_first(targets, centre)) {
      const Range part = intersection(holding_, piece_of(tree_.n_, group.owners, target));
      const std::int64_t to = tree_.owner_position(group, target);
      if (part.empty() || to == position_) continue;
      program_.sends.push_back({group.height, at(tree_.order_, to), held_, part});
    }
  }

  // Receive `kept` from the owners of every child, and merge the children's fragments of it.
  void receive_and_merge(const Group& group, std::int64_t own, Range kept) {
    // Collect the sources: the own child first, then its neighbours in depth, and within a child by pixels.
    struct Source {
      Range pixels;
      Arrival arrival;
    };
    std::vector<std::vector<Source>> sources;
    std::vector<std::int64_t> cuts{kept.begin, kept.end};
    const Range all{0, tree_.children(group)};
    for (const std::int64_t c : nearest_first(all, own)) {
      const Group child = tree_.child(group, c).group;
      const Range pieces = pieces_meeting(tree_.n_, child.owners, kept);
      sources.emplace_back();
      for (std::int64_t j = pieces.begin; j < pieces.end; ++j) {
        const Range part = intersection(kept, piece_of(tree_.n_, child.owners, j));
        if (part.empty()) continue;
        sources.back().push_back({part, {source_value(group, child, j, part), child.depth}});
        cuts.push_back(part.begin);
        cuts.push_back(part.end);
      }
    }

    // Merge each interval of pixels between two cuts.
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    held_ = static_cast<Value>(program_.values.size());
    program_.values.push_back({kept, group.depth});
    std::vector<std::size_t> next(sources.size(), 0);  // per child: the source at the current interval
    for (std::size_t cut = 0; cut + 1 < cuts.size(); ++cut) {
      const Range stretch{cuts[cut], cuts[cut + 1]};
      std::vector<Arrival> arrivals;
      for (std::size_t c = 0; c < sources.size(); ++c) {
        while (sources[c][next[c]].pixels.end <= stretch.begin) ++next[c];
        arrivals.push_back(sources[c][next[c]].arrival);
      }
      append_merges(program_, held_, stretch, arrivals, 0);
    }
  }

  // The value with owner j's part of a child's image: this rank's held value, or a receive.
  Value source_value(const Group& group, const Group& child, std::int64_t j, Range part) {
    const std::int64_t from = tree_.owner_position(child, j);
    if (from == position_) return held_;
    const auto value = static_cast<Value>(program_.values.size());
    program_.values.push_back({part, child.depth});
    program_.receives.push_back({group.height, at(tree_.order_, from), value});
    return value;
  }

  const GroupTree& tree_;
  std::int64_t position_;
  Program program_;
  Value held_ = 0;          // value that this rank holds
  Range holding_;           // its pixels
  std::int64_t index_ = 0;  // this rank's place among the owners of the last merged group; -1: it left
};

Program GroupTree::program(std::int32_t rank) const { return Builder(*this, rank).build(); }

}  // namespace sortlast
