#include "sortlast/fabric/placement/order_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast::fabric {

std::optional<OrderLoads> OrderLoads::make(const PathWalker& walker, const std::vector<std::int32_t>& hosts,
                                           const Pattern& pattern, std::int64_t most_bytes) {
  OrderLoads made;
  if (!made.list_ends(pattern, most_bytes)) return std::nullopt;
  if (made.number_places(walker, hosts) > most_bytes) return std::nullopt;
  made.find_paths(walker, hosts);
  made.weigh(pattern);
  const std::int64_t loads = pattern.stages() * made.channels_;
  const auto bytes = static_cast<std::int64_t>(made.ends_.size() * sizeof(End)) +
                     loads * static_cast<std::int64_t>(sizeof(std::int32_t));
  if (bytes > most_bytes) return std::nullopt;
  made.loads_.assign(static_cast<std::size_t>(loads), 0);
  return made;
}

std::int64_t OrderLoads::number_places(const PathWalker& walker, const std::vector<std::int32_t>& hosts) {
  // Number the switches with hosts or, if paths depend on the source, the hosts.
  std::map<std::int32_t, std::int32_t> places;
  for (const std::int32_t host : hosts) {
    const std::int32_t key = walker.by_switch() ? walker.switch_of_host(host) : host;
    const auto [found, is_new] = places.try_emplace(key, static_cast<std::int32_t>(places.size()));
    if (is_new) sources_.push_back(host);
    place_.push_back(found->second);
  }
  constexpr std::int64_t bytes_a_path = 5 * sizeof(Channel);  // at least: four channels and a length
  return static_cast<std::int64_t>(sources_.size() * hosts.size()) * bytes_a_path;
}

void OrderLoads::find_paths(const PathWalker& walker, const std::vector<std::int32_t>& hosts) {
  // Walk the paths, and number the channels in the order of their first use.
  std::vector<Channel> number(static_cast<std::size_t>(walker.topology().channels()), -1);
  PathRows walked;
  walked.resize(1);
  paths_.resize(sources_.size() * hosts.size());
  for (std::size_t place = 0; place < sources_.size(); ++place) {
    for (std::size_t job = 0; job < hosts.size(); ++job) {
      walker.walk_inner(sources_[place], hosts[job], walked, 0);
      for (const Channel c : walked.row(0)) {
        Channel& numbered = number[static_cast<std::size_t>(c)];
        if (numbered < 0) numbered = channels_++;
        paths_.append(place * hosts.size() + job, numbered);
      }
    }
  }
}

bool OrderLoads::list_ends(const Pattern& pattern, std::int64_t most_bytes) {
  // Count, then fill: the ends of a participant are adjacent.
  const auto p = static_cast<std::size_t>(pattern.participants());
  first_end_.assign(p + 1, 0);
  for (std::int64_t stage = 0; stage < pattern.stages(); ++stage) {
    for (const Flow& flow : pattern.flows(stage)) {
      ++first_end_[static_cast<std::size_t>(flow.source) + 1];
      ++first_end_[static_cast<std::size_t>(flow.destination) + 1];
    }
  }
  for (std::size_t i = 0; i < p; ++i) first_end_[i + 1] += first_end_[i];
  if (first_end_.back() * sizeof(End) > static_cast<std::size_t>(most_bytes)) return false;
  ends_.resize(first_end_.back());
  std::vector<std::size_t> next = first_end_;
  for (std::int64_t stage = 0; stage < pattern.stages(); ++stage) {
    for (const Flow& flow : pattern.flows(stage)) {
      const auto s = static_cast<std::int32_t>(stage);
      ends_[next[static_cast<std::size_t>(flow.source)]++] = {s, flow.destination, true};
      ends_[next[static_cast<std::size_t>(flow.destination)]++] = {s, flow.source, false};
    }
  }
  return true;
}

// A stage lasts as long as its longest message, times its repetitions.
void OrderLoads::weigh(const Pattern& pattern) {
  double sum = 0;
  for (std::int64_t stage = 0; stage < pattern.stages(); ++stage) {
    std::int64_t longest = 0;
    for (const Flow& flow : pattern.flows(stage)) longest = std::max(longest, flow.bytes);
    weights_.push_back(static_cast<double>(longest) * static_cast<double>(pattern.repeats(stage)));
    sum += weights_.back();
  }
  const bool alike =
      std::adjacent_find(weights_.begin(), weights_.end(), std::not_equal_to<>()) == weights_.end();
  if (alike || sum == 0) {
    weights_.clear();
  } else {
    for (double& weight : weights_) weight *= static_cast<double>(weights_.size()) / sum;
  }
}

Demand greatest_demand(const PathWalker& walker, const std::vector<std::int32_t>& hosts) {
  // Sources with the same paths are counted together.
  std::map<std::int32_t, std::vector<std::int32_t>> places;
  for (const std::int32_t host : hosts) {
    places[walker.by_switch() ? walker.switch_of_host(host) : host].push_back(host);
  }

  std::vector<std::int64_t> pairs(static_cast<std::size_t>(walker.topology().channels()), 0);
  PathRows row;
  row.resize(1);
  for (const auto& [place, sources] : places) {
    for (const std::int32_t destination : hosts) {
      const bool among = std::find(sources.begin(), sources.end(), destination) != sources.end();
      const auto senders = static_cast<std::int64_t>(sources.size()) - (among ? 1 : 0);
      if (senders == 0) continue;
      walker.walk_inner(sources.front(), destination, row, 0);
      for (const Channel c : row.row(0)) pairs[static_cast<std::size_t>(c)] += senders;
    }
  }
  const auto most = std::max_element(pairs.begin(), pairs.end());
  if (most == pairs.end() || *most == 0) return {};
  return {static_cast<Channel>(most - pairs.begin()), *most};
}

namespace {

// Temperatures, in weighted pairs of flows: a swap that adds this many pairs is accepted with probability
// 1/e. With these two, the 60-host lists of tests/fabric/order_test.cpp become free; from 1 to 0.2, or from
// 0.5 to 0.15, half of them get stuck.
constexpr double hot = 1.6;
constexpr double cold = 0.4;
constexpr std::int64_t flows_between_reports = 100'000;

class Annealing {
 public:
  Annealing(OrderLoads& loads, JobOrder order, const std::vector<std::int32_t>& switches, SplitMix64 random)
      : loads_(loads), order_(std::move(order)), random_(random) {
    // Record the place of each job, and the jobs on each switch.
    place_.resize(switches.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (order_[i] >= 0) place_[static_cast<std::size_t>(order_[i])] = static_cast<std::int32_t>(i);
    }
    group_.resize(switches.size());
    std::vector<std::vector<std::int32_t>> groups;
    std::vector<std::int32_t> group_of;
    for (std::size_t job = 0; job < switches.size(); ++job) {
      const auto s = static_cast<std::size_t>(switches[job]);
      if (group_of.size() <= s) group_of.resize(s + 1, -1);
      if (group_of[s] < 0) {
        group_of[s] = static_cast<std::int32_t>(groups.size());
        groups.emplace_back();
      }
      group_[job] = static_cast<std::size_t>(group_of[s]);
      groups[group_[job]].push_back(static_cast<std::int32_t>(job));
    }
    groups_ = std::move(groups);
    for (std::int32_t i = 0; i < loads_.participants(); ++i) {
      pairs_ += change(i, true, [i](std::int32_t other) { return other < i; });
    }
  }

  double pairs() const { return pairs_; }
  const JobOrder& order() const { return order_; }

  void step(double temperature) {
    const auto p = static_cast<std::size_t>(loads_.participants());
    const auto i = static_cast<std::int32_t>(random_.below(p));
    const std::int32_t j = partner(i, p);
    if (i == j || job(i) == job(j)) return;
    const double added = swap(i, j);
    if (added <= 0 || chance() < std::exp(-added / temperature)) {
      pairs_ += added;
    } else {
      swap(i, j);
    }
  }

 private:
  std::int32_t job(std::int32_t i) const { return order_[static_cast<std::size_t>(i)]; }
  double chance() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  std::int32_t partner(std::int32_t i, std::size_t p) {
    if (job(i) < 0 || random_.below(2) == 0) return static_cast<std::int32_t>(random_.below(p));
    const auto& group = groups_[group_[static_cast<std::size_t>(job(i))]];
    return place_[static_cast<std::size_t>(group[random_.below(group.size())])];
  }

  // Adds or removes the flows between participant i and all participants accepted by `with`.
  template <typename With>
  double change(std::int32_t i, bool put_on, With&& with) {
    double pairs = 0;
    if (job(i) < 0) return 0;
    for (const OrderLoads::End& end : loads_.ends(i)) {
      if (job(end.other) < 0 || !with(end.other)) continue;
      const std::int32_t source = end.sends ? job(i) : job(end.other);
      const std::int32_t destination = end.sends ? job(end.other) : job(i);
      pairs += loads_.weight(end.stage) *
               static_cast<double>(put_on ? loads_.add(source, destination, end.stage)
                                          : loads_.remove(source, destination, end.stage));
    }
    return pairs;
  }

  // Returns the number of pairs added, by weight.
  double swap(std::int32_t i, std::int32_t j) {
    const auto all = [](std::int32_t) { return true; };
    const auto but_i = [i](std::int32_t other) { return other != i; };
    double removed = change(i, false, all);
    removed += change(j, false, but_i);
    std::swap(order_[static_cast<std::size_t>(i)], order_[static_cast<std::size_t>(j)]);
    for (const std::int32_t k : {i, j}) {
      if (job(k) >= 0) place_[static_cast<std::size_t>(job(k))] = k;
    }
    double added = change(i, true, all);
    added += change(j, true, but_i);
    return added - removed;
  }

  OrderLoads& loads_;
  JobOrder order_;
  SplitMix64 random_;
  std::vector<std::int32_t> place_;                // by job: its participant
  std::vector<std::size_t> group_;                 // by job
  std::vector<std::vector<std::int32_t>> groups_;  // jobs of a switch
  double pairs_ = 0;
};

// Depth first: the next participant gets each of the remaining jobs in turn.
class AllOrders {
 public:
  AllOrders(OrderLoads& loads, std::int64_t limit)
      : loads_(loads), limit_(limit), used_(static_cast<std::size_t>(loads.participants()), false) {}

  // Whether an order was found or the limit was reached.
  bool go_on() {
    const auto i = static_cast<std::int32_t>(order_.size());
    if (i == loads_.participants()) return true;
    for (std::int32_t job = 0; job < loads_.participants(); ++job) {
      if (used_[static_cast<std::size_t>(job)]) continue;
      if (place(job)) return true;
    }
    return false;
  }

  // Gives a job to the next participant, and continues if nothing contends.
  bool place(std::int32_t job) {
    if (result_.tried == limit_) return true;
    ++result_.tried;
    const auto i = static_cast<std::int32_t>(order_.size());
    order_.push_back(job);
    used_[static_cast<std::size_t>(job)] = true;
    if (change(i, true) == 0 && go_on()) return true;
    change(i, false);
    used_[static_cast<std::size_t>(job)] = false;
    order_.pop_back();
    return false;
  }

  Exhausted finish(bool stopped) {
    result_.complete = !stopped;
    if (order_.size() == used_.size()) result_.order = order_;
    return std::move(result_);
  }

 private:
  std::int64_t change(std::int32_t i, bool put_on) {
    std::int64_t pairs = 0;
    for (const OrderLoads::End& end : loads_.ends(i)) {
      if (end.other >= i) continue;
      const std::int32_t here = order_[static_cast<std::size_t>(i)];
      const std::int32_t there = order_[static_cast<std::size_t>(end.other)];
      const std::int32_t source = end.sends ? here : there, destination = end.sends ? there : here;
      pairs +=
          put_on ? loads_.add(source, destination, end.stage) : loads_.remove(source, destination, end.stage);
    }
    return pairs;
  }

  OrderLoads& loads_;
  std::int64_t limit_;
  JobOrder order_;
  std::vector<bool> used_;  // by job
  Exhausted result_;
};

}  // namespace

Annealed anneal(OrderLoads& loads, JobOrder order, const std::vector<std::int32_t>& switches,
                std::int64_t steps, std::chrono::steady_clock::time_point until, SplitMix64 random,
                const Progress& progress) {
  Annealing annealing(loads, std::move(order), switches, random);
  Annealed best{annealing.order(), annealing.pairs(), 0, false};
  const std::int64_t between_reports = std::clamp<std::int64_t>(
      flows_between_reports / std::max<std::int64_t>(1, loads.flows_a_participant()), 1, 256);
  constexpr double none = 1e-6;  // rounding error of a sum of weights that should be 0
  for (; best.steps < steps && best.pairs > none; ++best.steps) {
    const double part = static_cast<double>(best.steps) / static_cast<double>(steps);
    if (best.steps % between_reports == 0) {
      best.stopped = std::chrono::steady_clock::now() >= until || (progress && !progress(part));
      if (best.stopped) return best;
    }
    annealing.step(hot * std::pow(cold / hot, part));
    if (annealing.pairs() >= best.pairs) continue;
    best.order = annealing.order();
    best.pairs = annealing.pairs();
  }
  return best;
}

Exhausted try_all_orders(OrderLoads& loads, bool rotates, std::int64_t limit) {
  AllOrders all(loads, limit);
  if (loads.participants() == 0) return all.finish(true);
  const bool stopped = rotates ? all.place(0) : all.go_on();
  return all.finish(stopped);
}

}  // namespace sortlast::fabric
