// ScheduleBuilder: the calls of an algorithm that describes all ranks, kept as one program per rank.
#include <algorithm>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithm.hpp"
#include "sortlast/schedule_builder.hpp"

namespace sortlast {
namespace {

std::string text(Range range) {
  return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")";
}

std::string text(const Part& part) {
  return "pixels " + text(part.pixels) + " with depth positions " + text(part.depth) + " on rank " +
         std::to_string(part.rank);
}

// A list of ranks in which an empty one stands for rank order.
std::vector<std::int32_t> all_ranks(std::vector<std::int32_t> ranks, std::int32_t p) {
  for (std::int32_t rank = 0; ranks.size() < static_cast<std::size_t>(p); ++rank) ranks.push_back(rank);
  return ranks;
}

bool by_stage(const auto& a, const auto& b) { return a.stage < b.stage; }

}  // namespace

ScheduleBuilder::ScheduleBuilder(const Setting& setting, std::string parameters)
    : setting_(setting),
      parameters_(std::move(parameters)),
      ring_(all_ranks(setting.ring, setting.p)),
      order_(setting.commutes ? ring_ : all_ranks(setting.order, setting.p)),
      programs_(static_cast<std::size_t>(setting.p)) {
  place_ = inverse(order_);
  for (std::int32_t rank = 0; rank < p(); ++rank) {
    const std::int64_t place = at(place_, rank);
    of(rank).rank = rank;
    of(rank).values.push_back({{0, n()}, {place, place + 1}});
  }
}

Program& ScheduleBuilder::of(std::int32_t rank) { return programs_[static_cast<std::size_t>(rank)]; }

void ScheduleBuilder::check(std::int32_t rank) const {
  if (rank >= 0 && rank < p()) return;
  throw ArgumentError("rank is " + std::to_string(rank) + "; expected 0.." + std::to_string(p() - 1));
}

void ScheduleBuilder::check(const Part& part) const {
  check(part.rank);
  if (part.pixels.empty()) return;
  const auto& values = programs_[static_cast<std::size_t>(part.rank)].values;
  const bool known = part.value >= 0 && static_cast<std::size_t>(part.value) < values.size();
  if (known && values[static_cast<std::size_t>(part.value)].depth == part.depth &&
      values[static_cast<std::size_t>(part.value)].pixels.contains(part.pixels))
    return;
  throw ArgumentError("part is of another builder: it has " + text(part));
}

Part ScheduleBuilder::image(std::int32_t rank) const {
  check(rank);
  const std::int64_t place = at(place_, rank);
  return {rank, n() > 0 ? 0 : -1, {0, n()}, {place, place + 1}, 0};
}

Part ScheduleBuilder::cut(const Part& part, Range pixels) const {
  check(part);
  Part result = part;
  result.pixels = intersection(part.pixels, pixels);
  if (result.pixels.empty()) result.value = -1;
  return result;
}

Part ScheduleBuilder::send(const Part& part, std::int32_t to, std::int32_t stage) {
  check(part);
  check(to);
  if (to == part.rank)
    throw ArgumentError("to is " + std::to_string(to) + "; expected a rank that does not have the part yet");
  if (stage == 0) stage = part.stage + 1;
  if (stage <= part.stage) {
    throw ArgumentError("stage is " + std::to_string(stage) + "; expected " + std::to_string(part.stage + 1) +
                        " or more for " + text(part) + ", or 0");
  }
  Part arrived = part;
  arrived.rank = to;
  arrived.stage = stage;
  if (part.pixels.empty()) return arrived;
  arrived.value = static_cast<Value>(of(to).values.size());
  of(part.rank).sends.push_back({stage, to, part.value, part.pixels});
  of(to).receives.push_back({stage, part.rank, arrived.value});
  of(to).values.push_back({part.pixels, part.depth});
  return arrived;
}

// The depth range that the parts tile. Modulo p, a range may begin anywhere on the circle.
Range ScheduleBuilder::tiled(std::vector<Part> parts) const {
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.depth.begin < b.depth.begin; });
  const auto follows = [&](const Part& before, const Part& after) {
    return before.depth.end == after.depth.begin ||
           (commutes() && before.depth.end % p() == after.depth.begin % p());
  };
  // The part that follows none of the others is the first one; on a full circle, any.
  std::size_t first = 0;
  for (std::size_t i = 1; commutes() && i < parts.size(); ++i) {
    if (!follows(parts[i - 1], parts[i])) first = i;
  }
  Range whole{parts[first].depth.begin, parts[first].depth.begin};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[(first + i) % parts.size()];
    if (i > 0 && !follows(parts[(first + i - 1) % parts.size()], part)) {
      throw ArgumentError("parts are not adjacent in depth: behind " +
                          text(parts[(first + i - 1) % parts.size()]) + " lies " + text(part));
    }
    whole.end += part.depth.size();
  }
  if (whole.size() > p()) throw ArgumentError("parts overlap in depth");
  return whole.size() == p() ? Range{0, p()} : whole;
}

Part ScheduleBuilder::merge(const std::vector<Part>& parts) {
  if (parts.empty()) throw ArgumentError("parts is empty; expected one or more");
  std::vector<Arrival> arrivals;
  Part result = parts.front();
  for (const Part& part : parts) {
    check(part);
    if (part.rank != result.rank || !(part.pixels == result.pixels)) {
      throw ArgumentError("parts differ: " + text(result) + ", and " + text(part) +
                          "; expected the same rank and the same pixels");
    }
    arrivals.push_back({part.value, part.depth});
    result.stage = std::max(result.stage, part.stage);
  }
  result.depth = tiled(parts);
  if (parts.size() == 1 || result.pixels.empty()) return result;
  Program& program = of(result.rank);
  result.value = static_cast<Value>(program.values.size());
  program.values.push_back({result.pixels, result.depth});
  append_merges(program, result.value, result.pixels, arrivals, commutes() ? p() : 0);
  return result;
}

void ScheduleBuilder::finish(const Part& part) {
  check(part);
  Program& program = of(part.rank);
  if (program.result >= 0)
    throw ArgumentError("rank " + std::to_string(part.rank) + " has a result already; expected one per rank");
  if (part.pixels.empty()) return;
  program.result = part.value;
  // A composite that has travelled may have a wider format than the image, so it is copied.
  const bool received = std::any_of(program.receives.begin(), program.receives.end(),
                                    [&](const Receive& receive) { return receive.value == part.value; });
  const bool whole = program.values[static_cast<std::size_t>(part.value)].pixels == part.pixels;
  if (whole && !received) return;
  program.result = static_cast<Value>(program.values.size());
  program.values.push_back({part.pixels, part.depth});
  program.merges.push_back({program.result, part.pixels, {{part.value, false}}});
}

std::vector<Program> ScheduleBuilder::programs() && {
  for (Program& program : programs_) {
    std::stable_sort(program.sends.begin(), program.sends.end(), by_stage<Send, Send>);
    std::stable_sort(program.receives.begin(), program.receives.end(), by_stage<Receive, Receive>);
  }
  return std::move(programs_);
}

}  // namespace sortlast
