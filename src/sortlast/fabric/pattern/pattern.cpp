// Patterns: shifts, all-to-all, permutations, transfers of a schedule, and flows listed by stage in a file.
#include "sortlast/fabric/pattern.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/scan.hpp"
#include "sortlast/schedule/depth_layers.hpp"

namespace sortlast::fabric {

namespace {

void check_participants(const std::string& name, std::int32_t p) {
  if (p >= 1) return;
  throw ArgumentError(name + " of " + std::to_string(p) + " participants; expected at least 1");
}

void check_bytes(const std::string& name, std::int64_t bytes) {
  if (bytes >= 0) return;
  throw ArgumentError(name + " with messages of " + std::to_string(bytes) + " bytes; expected 0 or more");
}

class Shift final : public Pattern {
 public:
  Shift(std::int32_t p, std::int64_t bytes) : p_(p), bytes_(bytes) {
    check_participants(name(), p);
    check_bytes(name(), bytes);
  }

  std::string name() const override { return "shift"; }
  std::int32_t participants() const override { return p_; }
  std::int64_t stages() const override { return p_ - 1; }
  bool is_shift() const override { return true; }

  std::vector<Flow> flows(std::int64_t stage) const override {
    std::vector<Flow> result;
    result.reserve(static_cast<std::size_t>(p_));
    for (std::int32_t i = 0; i < p_; ++i) {
      result.push_back({i, static_cast<std::int32_t>((i + stage + 1) % p_), bytes_});
    }
    return result;
  }

 private:
  std::int32_t p_;
  std::int64_t bytes_;
};

class AllToAll final : public Pattern {
 public:
  AllToAll(std::int32_t p, std::int64_t bytes) : p_(p), bytes_(bytes) {
    check_participants(name(), p);
    check_bytes(name(), bytes);
    constexpr std::int64_t most_flows = std::int64_t{1} << 27;  // of a stage, which is held in memory
    if (std::int64_t{p} * p <= most_flows) return;
    throw ArgumentError(
        name() + " of " + std::to_string(p) +
        " participants has more than 2^27 flows at once; take shift or pairwise, stage by stage");
  }

  std::string name() const override { return "all-to-all"; }
  std::int32_t participants() const override { return p_; }
  std::int64_t stages() const override { return p_ > 1 ? 1 : 0; }

  std::vector<Flow> flows(std::int64_t /*stage*/) const override {
    std::vector<Flow> result;
    result.reserve(static_cast<std::size_t>(p_) * static_cast<std::size_t>(p_ - 1));
    for (std::int32_t i = 0; i < p_; ++i) {
      for (std::int32_t j = 0; j < p_; ++j) {
        if (i != j) result.push_back({i, j, bytes_});
      }
    }
    return result;
  }

 private:
  std::int32_t p_;
  std::int64_t bytes_;
};

// Whether the stages are all shifts of p, in order.
bool all_shifts(std::int32_t p, const std::vector<std::vector<Flow>>& stages) {
  if (static_cast<std::int64_t>(stages.size()) != p - 1) return false;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (stages[s].size() != static_cast<std::size_t>(p)) return false;
    for (std::int32_t i = 0; i < p; ++i) {
      const Flow& flow = stages[s][static_cast<std::size_t>(i)];
      if (flow.source != i || flow.destination != (i + static_cast<std::int64_t>(s) + 1) % p) return false;
    }
  }
  return true;
}

// Flows held in memory, by stage.
class FlowList final : public Pattern {
 public:
  FlowList(std::string name, std::int32_t p, std::vector<std::vector<Flow>> stages)
      : name_(std::move(name)), p_(p), stages_(std::move(stages)) {
    check_participants(name_, p);
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      for (const Flow& flow : stages_[s]) check(s, flow);
    }
    is_shift_ = all_shifts(p_, stages_);
  }

  std::string name() const override { return name_; }
  std::int32_t participants() const override { return p_; }
  std::int64_t stages() const override { return static_cast<std::int64_t>(stages_.size()); }
  bool is_shift() const override { return is_shift_; }
  std::vector<Flow> flows(std::int64_t stage) const override {
    return stages_[static_cast<std::size_t>(stage)];
  }

 private:
  void check(std::size_t stage, const Flow& flow) const {
    const auto exists = [this](std::int32_t i) { return i >= 0 && i < p_; };
    const bool right = exists(flow.source) && exists(flow.destination);
    if (right && flow.source != flow.destination && flow.bytes >= 0) return;
    const std::string where = name_ + ", stage " + std::to_string(stage) + ": a flow from " +
                              std::to_string(flow.source) + " to " + std::to_string(flow.destination);
    if (!right) throw ArgumentError(where + "; expected participants from 0 to " + std::to_string(p_ - 1));
    if (flow.bytes < 0) throw ArgumentError(where + " of " + std::to_string(flow.bytes) + " bytes");
    throw ArgumentError(where + ", that is to itself; leave it out");
  }

  std::string name_;
  std::int32_t p_;
  std::vector<std::vector<Flow>> stages_;
  bool is_shift_ = false;
};

}  // namespace

std::int64_t steps(const Pattern& pattern) {
  std::int64_t sum = 0;
  for (std::int64_t stage = 0; stage < pattern.stages(); ++stage) sum += pattern.repeats(stage);
  return sum;
}

std::shared_ptr<const Pattern> shift_pattern(std::int32_t p, std::int64_t bytes) {
  return std::make_shared<Shift>(p, bytes);
}

std::shared_ptr<const Pattern> all_to_all_pattern(std::int32_t p, std::int64_t bytes) {
  return std::make_shared<AllToAll>(p, bytes);
}

namespace {

// Whether the flows are those of all ordered pairs of p participants, with equal bytes.
bool all_pairs_alike(const std::vector<Flow>& flows, std::int32_t p) {
  const auto n = static_cast<std::size_t>(p);
  if (flows.empty()) return true;
  if (flows.size() != n * (n - 1)) return false;
  std::vector<bool> seen(n * n, false);
  for (const Flow& flow : flows) {
    const std::size_t pair =
        static_cast<std::size_t>(flow.source) * n + static_cast<std::size_t>(flow.destination);
    if (flow.bytes != flows.front().bytes || seen[pair]) return false;
    seen[pair] = true;
  }
  return true;
}

}  // namespace

bool same_in_any_order(const Pattern& pattern) {
  if (pattern.is_shift() && pattern.participants() > 2) return false;
  for (std::int64_t stage = 0; stage < pattern.stages(); ++stage) {
    if (!all_pairs_alike(pattern.flows(stage), pattern.participants())) return false;
  }
  return true;
}

std::shared_ptr<const Pattern> permutation_pattern(std::vector<std::int32_t> destination,
                                                   std::int64_t bytes) {
  const auto p = static_cast<std::int32_t>(destination.size());
  std::vector<bool> taken(destination.size(), false);
  std::vector<Flow> flows;
  for (std::int32_t i = 0; i < p; ++i) {
    const std::int32_t d = destination[static_cast<std::size_t>(i)];
    if (d < -1 || d >= p) {
      throw ArgumentError("permutation: destination[" + std::to_string(i) + "] is " + std::to_string(d) +
                          "; expected 0 to " + std::to_string(p - 1) + ", or -1 for none");
    }
    if (d < 0) continue;
    if (taken[static_cast<std::size_t>(d)]) {
      throw ArgumentError("permutation: " + std::to_string(d) + " is the destination of two participants");
    }
    taken[static_cast<std::size_t>(d)] = true;
    if (d != i) flows.push_back({i, d, bytes});
  }
  return std::make_shared<FlowList>("permutation", p, std::vector<std::vector<Flow>>{std::move(flows)});
}

std::shared_ptr<const Pattern> schedule_pattern(const Schedule& schedule, std::int64_t pixel_bytes) {
  check_bytes(schedule.name(), pixel_bytes);
  std::vector<std::vector<Flow>> stages(static_cast<std::size_t>(schedule.stages()));
  const DepthLayers layers(schedule);
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    const Program program = schedule.program(rank);
    for (const Send& send : program.sends) {
      const Range depth = program.values[static_cast<std::size_t>(send.value)].depth;
      std::int64_t bytes = 0;
      if (__builtin_mul_overflow(send.pixels.size() * pixel_bytes, layers.of(depth).layers, &bytes))
        throw ArgumentError(schedule.name() + ": a transfer of rank " + std::to_string(rank) +
                            " has more than 2^63 - 1 bytes");
      if (bytes > 0) stages[static_cast<std::size_t>(send.stage) - 1].push_back({rank, send.peer, bytes});
    }
  }
  return std::make_shared<FlowList>(schedule.name(), schedule.p(), std::move(stages));
}

std::shared_ptr<const Pattern> traffic_pattern(std::string name, std::int32_t p,
                                               std::vector<std::vector<Flow>> stages) {
  return std::make_shared<FlowList>(std::move(name), p, std::move(stages));
}

// Traffic in a file: one line "stage source destination [bytes]" per message, # begins a comment, all numbers
// from 0.
namespace {

constexpr std::int64_t most_stages = 1 << 20;
constexpr std::int64_t most_participants = 1 << 20;
constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max() >> 1;

}  // namespace

std::shared_ptr<const Pattern> read_traffic(std::string_view text, const std::string& file) {
  Scanner scan(text, file);
  std::vector<std::vector<Flow>> stages;
  std::int32_t p = 0;
  while (scan.next_line()) {
    if (scan.at_end() || scan.accept("#")) continue;
    const auto stage = static_cast<std::size_t>(scan.decimal("a stage", 0, most_stages - 1));
    Flow flow;
    flow.source = static_cast<std::int32_t>(scan.decimal("a source", 0, most_participants - 1));
    flow.destination = static_cast<std::int32_t>(scan.decimal("a destination", 0, most_participants - 1));
    flow.bytes = 1;
    if (!scan.at_end() && !scan.rest().starts_with('#')) flow.bytes = scan.decimal("bytes", 0, most_bytes);
    if (!scan.accept("#")) scan.expect_end();
    if (flow.source == flow.destination) {
      scan.fail("participant " + std::to_string(flow.source) + " sends to itself; leave the line out");
    }
    if (stages.size() <= stage) stages.resize(stage + 1);
    stages[stage].push_back(flow);
    p = std::max({p, flow.source + 1, flow.destination + 1});
  }
  if (stages.empty()) scan.fail("expected lines 'stage source destination [bytes]', found none");
  return traffic_pattern(file, p, std::move(stages));
}

}  // namespace sortlast::fabric
