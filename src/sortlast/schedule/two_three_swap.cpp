// 2-3 swap: binary swap for any p, by groups of two or three.
//
// Source: Yu, Wang, Ma, 2008; published costs in Table 1 of the shift paper (4 alpha log2(p),
// 1.3 beta n (p-1)/p) and, for the blending, section 2.2 of the radix-k paper (twice the bound). With the
// nested pieces of group_tree.cpp it takes at most half of those messages and sends no more than n (p-1)/p.
#include "sortlast/schedule/group_tree.hpp"
#include "sortlast/schedule/registry.hpp"

namespace sortlast {
namespace {

class TwoThreeSwap final : public GroupTree {
 public:
  using GroupTree::GroupTree;

 private:
  Group root() const override { return group(floor_log2(p()), {0, p()}); }

  // 2^h <= size < 2^(h+1) ranks halve into two such groups of height h - 1; at the bottom, two or three
  // ranks are a group.
  std::vector<Child> divide(const Group& parent) const override {
    const Range depth = parent.depth;
    if (parent.height == 1) {
      std::vector<Child> ranks;
      for (std::int64_t position = depth.begin; position < depth.end; ++position) {
        ranks.push_back({group(0, {position, position + 1})});
      }
      return ranks;
    }
    const std::int64_t middle = depth.begin + (depth.size() + 1) / 2;
    return {{group(parent.height - 1, {depth.begin, middle})},
            {group(parent.height - 1, {middle, depth.end})}};
  }

  static Group group(std::int32_t height, Range depth) { return {height, depth.begin, depth, depth.size()}; }
};

}  // namespace

AlgorithmEntry two_three_swap() {
  return {"2-3-swap",
          "2-3-swap",
          "Binary swap for any p, with groups of two or three.",
          "4 alpha log2(p)",
          "1.3 beta n (p-1)/p",
          "no",
          [](const Setting& setting, std::string& parameters) -> std::unique_ptr<Algorithm> {
            refuse_parameters("2-3-swap", parameters);
            return std::make_unique<TwoThreeSwap>(setting);
          },
          [](std::int32_t p, const std::string&) {
            return CostTerms{4 * std::log2(p), 4 * std::log2(p), 1.3 * (p - 1.0) / p, 2 * (p - 1.0) / p};
          }};
}

}  // namespace sortlast
