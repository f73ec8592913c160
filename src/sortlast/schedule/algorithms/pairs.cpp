// Merging in pairs: binary swap, 2-3 swap (binary swap for any p) and the binary tree.
//
// Binary swap: groups merge in pairs, and each rank exchanges half of its pixels with one partner.
//
// Source: Ma, Painter, Hansen, Krogh, 1994; costs in section 4 of the shift paper. If p is not a power of
// two, there are two methods in the literature, both implemented here:
//   binary-swap:remainder  if the number of groups is odd, the last three merge in one stage; the third
//                          splits its pixels between the other two and leaves (the default; it moves fewer
//                          pixels)
//   binary-swap:fold       the ranks beyond the largest power of two first send their whole image to a
//                          neighbour and leave
#include <algorithm>

#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithms/group_tree.hpp"

namespace sortlast {

namespace {

class Remainder final : public GroupTree {
 public:
  using GroupTree::GroupTree;

 private:
  Group root() const override { return group(floor_log2(p()), 0); }

  // Two children. If the number of groups is odd, the last group is the third child of the last parent.
  std::int64_t children(const Group& parent) const override {
    const std::int64_t below = p() >> (parent.height - 1);
    return 2 * parent.index + 3 == below ? 3 : 2;
  }

  Child child(const Group& parent, std::int64_t c) const override {
    return {group(parent.height - 1, 2 * parent.index + c), c < 2};
  }

  // Group `index` of a height: 2^height ranks. The last group also gets all remaining ranks.
  Group group(std::int32_t height, std::int64_t index) const {
    const std::int64_t first = index << height;
    const bool last = index == (p() >> height) - 1;
    return {
        height, index, {first, last ? p() : first + (std::int64_t{1} << height)}, std::int64_t{1} << height};
  }
};

class Fold final : public GroupTree {
 public:
  explicit Fold(const Setting& setting)
      : GroupTree(setting), folded_(p() - (std::int64_t{1} << floor_log2(p()))) {}

 private:
  // Greater heights are plain binary swap.
  std::int32_t folds() const { return folded_ > 0 ? 1 : 0; }

  Group root() const override { return group(floor_log2(p()) + folds(), 0); }

  std::int64_t children(const Group& parent) const override {
    return parent.height > folds() ? 2 : parent.depth.size();
  }

  Child child(const Group& parent, std::int64_t c) const override {
    if (parent.height > folds()) return {group(parent.height - 1, 2 * parent.index + c)};
    const std::int64_t position = parent.depth.begin + c;
    return {{0, position, {position, position + 1}, 1}, c == 0};
  }

  Group group(std::int32_t height, std::int64_t index) const {
    const std::int64_t owners = std::int64_t{1} << (height - folds());
    return {height, index, {first(index * owners), first((index + 1) * owners)}, owners};
  }

  // First depth position of folded pair (or single rank) number `place`.
  std::int64_t first(std::int64_t place) const { return place + std::min(place, folded_); }

  std::int64_t folded_;  // number of ranks beyond the power of two
};

}  // namespace

AlgorithmDefinition binary_swap() {
  return {{"binary-swap", "binary-swap[:remainder|:fold]",
           "Groups merge in pairs; each rank exchanges half of what it holds with one partner a stage.",
           "alpha log2(p)", "beta n (p-1)/p", "no"},
          [](const Setting& setting, std::string& parameters) -> std::unique_ptr<Algorithm> {
            if (parameters.empty()) parameters = "remainder";
            if (parameters == "fold") return std::make_unique<Fold>(setting);
            if (parameters == "remainder") return std::make_unique<Remainder>(setting);
            throw ArgumentError("binary-swap:" + parameters +
                                ": expected binary-swap:remainder or binary-swap:fold");
          },
          [](std::int32_t p, const std::string&) {
            const double stages = std::ceil(std::log2(p));
            return CostTerms{stages, stages, (p - 1.0) / p, (p - 1.0) / p};
          }};
}

// 2-3 swap: binary swap for any p, by groups of two or three.
//
// Source: Yu, Wang, Ma, 2008; published costs in Table 1 of the shift paper (4 alpha log2(p), 1.3 beta n
// (p-1)/p) and, for blending, section 2.2 of the radix-k paper (twice the lower bound). With the nested
// pieces of group_tree.cpp it takes at most half as many messages and sends at most n (p-1)/p.

namespace {

class TwoThreeSwap final : public GroupTree {
 public:
  using GroupTree::GroupTree;

 private:
  Group root() const override { return group(floor_log2(p()), {0, p()}); }

  // A group of height h holds 2^h to 3^h ranks, so that two or three children fit at every height. It is
  // divided in two if the larger half fits.
  std::int64_t children(const Group& parent) const override {
    std::int64_t most = 1;  // maximum ranks per child
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

// Binary tree: whole images are merged pair by pair until one rank holds all. For comparison only.
//
// Half of the ranks leave at every stage, so the last ones transfer n log2(p) pixels, compared with n (p-1)/p
// in the other algorithms of this folder.

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
