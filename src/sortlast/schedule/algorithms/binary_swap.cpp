// Binary swap: groups merge in pairs, each rank exchanging half of what it holds with one partner.
//
// Source: Ma, Painter, Hansen, Krogh, 1994; costs in section 4 of the shift paper. For p that is no
// power of two the literature knows two ways, and both are here:
//   binary-swap:remainder  where a number of groups is odd, the last three merge in one stage and the
//                          third splits what it holds between the other two and leaves (the default; it
//                          moves fewer pixels)
//   binary-swap:fold       the ranks beyond the largest power of two first hand their whole image to a
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

  // Two children, and the last of an odd number of groups as the third.
  std::int64_t children(const Group& parent) const override {
    const std::int64_t below = p() >> (parent.height - 1);
    return 2 * parent.index + 3 == below ? 3 : 2;
  }

  Child child(const Group& parent, std::int64_t c) const override {
    return {group(parent.height - 1, 2 * parent.index + c), c < 2};
  }

  // Group `index` of a height: 2^height ranks, and all that are left for the last one.
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
  // Heights above this one are those of plain binary swap.
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

}  // namespace sortlast
