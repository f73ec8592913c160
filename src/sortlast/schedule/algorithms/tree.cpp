// Binary tree: whole images are merged pair by pair until one rank holds all. For comparison only.
//
// Half of the ranks leave at every stage, so the last ones carry n log2(p) pixels where the others of
// this folder carry n (p-1)/p.
#include <algorithm>

#include "sortlast/schedule/algorithms/group_tree.hpp"

namespace sortlast {
namespace {

class Tree final : public GroupTree {
 public:
  using GroupTree::GroupTree;

 private:
  Group root() const override { return group(p() == 1 ? 0 : floor_log2(p() - 1) + 1, 0); }

  std::int64_t children(const Group& parent) const override {
    return group(parent.height - 1, 2 * parent.index + 1).depth.empty() ? 1 : 2;
  }

  Child child(const Group& parent, std::int64_t c) const override {
    return {group(parent.height - 1, 2 * parent.index + c), c == 0};
  }

  Group group(std::int32_t height, std::int64_t index) const {
    return {height, index, {std::min(p(), index << height), std::min(p(), (index + 1) << height)}, 1};
  }
};

}  // namespace

AlgorithmDefinition tree() {
  return {{"tree", "tree", "Whole images are merged pair by pair; the frontmost rank ends with everything.",
           "alpha log2(p)", "beta n log2(p)", "no"},
          [](const Setting& setting, std::string& parameters) -> std::unique_ptr<Algorithm> {
            refuse_parameters("tree", parameters);
            return std::make_unique<Tree>(setting);
          },
          [](std::int32_t p, const std::string&) {
            const double stages = std::ceil(std::log2(p));
            return CostTerms{stages, stages, stages, stages};
          }};
}

}  // namespace sortlast
