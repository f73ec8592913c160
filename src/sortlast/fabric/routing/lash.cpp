// lash, OpenSM's LASH: shortest paths, and as many virtual lanes as are needed to avoid credit loops.
//
// Lysne, Skeie, Reinemo, Theiss, "Layered Routing in Irregular Networks" (2006); OpenSM 3.3.23,
// osm_ucast_lash.c. Switches are visited in the order of their GUIDs (see engine.hpp). A breadth-first tree
// is grown from each, and every switch of the tree keeps the path down the tree to all switches below it,
// unless an earlier tree has determined one. So there is one path from a switch to another, over the first of
// several cables, for all hosts there; it is shortest, and not balanced at all.
//
// Then every pair of switches, with the paths in both directions, is put on the first lane on which the
// dependencies between cables have no circle: a path that arrives by cable a and leaves by cable b makes a
// wait for b. A pair that fits on no lane opens a new one; LASH gives up when no lanes are left.
//
// Finally OpenSM moves pairs at random from full lanes to empty ones. That changes neither paths nor the
// number of lanes and is left out here; our lanes are those before that step. OpenSM detects circles by
// searching everything reachable, for each pair and lane. We add the dependencies of a path one by one and
// check whether each closes a circle. Since dependencies are never removed, one that closed a circle always
// will, so this is remembered. The 12-ary 3-tree takes 0.02 s here and two minutes in OpenSM; an RLFT of
// 11,664 hosts takes 1 s.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/routing/lash_lanes.hpp"

namespace sortlast::fabric {

LashLanes::LashLanes(const SwitchGraph& graph, std::int32_t most_lanes)
    : graph_(graph), most_lanes_(most_lanes) {
  // Number the dependencies: pairs of a cable and a cable of the switch that it leads to.
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

// Adds the steps to a lane if it stays free of circles; otherwise leaves it unchanged.
bool LashLanes::fits(Lane& lane, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (lane.dependencies[step.number] == Dependency::forbidden) return false;
  }
  std::vector<const Step*> added;
  for (const Step& step : steps) {
    if (lane.dependencies[step.number] == Dependency::present) continue;
    if (reaches(lane, step.second, step.first)) {
      // A step that closes a circle with the permanent contents of the lane will always do so.
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

namespace {

// Common number of virtual lanes for data on adapters and switches. OpenSM uses the minimum over all ports.
constexpr std::int32_t most_lanes = 8;
constexpr std::int32_t none = -1;

// A value for every pair of switches.
template <typename Value>
class SwitchPairs {
 public:
  SwitchPairs(std::int32_t switches, Value value)
      : switches_(static_cast<std::size_t>(switches)), values_(switches_ * switches_, value) {}

  Value& at(std::int32_t a, std::int32_t b) {
    return values_[static_cast<std::size_t>(a) * switches_ + static_cast<std::size_t>(b)];
  }
  Value at(std::int32_t a, std::int32_t b) const {
    return values_[static_cast<std::size_t>(a) * switches_ + static_cast<std::size_t>(b)];
  }

 private:
  std::size_t switches_;
  std::vector<Value> values_;
};

// By switch and destination: the cable that leads there, counted within the switch.
using NextCables = SwitchPairs<std::int32_t>;

// Lets the breadth-first tree of `root` determine the paths that no earlier tree has.
void grow_tree(const SwitchGraph& graph, std::int32_t root, NextCables& next) {
  struct Parent {
    std::int32_t s = none, cable = none;
  };
  std::vector<Parent> parents(static_cast<std::size_t>(graph.switches()));
  const auto enter = [&](std::int32_t s, const SwitchCable& cable) {
    Parent& parent = parents[static_cast<std::size_t>(cable.other)];
    if (cable.other == root || parent.s != none) return false;
    parent = {s, static_cast<std::int32_t>(&cable - graph.cables(s).data())};
    return true;
  };
  for (const std::int32_t below : breadth_first(graph, {root}, enter)) {
    for (std::int32_t s = below; s != root;) {
      const Parent& up = parents[static_cast<std::size_t>(s)];
      std::int32_t& settled = next.at(up.s, below);
      if (settled == none) settled = up.cable;
      s = up.s;
    }
  }
}

LashLanes::Way way(const SwitchGraph& graph, const NextCables& next, std::int32_t from, std::int32_t to) {
  LashLanes::Way cables;
  for (std::int32_t s = from; s != to;) {
    const auto cable = static_cast<std::size_t>(next.at(s, to));
    cables.push_back(graph.first_cable(s) + cable);
    s = graph.cables(s)[cable].other;
  }
  return cables;
}

class LashForwarding final : public Forwarding {
 public:
  LashForwarding(const Topology& topology, const SwitchGraph& graph, const NextCables& next,
                 SwitchPairs<std::uint8_t> lane_of, std::int32_t lanes, std::int32_t planes)
      : tables_(topology), lane_of_(std::move(lane_of)), lanes_(lanes), planes_(planes) {
    for (std::int32_t h = 0; h < topology.hosts(); ++h) {
      leaves_.push_back(topology.switch_of(topology.attachment(h).vertex));
    }
    for (std::int32_t s = 0; s < topology.switches(); ++s) {
      for (std::int32_t to = 0; to < topology.switches(); ++to) {
        tables_.set(s, topology.vertex_of_switch(to), port_towards(graph, next, s, to));
      }
      for (std::int32_t h = 0; h < topology.hosts(); ++h) {
        const std::int32_t leaf = leaves_[static_cast<std::size_t>(h)];
        tables_.set(s, h, s == leaf ? topology.attachment(h).port : port_towards(graph, next, s, leaf));
      }
    }
  }

  // All LIDs of a host use the same path.
  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t /*plane*/) const override {
    return tables_.port(s, destination);
  }
  std::int32_t planes() const override { return planes_; }
  std::int32_t lanes() const override { return lanes_; }
  std::int32_t lane(std::int32_t source, std::int32_t destination) const override {
    return lane_of_.at(leaves_[static_cast<std::size_t>(source)],
                       leaves_[static_cast<std::size_t>(destination)]);
  }

 private:
  static std::int32_t port_towards(const SwitchGraph& graph, const NextCables& next, std::int32_t s,
                                   std::int32_t to) {
    if (s == to) return 0;
    const std::int32_t cable = next.at(s, to);
    return cable == none ? unreachable : graph.cables(s)[static_cast<std::size_t>(cable)].port;
  }

  Tables tables_;
  SwitchPairs<std::uint8_t> lane_of_;
  std::int32_t lanes_;
  std::int32_t planes_;
  std::vector<std::int32_t> leaves_;  // by host
};

}  // namespace

Outcome engine::lash(const Topology& topology, const RouteOptions& options) {
  const SwitchGraph graph(topology);
  const std::vector<std::int32_t> order = switches_by_guid(topology);

  // Determine the paths.
  NextCables next(graph.switches(), none);
  for (const std::int32_t root : order) grow_tree(graph, root, next);

  // Put every pair of switches, both directions, on a lane.
  LashLanes lanes(graph, most_lanes);
  SwitchPairs<std::uint8_t> lane_of(graph.switches(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const std::int32_t a = order[i], b = order[j];
      if (next.at(a, b) == none) continue;  // no cable leads there
      const std::int32_t lane = lanes.add(way(graph, next, a, b), way(graph, next, b, a));
      if (lane < 0) return refuse("its ways need more than " + std::to_string(most_lanes) + " virtual lanes");
      lane_of.at(a, b) = lane_of.at(b, a) = static_cast<std::uint8_t>(lane);
    }
  }
  return {std::make_shared<LashForwarding>(topology, graph, next, std::move(lane_of),
                                           std::max(lanes.lanes(), 1), 1 << options.lmc),
          ""};
}

}  // namespace sortlast::fabric
