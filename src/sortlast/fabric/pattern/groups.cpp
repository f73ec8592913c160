// Groups of ranks that perform separate collectives at the same time.
//
// With kinds of sizes g_1, g_2, .. g_m, the first the innermost, rank r has coordinate floor(r / (g_1 ..
// g_{l-1})) mod g_l in kind l. A group of kind l consists of the ranks that differ only in this coordinate: p
// / g_l groups. Every kind advances through the stages of its collective at its own pace; a step executes one
// step of each kind. A kind with fewer steps is idle once it has finished. Consecutive steps are therefore
// equal until a kind changes its stage, and only one of them is stored.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/pattern.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int64_t most_stages = std::int64_t{1} << 22;  // stored stages

struct Kind {
  std::int32_t size = 1;
  std::int32_t stride = 1;                 // between consecutive ranks of a group
  std::shared_ptr<const Pattern> pattern;  // of one group; null: no communication
};

// A combination of stages, one per kind (-1: that kind has finished), and its number of repetitions.
struct Together {
  std::vector<std::int64_t> stages;
  std::int64_t repeats = 0;
};

std::string text_of(const GroupKind& kind) {
  return kind.name + "=" + std::to_string(kind.size) + (kind.collective.empty() ? "" : ":" + kind.collective);
}

void check_sizes(std::int32_t p, const std::vector<GroupKind>& kinds) {
  if (kinds.empty()) throw ArgumentError("no kind of groups; expected at least one, such as tensor=8");
  std::int64_t product = 1;
  std::string text;
  for (const GroupKind& kind : kinds) {
    if (kind.size < 1) throw ArgumentError("groups " + text_of(kind) + "; expected a size of at least 1");
    if (product <= std::numeric_limits<std::int32_t>::max()) product *= kind.size;
    text += (text.empty() ? "" : " x ") + text_of(kind);
  }
  if (product != p) {
    throw ArgumentError("groups " + text + " are " + std::to_string(product) + " ranks, and there are " +
                        std::to_string(p) + "; the sizes must multiply to that");
  }
}

std::vector<Kind> made(const std::vector<GroupKind>& kinds) {
  std::vector<Kind> result;
  std::int32_t stride = 1;
  for (const GroupKind& kind : kinds) {
    Kind& added = result.emplace_back(Kind{kind.size, stride, nullptr});
    stride *= kind.size;
    if (kind.collective.empty()) continue;
    try {
      added.pattern = collective_pattern(kind.collective, kind.size, kind.bytes);
    } catch (const ArgumentError& error) {
      throw ArgumentError("groups " + text_of(kind) + ": " + error.what());
    }
  }
  return result;
}

// Advances all kinds together, from one change of a stage to the next.
std::vector<Together> timeline(const std::vector<Kind>& kinds) {
  struct Clock {
    std::int64_t stage = -1, left = 0;  // remaining repetitions of the stage
  };
  std::vector<Clock> clocks(kinds.size());
  const auto next = [&](std::size_t k) {
    const Pattern* const pattern = kinds[k].pattern.get();
    Clock& clock = clocks[k];
    const bool ends = pattern == nullptr || clock.stage + 1 >= pattern->stages();
    clock = ends ? Clock{std::numeric_limits<std::int64_t>::max(), 0}
                 : Clock{clock.stage + 1, pattern->repeats(clock.stage + 1)};
  };
  for (std::size_t k = 0; k < kinds.size(); ++k) next(k);

  std::vector<Together> result;
  for (;;) {
    Together together{{}, std::numeric_limits<std::int64_t>::max()};
    bool any = false;
    for (const Clock& clock : clocks) {
      together.stages.push_back(clock.left > 0 ? clock.stage : -1);
      if (clock.left == 0) continue;
      any = true;
      together.repeats = std::min(together.repeats, clock.left);
    }
    if (!any) return result;
    if (static_cast<std::int64_t>(result.size()) == most_stages) {
      throw ArgumentError("groups of more than " + std::to_string(most_stages) + " stages");
    }
    for (std::size_t k = 0; k < clocks.size(); ++k) {
      if (clocks[k].left == 0) continue;
      clocks[k].left -= together.repeats;
      if (clocks[k].left == 0) next(k);
    }
    result.push_back(std::move(together));
  }
}

class Groups final : public Pattern {
 public:
  Groups(std::int32_t p, const std::vector<GroupKind>& kinds) : p_(p) {
    check_sizes(p, kinds);
    for (const GroupKind& kind : kinds) name_ += (name_.empty() ? "groups " : ",") + text_of(kind);
    kinds_ = made(kinds);
    timeline_ = timeline(kinds_);
  }

  std::string name() const override { return name_; }
  std::int32_t participants() const override { return p_; }
  std::int64_t stages() const override { return static_cast<std::int64_t>(timeline_.size()); }
  std::int64_t repeats(std::int64_t stage) const override {
    return timeline_[static_cast<std::size_t>(stage)].repeats;
  }

  std::vector<Flow> flows(std::int64_t stage) const override {
    const Together& together = timeline_[static_cast<std::size_t>(stage)];
    std::vector<Flow> flows;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if (together.stages[k] >= 0) add_all(kinds_[k], kinds_[k].pattern->flows(together.stages[k]), flows);
    }
    return flows;
  }

 private:
  // Copies the flows of one group to every group of the kind.
  void add_all(const Kind& kind, const std::vector<Flow>& one, std::vector<Flow>& flows) const {
    for (std::int32_t first = 0; first < p_; ++first) {
      if (first / kind.stride % kind.size != 0) continue;
      for (const Flow& flow : one) {
        flows.push_back(
            {first + flow.source * kind.stride, first + flow.destination * kind.stride, flow.bytes});
      }
    }
  }

  std::string name_;
  std::int32_t p_;
  std::vector<Kind> kinds_;
  std::vector<Together> timeline_;
};

}  // namespace

std::shared_ptr<const Pattern> groups_pattern(std::int32_t p, const std::vector<GroupKind>& kinds) {
  return std::make_shared<Groups>(p, kinds);
}

}  // namespace sortlast::fabric
