// A lower bound of a pattern's time under any routing, from cuts of the fabric.
//
// Model. As in pattern_time.cpp, a message of b bytes on a channel with f flows takes b f / rate, and a stage
// lasts as long as its slowest message. A region is a part of the fabric that k channels leave. If n messages
// leave it in a stage, some channel carries at least ceil(n / k) of them, so the shortest of the n messages,
// alone, bounds the stage: b_min ceil(n / k) / (fastest rate). And because b_max f is at least the sum of the
// bytes on a channel, so does the sum of all bytes over the sum of the rates. For k = 1 the time is exact:
// n b_max / rate. The same holds for messages that enter.
//
// Regions. In a tree: every host, and, for each level l below the highest, the connected sets of switches of
// levels 1 .. l, which are the switches of level 1, the pods above them, and so on. Messages leave them over
// links from level l to l + 1. In any other fabric: every host and every switch. A taper between two levels
// is such a cut; so are missing up-links. Slow links count with the rate of their neighbours: what they cost
// is a loss, as contention is, and no property of the fabric.
//
// Limit. It is a bound for one placement: another order of the hosts may have fewer messages that leave.
#include <algorithm>
#include <cmath>
#include <list>
#include <vector>

#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/link_rates.hpp"
#include "sortlast/fabric/contention/stages.hpp"
#include "sortlast/fabric/loads.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

using Rates = std::vector<double>;  // by channel, in rates of the fastest

// The rates of all channels; slow links have the rate of their neighbours.
Rates intact_rates(const Topology& topology, const LinkRates& rates, double link_bytes_per_second) {
  Rates result;
  for (Channel c = 0; c < topology.channels(); ++c) result.push_back(1 / rates.slower(c));
  if (link_bytes_per_second > 0) return result;
  for (const SlowLink& slow : slow_links(topology)) {
    const double rate = data_rate(slow.expected) / rates.fastest();
    result[at(slow.channel)] = result[at(topology.reverse(slow.channel))] = rate;
  }
  return result;
}

struct Region {
  std::int32_t links = 0;  // that leave it
  double rate = 0;         // sum over its links, in rates of the fastest
  double fastest = 0;      // of its links
};

// A division of the hosts into regions.
struct Cut {
  std::vector<std::int32_t> region;  // by host; -1: in none
  std::vector<Region> regions;

  void add_link(std::int32_t r, double rate) {
    Region& one = regions[at(r)];
    ++one.links;
    one.rate += rate;
    one.fastest = std::max(one.fastest, rate);
  }
};

Cut cut_of_hosts(const Topology& topology, const Rates& rates) {
  Cut cut;
  cut.regions.resize(at(topology.hosts()));
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    cut.region.push_back(h);
    cut.add_link(h, rates[at(topology.channel_of_host(h))]);
  }
  return cut;
}

// Regions of connected switches with `inside`; links to other switches leave them.
template <typename Inside>
Cut cut_of_switches(const Topology& topology, const SwitchGraph& graph, const Rates& rates, bool connects,
                    const Inside& inside) {
  Cut cut;
  std::vector<std::int32_t> region(at(topology.switches()), -1);
  for (std::int32_t first = 0; first < topology.switches(); ++first) {
    if (region[at(first)] >= 0 || !inside(first)) continue;
    const auto number = static_cast<std::int32_t>(cut.regions.size());
    cut.regions.emplace_back();
    std::vector<std::int32_t> reached = {first};
    region[at(first)] = number;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const std::int32_t s = reached[next];
      for (const SwitchCable& cable : graph.cables(s)) {
        if (connects && inside(cable.other)) {
          if (region[at(cable.other)] < 0) reached.push_back(cable.other);
          region[at(cable.other)] = number;
        } else {
          cut.add_link(number, rates[at(topology.channel(s, cable.port))]);
        }
      }
    }
  }
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    cut.region.push_back(region[at(topology.switch_of(topology.attachment(h).vertex))]);
  }
  return cut;
}

std::vector<Cut> cuts_of(const Topology& topology, const Rates& rates) {
  std::vector<Cut> cuts = {cut_of_hosts(topology, rates)};
  const SwitchGraph graph(topology);
  const Levels levels = levels_of(topology);
  if (!levels.why.empty() || levels.level.empty()) {
    cuts.push_back(cut_of_switches(topology, graph, rates, false, [](std::int32_t) { return true; }));
    return cuts;
  }
  const std::int32_t highest = *std::max_element(levels.level.begin(), levels.level.end());
  for (std::int32_t level = 1; level < highest; ++level) {
    cuts.push_back(cut_of_switches(topology, graph, rates, true,
                                   [&](std::int32_t s) { return levels.level[at(s)] <= level; }));
  }
  return cuts;
}

// Messages across the boundary of a region in one stage.
struct Crossing {
  std::int64_t messages = 0, bytes = 0, shortest = 0, longest = 0;

  void add(std::int64_t more) {
    shortest = messages == 0 ? more : std::min(shortest, more);
    longest = std::max(longest, more);
    bytes = LinkRates::plus(bytes, more);
    ++messages;
  }

  // Time over the links of a region, in bytes on the fastest link.
  double time(const Region& region) const {
    if (messages == 0 || region.links == 0) return 0;
    const auto n = static_cast<double>(messages);
    if (region.links == 1) return n * static_cast<double>(longest) / region.rate;
    const double a_link = std::ceil(n / region.links);
    return std::max(static_cast<double>(bytes) / region.rate,
                    a_link * static_cast<double>(shortest) / region.fastest);
  }
};

class CutWorker {
 public:
  CutWorker(const std::vector<Cut>& cuts, const Pattern& pattern, const Placement& placement)
      : cuts_(cuts), pattern_(pattern), placement_(placement) {
    std::size_t regions = 0;
    for (const Cut& cut : cuts) regions = std::max(regions, cut.regions.size());
    out_.resize(regions);
    in_.resize(regions);
  }

  // Time that a stage needs at least, in bytes on the fastest link.
  double time(std::int64_t stage) {
    const std::vector<Flow> flows = pattern_.flows(stage);
    double most = 0;
    for (const Cut& cut : cuts_) {
      std::fill(out_.begin(), out_.end(), Crossing());
      std::fill(in_.begin(), in_.end(), Crossing());
      for (const Flow& flow : flows) cross(cut, flow);
      for (std::size_t r = 0; r < cut.regions.size(); ++r) {
        most = std::max({most, out_[r].time(cut.regions[r]), in_[r].time(cut.regions[r])});
      }
    }
    return most;
  }

 private:
  void cross(const Cut& cut, const Flow& flow) {
    const std::int32_t source = placement_[at(flow.source)], destination = placement_[at(flow.destination)];
    if (source < 0 || destination < 0 || source == destination) return;
    const std::int32_t from = cut.region[at(source)], to = cut.region[at(destination)];
    if (from == to) return;
    if (from >= 0) out_[at(from)].add(flow.bytes);
    if (to >= 0) in_[at(to)].add(flow.bytes);
  }

  const std::vector<Cut>& cuts_;
  const Pattern& pattern_;
  const Placement& placement_;
  std::vector<Crossing> out_, in_;  // by region
};

}  // namespace

double cut_bound(const Topology& topology, const Pattern& pattern, const Placement& placement,
                 double link_bytes_per_second, const AnalysisOptions& options) {
  check_placement(topology, pattern, placement);
  const LinkRates rates(topology, link_bytes_per_second);
  const std::vector<Cut> cuts = cuts_of(topology, intact_rates(topology, rates, link_bytes_per_second));
  const std::int64_t stages = pattern.stages();
  std::vector<double> times(static_cast<std::size_t>(stages), 0);
  std::list<CutWorker> states;
  std::vector<StageWorker> workers;
  for (std::size_t w = stage_workers(stages, 1, options); w > 0; --w) {
    states.emplace_back(cuts, pattern, placement);
    workers.emplace_back([&times, &state = states.back()](std::int64_t first, std::int64_t last,
                                                          const std::function<void()>& stage_done) {
      for (std::int64_t stage = first; stage < last; ++stage) {
        times[static_cast<std::size_t>(stage)] = state.time(stage);
        stage_done();
      }
    });
  }
  run_stages(stages, 1, options, workers);
  double sum = 0;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    sum += static_cast<double>(pattern.repeats(stage)) * times[static_cast<std::size_t>(stage)];
  }
  return rates.fastest() > 0 ? sum / rates.fastest() : 0;
}

}  // namespace sortlast::fabric
