// Flows spread over all paths that the switches allow: evenly, and optimally.
//
// The minimum load of the fullest channel is a maximum concurrent flow with splittable flows (Leighton and
// Rao 1999; Shahrokhi and Matula 1990), which is a linear program. Multiplicative weights (Plotkin, Shmoys
// and Tardos 1995) bound it from both sides. Each channel gets a length that grows exponentially with its
// load. For any lengths, the sum of the shortest paths of all flows divided by the sum of all lengths is a
// lower bound. In each round a part of every flow moves to its shortest path; the part is chosen to minimise
// the sum of the exponentials. Rejected: solving the linear program, which needs a variable for each flow and
// channel and a solver as a dependency, for a percent that does not matter here.
#include "sortlast/fabric/spreading.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention/stages.hpp"
#include "sortlast/fabric/contention/ways_to_leaf.hpp"
#include "sortlast/fabric/routing/engine.hpp"

namespace sortlast::fabric {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// The flows of a stage, split over their paths.
class StageFlows {
 public:
  StageFlows(const Spreading& spreading, std::span<const Flow> flows, const Placement& placement)
      : loads_(at(spreading.topology->channels()), 0), length_(loads_.size(), 0) {
    const Topology& topology = *spreading.topology;
    std::map<std::int32_t, std::size_t> group;  // by leaf
    for (const Flow& flow : flows) {
      const std::int32_t from = placement[at(flow.source)], to = placement[at(flow.destination)];
      if (from < 0 || to < 0 || from == to) continue;
      loads_[at(topology.channel_of_host(from))] += 1;
      loads_[at(topology.reverse(topology.channel_of_host(to)))] += 1;
      const std::int32_t leaf = topology.switch_of(topology.attachment(to).vertex);
      const auto [found, is_new] = group.try_emplace(leaf, groups_.size());
      if (is_new) groups_.push_back({WaysToLeaf(*spreading.allowed, to), {}, {}});
      Group& mine = groups_[found->second];
      const std::int32_t place = mine.ways.add(topology.switch_of(topology.attachment(from).vertex));
      if (at(place) >= mine.begin.size()) mine.begin.resize(at(place) + 1, 0);
      mine.begin[at(place)] += 1;
    }
    host_loads_ = loads_;
    split_evenly();
  }

  double fullest() const { return *std::max_element(loads_.begin(), loads_.end()); }
  // On the fullest host link, which no splitting changes.
  double on_hosts() const { return *std::max_element(host_loads_.begin(), host_loads_.end()); }

  // For one leaf after the other, moves part of its flows to the paths that are shortest if a channel has
  // length exp(steep * load). The part is chosen to minimise the sum of these lengths, which is convex in it.
  void move(double steep) {
    for (Group& group : groups_) {
      const double most = fullest();
      lengthen(group, steep, most);
      const std::vector<double> other = on_shortest(group, distances(group));
      const std::span<const Hop> hops = group.ways.all_hops();
      const auto slope = [&](double part) {
        double sum = 0;
        for (std::size_t i = 0; i < hops.size(); ++i) {
          const double change = other[i] - group.on_hop[i];
          if (change != 0)
            sum += change * std::exp(steep * (loads_[at(hops[i].channel)] + part * change - most));
        }
        return sum;
      };
      double low = 0, high = 1;
      for (int i = 0; i < 12; ++i) {
        const double middle = (low + high) / 2;
        (slope(middle) < 0 ? low : high) = middle;
      }
      for (std::size_t i = 0; i < hops.size(); ++i) {
        const double change = low * (other[i] - group.on_hop[i]);
        group.on_hop[i] += change;
        loads_[at(hops[i].channel)] += change;
      }
    }
  }

  // Lower bound for the fullest channel of any splitting: the shortest paths of all flows divided by the sum
  // of all lengths.
  double bound(double steep) {
    std::fill(length_.begin(), length_.end(), 0);
    const double most = fullest();
    for (const Group& group : groups_) lengthen(group, steep, most);
    double ways = 0;
    for (std::size_t c = 0; c < loads_.size(); ++c) {
      if (host_loads_[c] == 0) continue;
      length_[c] = std::exp(steep * (loads_[c] - most));
      ways += host_loads_[c] * length_[c];
    }
    for (const Group& group : groups_) {
      const std::vector<double> distance = distances(group);
      for (std::size_t place = 0; place < group.begin.size(); ++place) {
        if (group.begin[place] > 0) ways += group.begin[place] * distance[place];
      }
    }
    return ways / std::accumulate(length_.begin(), length_.end(), 0.0);
  }

 private:
  using Hop = WaysToLeaf::Hop;
  // The flows to one leaf.
  struct Group {
    WaysToLeaf ways;
    std::vector<double> begin;   // by place: flows that begin there
    std::vector<double> on_hop;  // by hop
  };

  // Visits the places from the farthest to the leaf, with the flows at each place; `send(place, flows)`
  // forwards them over the hops.
  template <class Send>
  static void for_places(const Group& group, const Send& send) {
    std::vector<double> there = group.begin;
    there.resize(at(group.ways.places()), 0);
    for (std::int32_t place = group.ways.places() - 1; place >= 0; --place) {
      if (there[at(place)] > 0) send(place, there[at(place)], there);
    }
  }

  void split_evenly() {
    for (Group& group : groups_) {
      const std::span<const Hop> hops = group.ways.all_hops();
      group.on_hop.assign(hops.size(), 0);
      for_places(group, [&](std::int32_t place, double flows, std::vector<double>& there) {
        const auto [first, end] = group.ways.hops(place);
        for (std::size_t i = first; i < end; ++i) {
          group.on_hop[i] = flows / static_cast<double>(end - first);
          loads_[at(hops[i].channel)] += group.on_hop[i];
          there[at(hops[i].to)] += group.on_hop[i];
        }
      });
    }
  }

  // `most`: flows on the fullest channel.
  void lengthen(const Group& group, double steep, double most) {
    for (const Hop& hop : group.ways.all_hops()) {
      length_[at(hop.channel)] = std::exp(steep * (loads_[at(hop.channel)] - most));
    }
  }

  // By place: length of the shortest path to the leaf.
  std::vector<double> distances(const Group& group) const {
    const std::span<const Hop> hops = group.ways.all_hops();
    std::vector<double> distance(at(group.ways.places()), 0);
    for (std::int32_t place = 0; place < group.ways.places(); ++place) {
      const auto [first, end] = group.ways.hops(place);
      if (first == end) continue;
      distance[at(place)] = HUGE_VAL;
      for (std::size_t i = first; i < end; ++i) {
        distance[at(place)] =
            std::min(distance[at(place)], length_[at(hops[i].channel)] + distance[at(hops[i].to)]);
      }
    }
    return distance;
  }

  // By hop: flows if all take their shortest paths.
  std::vector<double> on_shortest(const Group& group, const std::vector<double>& distance) const {
    const std::span<const Hop> hops = group.ways.all_hops();
    std::vector<double> on_hop(hops.size(), 0);
    for_places(group, [&](std::int32_t place, double flows, std::vector<double>& there) {
      const auto [first, end] = group.ways.hops(place);
      if (first == end) return;
      const auto way = [&](std::size_t i) { return length_[at(hops[i].channel)] + distance[at(hops[i].to)]; };
      std::size_t best = first;
      for (std::size_t i = first + 1; i < end; ++i) {
        if (way(i) < way(best)) best = i;
      }
      on_hop[best] = flows;
      there[at(hops[best].to)] += flows;
    });
    return on_hop;
  }

  std::vector<Group> groups_;
  std::vector<double> loads_;       // by channel: flows
  std::vector<double> host_loads_;  // by channel: flows on the links of hosts alone
  std::vector<double> length_;      // by channel
};

constexpr double growth = 1.03;  // of the steepness, a round

struct Bounds {
  double best = 0, bound = 0;
};

Bounds bounds_of(StageFlows& flows, const SpreadOptions& options) {
  Bounds found{flows.fullest(), flows.on_hosts()};
  // The bound is tighter for steeper lengths, provided that the flows are nearly optimal for them, so the
  // steepness grows slowly.
  double steep = 4 / std::max(found.best, 1.0);
  for (std::int32_t round = 0; round < options.rounds && found.best > (1 + options.gap) * found.bound;
       ++round) {
    flows.move(steep);
    found.best = std::min(found.best, flows.fullest());
    found.bound = std::max(found.bound, flows.bound(steep));
    steep *= growth;
  }
  return found;
}

}  // namespace

std::span<const SpreadingEntry> spreadings() {
  static const std::vector<SpreadingEntry> all = {
      {"shortest", "All ways of fewest hops, whatever they may wait for."},
      {"ar-updn", "All least-hop up*/down* ways, as OpenSM's ar_updn allows."},
      {"ar-ftree", "All ports up, then all ports down, as OpenSM's ar_ftree allows."},
  };
  return all;
}

Spreading spreading(std::shared_ptr<const Topology> topology, std::string_view name,
                    const RouteOptions& options) {
  check_options(*topology, options);
  std::shared_ptr<const AllowedPorts> allowed;
  if (name == "shortest") {
    allowed = shortest_ports(topology);
  } else if (name == "ar-updn") {
    allowed = ar_updn(topology, options);
  } else if (name == "ar-ftree") {
    allowed = ar_ftree(topology, options);
  } else {
    std::string names;
    for (const SpreadingEntry& entry : spreadings()) names += (names.empty() ? "" : ", ") + entry.name;
    throw ArgumentError("no spreading '" + std::string(name) + "'; expected one of " + names);
  }
  return {std::string(name), std::move(topology), std::move(allowed)};
}

std::vector<ChannelShare> even_shares(const Spreading& spreading, std::int32_t source,
                                      std::int32_t destination) {
  if (source == destination) return {};
  const Topology& topology = *spreading.topology;
  WaysToLeaf ways(*spreading.allowed, destination);
  std::vector<double> there;
  const std::int32_t first = ways.add(topology.switch_of(topology.attachment(source).vertex));
  there.resize(at(ways.places()), 0);
  there[at(first)] = 1;
  std::vector<ChannelShare> shares{{topology.channel_of_host(source), 1}};
  for (std::int32_t place = first; place >= 0; --place) {
    const auto [begin, end] = ways.hops(place);
    if (there[at(place)] == 0) continue;
    for (std::size_t i = begin; i < end; ++i) {
      const WaysToLeaf::Hop& hop = ways.all_hops()[i];
      shares.push_back({hop.channel, there[at(place)] / static_cast<double>(end - begin)});
      there[at(hop.to)] += shares.back().share;
    }
  }
  shares.push_back({topology.reverse(topology.channel_of_host(destination)), 1});
  return shares;
}

SpreadContention spread_contention(const Spreading& spreading, const Pattern& pattern,
                                   const Placement& placement, const SpreadOptions& options) {
  check_placement(*spreading.topology, pattern, placement);
  if (!(options.gap >= 0)) throw ArgumentError("gap is below 0");
  if (options.rounds < 0) throw ArgumentError("rounds is below 0");
  SpreadContention found;
  for (std::int64_t stage = 0; stage < pattern.stages(); ++stage) {
    if (options.progress &&
        !options.progress(static_cast<double>(stage) / static_cast<double>(pattern.stages()))) {
      throw Error("cancelled");
    }
    StageFlows flows(spreading, pattern.flows(stage), placement);
    found.even.push_back(flows.fullest());
    const Bounds bounds = bounds_of(flows, options);
    found.best.push_back(bounds.best);
    found.bound.push_back(bounds.bound);
  }
  if (options.progress) options.progress(1);
  return found;
}

}  // namespace sortlast::fabric
