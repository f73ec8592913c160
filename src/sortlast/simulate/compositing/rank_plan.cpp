#include "sortlast/simulate/compositing/rank_plan.hpp"

#include <algorithm>
#include <cmath>

namespace sortlast::simulate {

RankPlan::RankPlan(const Schedule& schedule, std::int32_t rank, const CompositingOptions& options)
    : options_(options),
      cell_(options.chunk_bytes > 0 ? std::max<std::int64_t>(1, options.chunk_bytes / options.pixel_bytes)
                                    : std::max<std::int64_t>(1, schedule.n())),
      program_(schedule.program(rank)) {
  cut_sends();
  list_steps();
  for (const Send& send : program_.sends) stages_.push_back(send.stage);
  for (const Receive& receive : program_.receives) stages_.push_back(receive.stage);
  for (std::int32_t s = 1; options.barrier && s <= schedule.stages(); ++s) stages_.push_back(s);
  std::sort(stages_.begin(), stages_.end());
  stages_.erase(std::unique(stages_.begin(), stages_.end()), stages_.end());
}

// The part of some pixels in the i-th of the cells that they meet.
Range RankPlan::in_cell(Range pixels, std::int64_t i) const {
  const std::int64_t begin = (cell(pixels.begin) + i) * cell_;
  return intersection(pixels, {begin, begin + cell_});
}

std::int64_t RankPlan::bytes(Range pixels, Value value) const {
  const std::int64_t dense = pixels.size() * options_.pixel_bytes;
  if (options_.active == 1) return dense;
  const auto depth = static_cast<double>(program_.values[static_cast<std::size_t>(value)].depth.size());
  return std::llround(static_cast<double>(dense) * (1 - std::pow(1 - options_.active, depth)));
}

void RankPlan::cut_sends() {
  for (std::size_t k = 0; k < program_.sends.size(); ++k) {
    const Send& send = program_.sends[k];
    for (std::int64_t i = 0; i < cells(send.pixels); ++i) {
      const Range part = in_cell(send.pixels, i);
      parts_.push_back({send.stage, send.peer, send.value, part, bytes(part, send.value), k, i > 0});
    }
  }
}

void RankPlan::list_steps() {
  // Find the stage after which each value is complete.
  std::vector<std::int32_t> ready(program_.values.size(), 0);
  const auto ready_at = [&](Value value) -> std::int32_t& { return ready[static_cast<std::size_t>(value)]; };
  for (const Receive& receive : program_.receives) ready_at(receive.value) = receive.stage;

  // List the joins of every merge, chain by chain.
  for (const Merge& merge : program_.merges) {
    std::int32_t stage = ready_at(merge.inputs[0].value);
    const bool copies = merge.inputs.size() == 1;
    for (std::size_t j = copies ? 0 : 1; j < merge.inputs.size(); ++j) {
      const Value joined = merge.inputs[j].value;
      stage = std::max(stage, ready_at(joined));
      for (std::int64_t i = 0; i < cells(merge.pixels); ++i) {
        const Range part = in_cell(merge.pixels, i);
        const double seconds =
            copies || options_.blend_bytes_per_second == 0
                ? 0
                : static_cast<double>(bytes(part, joined)) / options_.blend_bytes_per_second;
        steps_.push_back({stage, part, merge.value, j == 1 ? merge.inputs[0].value : -1, joined,
                          std::llround(seconds * 1e9)});
      }
    }
    ready_at(merge.value) = std::max(ready_at(merge.value), stage);
  }
  std::stable_sort(steps_.begin(), steps_.end(), [this](const Step& a, const Step& b) {
    return a.stage != b.stage ? a.stage < b.stage : cell(a.pixels.begin) < cell(b.pixels.begin);
  });
}

}  // namespace sortlast::simulate
