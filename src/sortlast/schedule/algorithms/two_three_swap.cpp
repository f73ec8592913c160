// 2-3 swap: binary swap for any p, by groups of two or three.
//
// Source: Yu, Wang, Ma, 2008; published costs in Table 1 of the shift paper (4 alpha log2(p),
// 1.3 beta n (p-1)/p) and, for the blending, section 2.2 of the radix-k paper (twice the bound). With the
// nested pieces of group_tree.cpp it takes at most half of those messages and sends no more than n (p-1)/p.
#include "sortlast/schedule/algorithms/group_tree.hpp"

namespace sortlast {
namespace {

class TwoThreeSwap final : public GroupTree {
 public:
  using GroupTree::GroupTree;

 private:
  Group root() const override { return group(floor_log2(p()), {0, p()}); }

  // A group of height h holds 2^h to 3^h ranks, so that two or three children fit at every height; it
  // divides in two if the larger half fits.
  std::int64_t children(const Group& parent) const override {
    std::int64_t most = 1;  // ranks of a child
    for (std::int32_t height = 1; height < parent.height; ++height) most *= 3;
    return (parent.depth.size() + 1) / 2 <= most ? 2 : 3;
  }

  // Larger children first.
  Child child(const Group& parent, std::int64_t c) const override {
    const std::int64_t count = children(parent);
    const auto begin = [&](std::int64_t i) {
      return parent.depth.begin + (parent.depth.size() * i + count - 1) / count;
    };
    return {group(parent.height - 1, {begin(c), begin(c + 1)})};
  }

  static Group group(std::int32_t height, Range depth) { return {height, depth.begin, depth, depth.size()}; }
};

}  // namespace

AlgorithmDefinition two_three_swap() {
  return {{"2-3-swap", "2-3-swap", "Binary swap for any p, with groups of two or three.", "4 alpha log2(p)",
           "1.3 beta n (p-1)/p", "no"},
          [](const Setting& setting, std::string& parameters) -> std::unique_ptr<Algorithm> {
            refuse_parameters("2-3-swap", parameters);
            return std::make_unique<TwoThreeSwap>(setting);
          },
          [](std::int32_t p, const std::string&) {
            return CostTerms{4 * std::log2(p), 4 * std::log2(p), 1.3 * (p - 1.0) / p, 2 * (p - 1.0) / p};
          }};
}

}  // namespace sortlast
