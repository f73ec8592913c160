// Index switches as OpenSM's ftree does. The indices decide every tie between equally loaded links, and so
// the order of leaves and, on an intact tree, all routes.
//
// An index is a tuple of digits, the rank first. Breadth-first from the first leaf, every switch gives its
// neighbours, in order of its own ports, its own tuple with the next free value of one digit: going down from
// rank r digit r + 1, going up from rank r digit r. Then it sorts its groups by the indices they lead to.
#include <algorithm>
#include <deque>
#include <string>
#include <unordered_set>

#include "sortlast/fabric/routing/ftree_tree.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int32_t most_values = 0xFF;  // of a digit

std::uint64_t with_digit(std::uint64_t index, std::uint32_t digit, std::uint64_t value) {
  const std::uint32_t shift = 8 * (7 - digit);
  return (index & ~(std::uint64_t{0xFF} << shift)) | value << shift;
}

class Indexing {
 public:
  explicit Indexing(FtreeTree& tree) : tree_(tree) {}

  // From a leaf.
  void run(std::int32_t first) {
    const std::uint32_t rank = tree_.at(first).rank;
    std::uint64_t index = with_digit(FtreeSwitch::no_index, 0, rank);
    for (std::uint32_t digit = 1; digit <= tree_.leaf_rank; ++digit) index = with_digit(index, digit, 0);
    assign(first, index);

    for (; !queue_.empty() && tree_.refusal.empty(); queue_.pop_front()) {
      FtreeSwitch& at = tree_.at(queue_.front());
      if (at.rank < tree_.leaf_rank) visit(at, at.down, at.rank + 1, at.rank + 1);
      if (at.rank > 0) visit(at, at.up, at.rank - 1, at.rank);
    }
  }

 private:
  void assign(std::int32_t s, std::uint64_t index) {
    tree_.at(s).index = index;
    taken_.insert(index);
    queue_.push_back(s);
  }

  // Index the neighbours of rank `rank` that these groups lead to, by values of `digit`; then sort the
  // groups.
  void visit(const FtreeSwitch& at, std::vector<std::int32_t>& groups, std::uint32_t rank,
             std::uint32_t digit) {
    for (const std::int32_t g : groups) {
      const std::int32_t remote = tree_.group(g).remote;
      if (tree_.at(remote).index != FtreeSwitch::no_index) continue;
      std::uint64_t index = with_digit(at.index, 0, rank);
      std::uint64_t value = 0;
      while (value < most_values && taken_.contains(index = with_digit(index, digit, value))) ++value;
      if (value == most_values) {
        tree_.refusal = "more than 255 switches differ in one digit of their index";
        return;
      }
      assign(remote, index);
    }
    std::stable_sort(groups.begin(), groups.end(), [&](std::int32_t a, std::int32_t b) {
      return tree_.remote_index(a) < tree_.remote_index(b);
    });
  }

  FtreeTree& tree_;
  std::unordered_set<std::uint64_t> taken_;
  std::deque<std::int32_t> queue_;
};

// Number the indices that are in use, so that comparing them is cheap.
void place_groups(FtreeTree& tree) {
  std::vector<std::uint64_t> indices;
  for (const std::int32_t s : tree.switch_order) indices.push_back(tree.at(s).index);
  std::sort(indices.begin(), indices.end());
  for (FtreeGroup& group : tree.groups) {
    const auto place = std::lower_bound(indices.begin(), indices.end(), tree.at(group.remote).index);
    group.position = static_cast<std::int32_t>(place - indices.begin());
  }
}

// The switches of leaf rank by index, from the first that compute nodes hang on to the last.
std::vector<std::int32_t> find_leaves(const FtreeTree& tree) {
  std::vector<std::int32_t> all;
  for (const std::int32_t s : tree.switch_order) {
    if (tree.at(s).rank == tree.leaf_rank) all.push_back(s);
  }
  std::stable_sort(all.begin(), all.end(),
                   [&](std::int32_t a, std::int32_t b) { return tree.at(a).index < tree.at(b).index; });
  const auto is_leaf = [&](std::int32_t s) { return tree.at(s).leaf; };
  const auto first = std::find_if(all.begin(), all.end(), is_leaf);
  const auto last = std::find_if(all.rbegin(), all.rend(), is_leaf).base();
  return {first, last};
}

}  // namespace

void index_ftree(FtreeTree& tree) {
  Indexing(tree).run(*std::find_if(tree.switch_order.begin(), tree.switch_order.end(),
                                   [&](std::int32_t s) { return tree.at(s).leaf; }));
  if (!tree.refusal.empty()) return;
  place_groups(tree);
  tree.leaves = find_leaves(tree);
  if (tree.leaves.size() < 2) {
    tree.refusal = "all compute nodes hang on one switch";
    return;
  }
  for (const std::int32_t s : tree.leaves) {
    const auto& hosts = tree.at(s).hosts;
    const auto here = std::count_if(hosts.begin(), hosts.end(), [&](std::int32_t h) {
      return static_cast<bool>(tree.compute[static_cast<std::size_t>(h)]);
    });
    tree.most_compute = std::max(tree.most_compute, static_cast<std::int32_t>(here));
  }
}

}  // namespace sortlast::fabric
