// What single failures cost a job: every one of them is routed and analysed by itself.
//
// A subnet manager computes all tables again when a part fails, and ftree spreads destinations over the links
// that remain. A failure may therefore change any flow, including flows far away from it, so that the loads
// of the intact fabric do not give its cost. Rejected: moving only the flows of the failed link to its
// neighbours, which is what adaptive routing does, and which is faster, but not what static tables do.
//
// Failures are independent, and each is analysed on one thread. On 1,644 hosts a failure takes about 14 ms to
// route, plus the analysis of the job.
#include "sortlast/fabric/failures.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention/link_rates.hpp"
#include "sortlast/fabric/contention/stages.hpp"

namespace sortlast::fabric {

namespace {

using Numbers = std::vector<std::int32_t>;

// Numbers of the remaining hosts and switches; -1: lost. Parts keep their order.
struct Renumbered {
  Numbers hosts, switches;

  Renumbered(const Topology& before, const Topology& after) {
    std::int32_t next = 0;
    for (std::int32_t h = 0; h < before.hosts(); ++h) {
      const bool kept = next < after.hosts() && same(before.host(h), after.host(next));
      hosts.push_back(kept ? next++ : -1);
    }
    next = 0;
    for (std::int32_t s = 0; s < before.switches(); ++s) {
      const bool kept = next < after.switches() && same(before.switch_at(s), after.switch_at(next));
      switches.push_back(kept ? next++ : -1);
    }
  }

  static Numbers of(const Numbers& numbers, const Numbers& before) {
    Numbers result;
    for (const std::int32_t number : before) {
      const std::int32_t now = numbers[static_cast<std::size_t>(number)];
      if (now >= 0) result.push_back(now);
    }
    return result;
  }

 private:
  static bool same(const Host& a, const Host& b) {
    return std::tie(a.guid, a.port_guid, a.port, a.name) == std::tie(b.guid, b.port_guid, b.port, b.name);
  }
  static bool same(const Switch& a, const Switch& b) {
    return std::tie(a.guid, a.name, a.ports) == std::tie(b.guid, b.name, b.ports);
  }
};

class Job {
 public:
  Job(const std::shared_ptr<const Topology>& topology, std::string_view engine, const RouteOptions& options,
      const Pattern& pattern, const Placement& placement, double rate)
      : topology_(topology),
        engine_(engine),
        options_(options),
        pattern_(pattern),
        placement_(placement),
        rate_(rate) {
    Placement hosts = placement;
    std::erase(hosts, -1);
    std::sort(hosts.begin(), hosts.end());
    const bool distinct = std::adjacent_find(hosts.begin(), hosts.end()) == hosts.end();
    const LinkRates rates(*topology, rate);
    bool alike = true;
    for (Channel c = 0; c < topology->channels(); ++c) {
      alike = alike && (!topology->target(c).connected() || rates.slower(c) == 1);
    }
    counts_shifts_ = pattern.is_shift() && distinct && alike;
    fastest_ = rates.fastest();
  }

  void judge(Failure& failure) const {
    std::shared_ptr<const Topology> rest;
    if (failure.channel >= 0) {
      rest = std::make_shared<const Topology>(without_stranded(without_links(*topology_, {failure.channel})));
    } else {
      rest = std::make_shared<const Topology>(
          without_stranded(without_switches(*topology_, {failure.failed_switch})));
    }
    const Renumbered numbers(*topology_, *rest);
    Placement placement = placement_;
    for (std::int32_t& host : placement) {
      if (host < 0) continue;
      host = numbers.hosts[static_cast<std::size_t>(host)];
      if (host < 0) ++failure.lost;
    }
    if (failure.lost > 0) {
      failure.why = "its hosts are lost";
      return;
    }
    RouteOptions options = options_;
    options.roots = Renumbered::of(numbers.switches, options_.roots);
    options.compute = Renumbered::of(numbers.hosts, options_.compute);
    try {
      const Routes routes = route(rest, engine_, options);
      failure.engine = routes.engine;
      failure.why = routes.fallback;
      time(routes, placement, failure);
    } catch (const Error& error) {
      failure.lost = static_cast<std::int32_t>(placement.size());
      failure.why = error.what();
    }
  }

  // Fills seconds and max_flows.
  void time(const Routes& routes, const Placement& placement, Failure& failure) const {
    const AnalysisOptions alone{.threads = 1};
    const Contention found = contention(routes, pattern_, placement, alone);
    failure.max_flows = found.max_flows;
    if (!counts_shifts_) {
      failure.seconds = pattern_time(routes, pattern_, placement, rate_, 0, alone).synchronised;
      return;
    }
    double bytes = 0;
    for (std::int64_t stage = 0; stage < found.stages; ++stage) {
      if (stage == 0) bytes = static_cast<double>(pattern_.flows(0).front().bytes);
      failure.seconds += bytes * found.stage_max[static_cast<std::size_t>(stage)] / fastest_;
    }
  }

 private:
  std::shared_ptr<const Topology> topology_;
  std::string engine_;
  const RouteOptions& options_;
  const Pattern& pattern_;
  const Placement& placement_;
  double rate_;
  double fastest_ = 0;
  bool counts_shifts_ = false;
};

std::vector<Failure> all_single(const Topology& topology) {
  std::vector<Failure> failures;
  for (Channel c = topology.hosts(); c < topology.channels(); ++c) {
    const End& to = topology.target(c);
    if (!to.connected() || topology.is_host(to.vertex) || topology.reverse(c) < c) continue;
    failures.push_back({.channel = c});
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) failures.push_back({.failed_switch = s});
  return failures;
}

}  // namespace

std::vector<Failure> single_failures(const std::shared_ptr<const Topology>& topology, std::string_view engine,
                                     const RouteOptions& route_options, const Pattern& pattern,
                                     const Placement& placement, double link_bytes_per_second,
                                     const AnalysisOptions& options) {
  check_placement(*topology, pattern, placement);
  const Job job(topology, engine, route_options, pattern, placement, link_bytes_per_second);
  Failure intact;
  job.time(route(topology, engine, route_options), placement, intact);  // raises its errors

  std::vector<Failure> failures = all_single(*topology);
  const auto count = static_cast<std::int64_t>(failures.size());
  std::vector<StageWorker> workers;
  for (std::size_t w = stage_workers(count, 1, options); w > 0; --w) {
    workers.emplace_back(
        [&](std::int64_t first, std::int64_t last, const std::function<void()>& failure_done) {
          for (std::int64_t i = first; i < last; ++i) {
            job.judge(failures[static_cast<std::size_t>(i)]);
            failure_done();
          }
        });
  }
  run_stages(count, 1, options, workers);
  std::stable_sort(failures.begin(), failures.end(), [](const Failure& a, const Failure& b) {
    const bool stops = a.lost > 0, other_stops = b.lost > 0;
    return stops != other_stops ? stops : stops ? a.lost > b.lost : a.seconds > b.seconds;
  });
  return failures;
}

}  // namespace sortlast::fabric
