// Orders of a job's hosts in which no shift contends: when they exist, and how to find them.
//
// Notation. n hosts at places 0 .. n - 1; at shift s the host at place i sends to the host at place i + s
// (mod n). On a tree of two levels with D-mod-K, all leaves send messages for host x over their up-port r(x),
// its residue, and from there one link leads down to its leaf. If the hosts of a leaf have different
// residues, which is possible for up to K hosts on a leaf with K up-ports, no two flows meet on their way
// down. They meet on their way up if places a and a' of a leaf A send, at the same shift, to places x and x'
// of other leaves with the same residue: a - x = a' - x' (mod n). So an order is free of contention if and
// only if, for every leaf A and residue r, the differences a - x are all distinct, where a runs over the
// places of A and x over the places of residue r outside A.
//
// 1. A proof that no order is free. There are only n - 1 differences, and (A, r) has |A| times the number of
//    hosts of residue r outside A. If this exceeds n - 1, no order is free. The argument needs neither a tree
//    nor D-mod-K: a channel has to carry every pair of hosts with a path across it, in n - 1 stages, in any
//    order. greatest_demand() counts the pairs.
// 2. A sufficient condition. Hosts that are whole leaves, or the same residues of some leaves (a product of
//    leaves and residues), are free in routing order, because equal residues are |A| apart. With unequal
//    leaves a leaf-by-leaf order is free if the distance between equal residues is at least the size of the
//    fullest leaf, which requires the right sequence of leaves and of hosts within them. Routing order has no
//    reason to be that sequence: among 60 hosts drawn at random from a 12-ary 2-tree, 5 to 8 share a residue,
//    with up to 3 flows per link.
// 3. The search. Annealing over swaps of two places, with the number of pairs of flows that share a channel
//    as energy (energies based on the fullest channel are flat nearly everywhere). A swap changes the flows
//    of only two hosts: 2 us for 60 hosts. Half of the swaps are within a leaf. For 20 such random jobs with
//    seeds 1 to 20, 10 become free, usually within 0.5 million swaps, 5 have a proof, and 5 remain open after
//    2.5 million (5 s), a few pairs short. Rejected: three short runs instead of a long one, with which 8
//    become free.
//    If stages differ in bytes or repeat, as in collectives, a pair counts by the length of its stage, and an
//    order is better if the pattern takes less time.
// 4. Few hosts. Up to 12 hosts all orders are tried, which proves the remaining cases.
// 5. Dummies. Hosts at their places in a larger contention-free order are free, because their flows are a
//    subset of its flows: in routing order with dummies any job is free if the whole fabric is. This costs
//    stages, up to the number for the whole fabric. By 1. a job needs more places than its greatest demand.
//    With an additional dummy for every fourth host the search finds free orders of jobs that provably have
//    none without: 60 hosts in 88 places instead of 144. (With enough dummies every routing has a free order:
//    on a Golomb ruler all differences are distinct, and a stage has at most one flow. That takes about n^2
//    stages.) So a few dummies are tried before many, and both only if nothing else works.
#include "sortlast/fabric/contention.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/placement/order_search.hpp"
#include "sortlast/random.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int64_t automatic_updates = 2'400'000'000;  // updates of channels by the search: some seconds
constexpr std::int64_t part_if_proven = 8;                 // divisor if no order can be free
constexpr std::array<std::int32_t, 2> hosts_a_dummy_tried = {4, 2};
constexpr std::int32_t most_hosts_for_all_orders = 12;
constexpr std::int64_t most_orders = 3'000'000;

constexpr double longest_search = 1e6;  // seconds

// Threshold for a shorter time, above rounding errors.
constexpr double faster = 1 - 1e-9;

// Better in one figure and not worse in the other.
bool better(const Contention& a, const Contention& b) {
  const bool not_worse = a.mean_share >= b.mean_share && a.max_flows <= b.max_flows;
  return not_worse && (a.mean_share > b.mean_share || a.max_flows < b.max_flows);
}

class Search {
 public:
  Search(const Routes& routes, const std::vector<std::int32_t>& hosts, const OrderOptions& options)
      : routes_(routes), walker_(routes), hosts_(hosts), options_(options) {}

  // Tries the known orders until one is free; the best of them remains.
  void try_known() {
    for (const char* name : {"listed", "routing", "natural", "alphabetical"}) {
      if (!free()) try_order(order_hosts(*routes_.topology, name, hosts_), std::string(name) + " order");
    }
  }

  void try_dummies() {
    Placement placement = padded();
    const std::string how = "routing order with dummies, " + std::to_string(hosts_.size()) + " hosts in " +
                            std::to_string(placement.size()) + " places";
    try_order(std::move(placement), how);
  }

  // Tries as few dummies as the demand requires, then some more, as long as routing order would need more.
  void try_few_dummies() {
    const auto most = static_cast<std::int32_t>(padded().size());
    const Placement start = best_.placement;
    for (const std::int32_t hosts_a_dummy : hosts_a_dummy_tried) {
      const std::int64_t places = std::max<std::int64_t>(size(), demand_ + 1) + size() / hosts_a_dummy;
      if (places >= most || free() || !pattern(size())->is_shift()) return;
      Placement longer = start;
      longer.resize(static_cast<std::size_t>(places), -1);
      anneal_from(longer, std::to_string(size()) + " hosts in " + std::to_string(places) + " places");
    }
  }

  void prove_by_demand() {
    if (!pattern(size())->is_shift()) return;
    const Demand demand = greatest_demand(walker_, hosts_);
    const std::int64_t stages = size() - 1;
    demand_ = demand.pairs;
    if (demand.pairs <= stages) return;
    std::string link = describe_channels(*routes_.topology, {demand.channel});
    link.erase(link.find_last_not_of('\n') + 1);
    best_.proof = link + " must carry " + std::to_string(demand.pairs) + " flows, whatever the order, and " +
                  std::to_string(size()) + " hosts have " + std::to_string(stages) +
                  " shifts: one of them has " + std::to_string((demand.pairs + stages - 1) / stages) +
                  " of these flows or more";
  }

  // Whether all orders are alike, which ends the search.
  bool all_alike() {
    if (options_.dummies || !same_in_any_order(*pattern(size()))) return false;
    best_.proof =
        "every rank sends as much to every other one in each stage, so all orders have the same flows";
    return true;
  }

  void anneal_best() { anneal_from(best_.placement, best_.how); }

  void try_all() {
    if (size() > most_hosts_for_all_orders || !best_.proof.empty()) return;
    const auto shape = pattern(size());
    auto loads = OrderLoads::make(walker_, hosts_, *shape, options_.analysis.path_bytes);
    if (!loads) return;
    const Exhausted all = try_all_orders(*loads, shape->is_shift(), most_orders);
    if (all.order) {
      try_order(placement_of(*all.order), "found by trying all orders");
    }
    if (all.complete) {
      best_.proof = "all orders were tried, " + std::to_string(all.tried) +
                    " of them or their beginnings: in none are flows between switches alone on their links";
    }
  }

  bool free() const { return !best_.placement.empty() && best_.contention.contention_free(); }
  bool proven() const { return free() || !best_.proof.empty(); }
  bool stopped() const { return stopped_; }

  BestOrder finish() {
    if (options_.dummies && !best_.proof.empty()) {
      best_.how += "; without dummies none is free: " + std::exchange(best_.proof, "");
    }
    best_.proven_best = proven();
    return std::move(best_);
  }

 private:
  std::int32_t size() const { return static_cast<std::int32_t>(hosts_.size()); }

  std::shared_ptr<const Pattern> pattern(std::int32_t p) const {
    return options_.pattern ? options_.pattern(p) : shift_pattern(p);
  }

  Placement padded() const { return order_hosts(*routes_.topology, "routing-dummies", hosts_); }

  void anneal_from(const Placement& start, const std::string& from) {
    if (options_.steps == 0) return;
    const auto shape = pattern(static_cast<std::int32_t>(start.size()));
    auto loads = OrderLoads::make(walker_, hosts_, *shape, options_.analysis.path_bytes);
    if (!loads) {
      best_.how += "; not improved: the search would need more memory than the analysis may use";
      return;
    }
    std::vector<std::int32_t> switches;
    for (const std::int32_t host : hosts_) switches.push_back(walker_.switch_of_host(host));
    const Annealed annealed = anneal(*loads, jobs_of(start), switches, steps(*shape, *loads), until_,
                                     SplitMix64(options_.seed), progress_);
    // A cancelled search still judges its best order.
    if (annealed.stopped) progress_ = {};
    stopped_ = stopped_ || annealed.stopped;
    try_order(placement_of(annealed.order), "annealed from " + from + " in " +
                                                std::to_string(annealed.steps) + " steps" +
                                                (annealed.stopped ? ", stopped early" : ""));
  }

  void try_order(Placement placement, const std::string& how) {
    if (placement == best_.placement) return;
    const auto shape = pattern(static_cast<std::int32_t>(placement.size()));
    Contention result = contention(routes_, *shape, placement, analysis());
    const double time = seconds(*shape, placement);
    const bool is_first = best_.placement.empty();
    const bool is_as_fast = time * faster <= best_time_ && better(result, best_.contention);
    if (!is_first && time >= best_time_ * faster && !is_as_fast) return;
    best_time_ = time;
    best_.placement = std::move(placement);
    best_.contention = std::move(result);
    best_.how = how;
  }

  // Time of a pattern with unequal stages, at a rate of 1; 0 for a shift, which has equal stages.
  double seconds(const Pattern& shape, const Placement& placement) const {
    if (shape.is_shift()) return 0;
    return pattern_time(routes_, shape, placement, 1, 0, analysis()).synchronised;
  }

  std::int64_t steps(const Pattern& shape, const OrderLoads& loads) const {
    if (options_.steps >= 0) return options_.steps;
    constexpr std::int64_t channels_a_flow = 4;
    const std::int64_t changes = 2 * loads.flows_a_participant();  // flows removed and added again by a swap
    const std::int64_t updates = channels_a_flow * std::max<std::int64_t>(1, changes);
    const bool hopeless = !best_.proof.empty() && demand_ > shape.stages();
    return automatic_updates / updates / (hopeless ? part_if_proven : 1);
  }

  AnalysisOptions analysis() const {
    AnalysisOptions options = options_.analysis;
    options.progress = progress_;
    return options;
  }

  JobOrder jobs_of(const Placement& placement) const {
    std::vector<std::int32_t> job(static_cast<std::size_t>(routes_.topology->hosts()), -1);
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      job[static_cast<std::size_t>(hosts_[i])] = static_cast<std::int32_t>(i);
    }
    JobOrder order;
    for (const std::int32_t host : placement) {
      order.push_back(host < 0 ? -1 : job[static_cast<std::size_t>(host)]);
    }
    return order;
  }

  Placement placement_of(const JobOrder& order) const {
    Placement placement;
    for (const std::int32_t job : order)
      placement.push_back(job < 0 ? -1 : hosts_[static_cast<std::size_t>(job)]);
    return placement;
  }

  const Routes& routes_;
  PathWalker walker_;
  const std::vector<std::int32_t>& hosts_;
  const OrderOptions& options_;
  Progress progress_ = options_.analysis.progress;
  std::chrono::steady_clock::time_point until_ =
      std::chrono::steady_clock::now() +
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(std::min(options_.seconds, longest_search)));
  bool stopped_ = false;     // the search was
  std::int64_t demand_ = 0;  // greatest demand on a channel
  BestOrder best_;
  double best_time_ = 0;
};

}  // namespace

BestOrder best_order(const Routes& routes, const std::vector<std::int32_t>& hosts,
                     const OrderOptions& options) {
  if (hosts.empty()) throw ArgumentError("no hosts to order; expected at least 1");
  if (options.steps < -1) {
    throw ArgumentError("a search of " + std::to_string(options.steps) +
                        " steps; expected 0 or more, or -1 for as many as take some seconds");
  }
  if (!(options.seconds >= 0)) {
    throw ArgumentError("a search of " + std::to_string(options.seconds) + " seconds; expected 0 or more");
  }
  Search search(routes, hosts, options);

  // Without dummies: known orders, then a proof or a search.
  search.try_known();
  if (!search.free() && search.all_alike()) return search.finish();
  if (!search.free()) search.prove_by_demand();
  if (!search.proven() || !options.dummies) {
    if (!search.free()) search.anneal_best();
    if (!search.free() && !search.stopped()) search.try_all();
  }

  // With dummies, if they are allowed and needed.
  if (!search.free() && options.dummies) {
    if (!search.stopped()) search.try_few_dummies();
    if (!search.free()) search.try_dummies();
    if (!search.free() && !search.stopped()) search.anneal_best();
  }
  return search.finish();
}

}  // namespace sortlast::fabric
