// Multi-step: binary swap in small groups, each gathered on one rank, then among these ranks.
//
// Source: Nonaka, Fujita, Ono, "Multi-Step Image Composition Approach for Sort-Last Massively Parallel
// Rendering", 2015. The swap of any number of ranks is by the same authors: "234 Scheduling of 3-2 and 2-1
// Eliminations for Parallel Image Compositing using Non-Power-of-Two Number of Processes", 2015.
//
//   step     The participants are divided into groups of m or slightly fewer. Each group swaps and, except in
//            the last step, gathers its image on its first member, which takes part in the next step. The
//            first step includes all ranks; the last has one group.
//   2-3-4    In the first stage of a swap, 2, 3 or 4 neighbours merge their images on two of them. The
//            remaining 2^h ranks swap in pairs.
//
// Only few ranks end with pieces, so gathering a frame involves few ranks, and no message is shorter than n /
// m pixels. With many ranks, other swaps end with pieces of a few pixels. The price is the pixels gathered
// between the steps.
#include <algorithm>
#include <charconv>

#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithms/group_tree.hpp"

namespace sortlast {
namespace {

// One step. The `units` are ranks, or the groups of the previous step.
struct Step {
  std::int64_t units = 0;
  std::int64_t groups = 0;
  std::int32_t below = 0;  // stages of the previous steps
  std::int32_t swaps = 0;  // stages of the swap

  bool last() const { return groups == 1; }
  std::int32_t end() const { return below + swaps + (last() ? 0 : 1); }  // last stage
  std::int64_t begin(std::int64_t group) const { return group * units / groups; }
};

// The steps for p > 1 ranks. Groups have `sizes` units or slightly fewer, but at least two.
std::vector<Step> steps_of(std::int64_t p, const std::vector<std::int64_t>& sizes) {
  std::vector<Step> steps;
  const auto add = [&](std::int64_t units, std::int64_t groups) {
    steps.push_back({units, groups, steps.empty() ? 0 : steps.back().end(), floor_log2(units / groups)});
  };
  std::int64_t units = p;
  for (const std::int64_t size : sizes) {
    const std::int64_t groups = std::min((units + size - 1) / size, units / 2);
    if (groups == 1) break;
    add(units, groups);
    units = groups;
  }
  add(units, 1);
  return steps;
}

class MultiStep final : public GroupTree {
 public:
  MultiStep(const Setting& setting, const std::vector<std::int64_t>& sizes) : GroupTree(setting) {
    if (p() > 1) steps_ = steps_of(p(), sizes);
  }

 private:
  Group root() const override {
    return steps_.empty() ? unit(0, 0) : group(steps_.size() - 1, steps_.back().end(), 0);
  }

  std::int64_t children(const Group& parent) const override {
    const std::size_t s = step_of(parent.height);
    const std::int32_t stage = parent.height - steps_[s].below;
    if (stage > steps_[s].swaps) return 1;  // a group that is gathered
    return stage > 1 ? 2 : units_of(s, stage, parent.index).size();
  }

  Child child(const Group& parent, std::int64_t c) const override {
    const std::size_t s = step_of(parent.height);
    const std::int32_t stage = parent.height - steps_[s].below;
    if (stage > steps_[s].swaps) return {group(s, parent.height - 1, parent.index)};
    if (stage > 1) return {group(s, parent.height - 1, 2 * parent.index + c)};
    return {unit(s, units_of(s, stage, parent.index).begin + c), c < 2};
  }

  std::size_t step_of(std::int32_t height) const {
    std::size_t s = 0;
    while (height > steps_[s].end()) ++s;
    return s;
  }

  // The units of group `index` of a stage of step s. The units of each group of the step are divided among
  // 2^(swaps - stage) such groups.
  Range units_of(std::size_t s, std::int32_t stage, std::int64_t index) const {
    const Step& step = steps_[s];
    const std::int64_t parts = std::int64_t{1} << std::max(step.swaps - stage, 0);
    const Range all{step.begin(index / parts), step.begin(index / parts + 1)};
    const std::int64_t part = index % parts;
    return {all.begin + all.size() * part / parts, all.begin + all.size() * (part + 1) / parts};
  }

  Group group(std::size_t s, std::int32_t height, std::int64_t index) const {
    const std::int32_t stage = height - steps_[s].below;
    const Range units = units_of(s, stage, index);
    const std::int64_t owners = stage > steps_[s].swaps ? 1 : std::int64_t{1} << stage;
    return {height, index, {first(s, units.begin), first(s, units.end)}, owners};
  }

  // A unit of step s: a rank, or a gathered group of the previous step.
  Group unit(std::size_t s, std::int64_t index) const {
    if (s > 0) return group(s - 1, steps_[s - 1].end(), index);
    return {0, index, {index, index + 1}, 1};
  }

  // First depth position of a unit of step s.
  std::int64_t first(std::size_t s, std::int64_t index) const {
    while (s > 0) index = steps_[--s].begin(index);
    return index;
  }

  std::vector<Step> steps_;
};

// Ranks per group: the smallest power of two that is not below the number of groups.
std::vector<std::int64_t> default_sizes(std::int64_t p) {
  std::int64_t size = 2;
  while (size * size < p) size *= 2;
  return {size};
}

std::string join(const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
  return text;
}

std::vector<std::int64_t> parse(const std::string& text) {
  std::vector<std::int64_t> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int32_t size = 0;
    const auto [stop, error] = std::from_chars(at, end, size);
    if (error != std::errc{} || size < 2 || (stop != end && *stop != ','))
      throw ArgumentError("multi-step:" + text +
                          ": expected the sizes of groups, step by step, each 2 or more, separated by commas "
                          "(for example multi-step:256)");
    sizes.push_back(size);
    if (stop == end) return sizes;
    at = stop + 1;
  }
}

std::vector<std::int64_t> sizes_of(std::int64_t p, const std::string& parameters) {
  return parameters.empty() ? default_sizes(p) : parse(parameters);
}

// The terms of the rank on which the most is gathered. 2-3-4 adds one message, and up to n / 2 to blend.
CostTerms terms_of(std::int64_t p, const std::vector<std::int64_t>& sizes) {
  CostTerms terms;
  if (p == 1) return terms;
  for (const Step& step : steps_of(p, sizes)) {
    const auto owners = static_cast<double>(std::int64_t{1} << step.swaps);
    terms.messages += step.swaps + (step.last() ? 0 : owners - 1);
    terms.rounds += step.end() - step.below;
    terms.sent += (step.last() ? 1 : 2) * (owners - 1) / owners;
    terms.blended += (owners - 1) / owners;
  }
  return terms;
}

}  // namespace

AlgorithmDefinition multi_step() {
  return {{"multi-step", "multi-step[:m1,m2,...]",
           "Groups of m ranks swap and gather on one rank each; then these do the same, or swap.",
           "alpha (log2(p) + m - 1)", "beta n (3 - 2/m - m/p)", "no"},
          [](const Setting& setting, std::string& parameters) -> std::unique_ptr<Algorithm> {
            const std::vector<std::int64_t> sizes = sizes_of(setting.p, parameters);
            parameters = join(sizes);
            return std::make_unique<MultiStep>(setting, sizes);
          },
          [](std::int32_t p, const std::string& parameters) { return terms_of(p, sizes_of(p, parameters)); }};
}

}  // namespace sortlast
