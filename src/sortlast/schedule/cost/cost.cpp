// Cost of a schedule by the alpha-beta-gamma model.
#include "sortlast/cost.hpp"

#include <algorithm>
#include <vector>

#include "sortlast/schedule/algorithm.hpp"
#include "sortlast/schedule/depth_layers.hpp"

namespace sortlast {
namespace {

double combine(double wait, double blend, bool hidden) {
  return hidden ? std::max(wait, blend) : wait + blend;
}

// The cost of one rank. A stage costs the larger of its sends and its receives, because a rank does both at
// once. The pixels of a fragment count once per layer.
Timing price_rank(const Program& program, const CostModel& model, std::int32_t stages,
                  const DepthLayers& depth_layers) {
  const auto layers = [&](Value value) {
    return static_cast<double>(depth_layers.of(program.values[static_cast<std::size_t>(value)].depth).layers);
  };
  struct Direction {
    double messages = 0;
    double pixels = 0;
  };
  std::vector<Direction> out(static_cast<std::size_t>(stages) + 1);
  std::vector<Direction> in(out.size());
  const auto count = [&](Direction& direction, Range pixels, Value value) {
    direction.messages += 1;
    direction.pixels += static_cast<double>(pixels.size()) * layers(value);
  };
  for (const Send& send : program.sends)
    count(out[static_cast<std::size_t>(send.stage)], send.pixels, send.value);
  for (const Receive& receive : program.receives) {
    count(in[static_cast<std::size_t>(receive.stage)],
          program.values[static_cast<std::size_t>(receive.value)].pixels, receive.value);
  }

  Timing timing;
  for (std::size_t stage = 0; stage < out.size(); ++stage) {
    const auto cost = [&model](const Direction& direction) {
      const double starts =
          model.latency == Latency::per_round ? std::min(direction.messages, 1.0) : direction.messages;
      return model.alpha * starts + model.beta * direction.pixels;
    };
    timing.wait += std::max(cost(out[stage]), cost(in[stage]));
  }
  for (const Merge& merge : program.merges) {
    double blended = -layers(merge.value);
    for (const Merge::Input& input : merge.inputs) blended += layers(input.value);
    timing.blend += model.gamma * static_cast<double>(merge.pixels.size()) * blended;
  }
  timing.total = combine(timing.wait, timing.blend, model.overlap);
  timing.messages_sent = static_cast<std::int64_t>(program.sends.size());
  timing.messages_received = static_cast<std::int64_t>(program.receives.size());
  timing.stages = stages;
  return timing;
}

}  // namespace

Timing price(const Schedule& schedule, const CostModel& model) {
  const DepthLayers layers(schedule);
  Timing worst;
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    const Timing timing = price_rank(schedule.program(rank), model, schedule.stages(), layers);
    if (rank == 0 || timing.total > worst.total) worst = timing;
  }
  return worst;
}

Timing published_cost(std::string_view name, std::int32_t p, std::int64_t n, const CostModel& model) {
  const auto [definition, parameters] = parse_algorithm(name);
  const CostTerms terms = definition.terms(p, parameters);
  const double starts = model.latency == Latency::per_round ? terms.rounds : terms.messages;
  Timing timing;
  timing.wait = model.alpha * starts + model.beta * static_cast<double>(n) * terms.sent;
  timing.blend = model.gamma * static_cast<double>(n) * terms.blended;
  timing.total = combine(timing.wait, timing.blend, model.overlap && definition.overlap == "yes");
  timing.messages_sent = static_cast<std::int64_t>(terms.messages);
  timing.messages_received = timing.messages_sent;
  timing.stages = static_cast<std::int64_t>(terms.rounds);
  return timing;
}

}  // namespace sortlast
