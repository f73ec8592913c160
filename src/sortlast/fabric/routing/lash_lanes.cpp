#include "sortlast/fabric/routing/lash_lanes.hpp"

namespace sortlast::fabric {

LashLanes::LashLanes(const SwitchGraph& graph, std::int32_t most_lanes)
    : graph_(graph), most_lanes_(most_lanes) {
  // Number the dependencies: a cable, and one of those that go on from where it leads.
  std::size_t number = 0;
  for (std::int32_t s = 0; s < graph.switches(); ++s) {
    for (const SwitchCable& cable : graph.cables(s)) {
      first_dependency_.push_back(number);
      first_onward_.push_back(graph.first_cable(cable.other));
      number += graph.cables(cable.other).size();
    }
  }
  first_dependency_.push_back(number);
  visited_.resize(first_onward_.size());
}

std::int32_t LashLanes::add(const Way& there, const Way& back) {
  std::vector<Step> steps;
  for (const Way* way : {&there, &back}) {
    for (std::size_t i = 1; i < way->size(); ++i) {
      const std::size_t first = (*way)[i - 1], second = (*way)[i];
      steps.push_back({first, second, first_dependency_[first] + second - first_onward_[first]});
    }
  }
  for (std::int32_t lane = 0; lane < most_lanes_; ++lane) {
    if (lane == lanes()) {
      lanes_.push_back({std::vector<Dependency>(first_dependency_.back(), Dependency::absent),
                        std::vector<std::vector<std::size_t>>(first_onward_.size())});
    }
    if (fits(lanes_[static_cast<std::size_t>(lane)], steps)) return lane;
  }
  return -1;
}

// Adds the steps to a lane that stays free of circles with them; else leaves it as it was.
bool LashLanes::fits(Lane& lane, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (lane.dependencies[step.number] == Dependency::forbidden) return false;
  }
  std::vector<const Step*> added;
  for (const Step& step : steps) {
    if (lane.dependencies[step.number] == Dependency::present) continue;
    if (reaches(lane, step.second, step.first)) {
      // What closes a circle with what the lane holds for good will always do so.
      if (added.empty()) lane.dependencies[step.number] = Dependency::forbidden;
      for (auto undo = added.rbegin(); undo != added.rend(); ++undo) {
        lane.dependencies[(*undo)->number] = Dependency::absent;
        lane.waiting[(*undo)->first].pop_back();
      }
      return false;
    }
    lane.dependencies[step.number] = Dependency::present;
    lane.waiting[step.first].push_back(step.second);
    added.push_back(&step);
  }
  return true;
}

bool LashLanes::reaches(const Lane& lane, std::size_t from, std::size_t to) {
  ++search_;
  stack_.assign(1, from);
  while (!stack_.empty()) {
    const std::size_t cable = stack_.back();
    stack_.pop_back();
    if (cable == to) return true;
    if (visited_[cable] == search_) continue;
    visited_[cable] = search_;
    for (const std::size_t next : lane.waiting[cable]) {
      if (visited_[next] != search_) stack_.push_back(next);
    }
  }
  return false;
}

}  // namespace sortlast::fabric
