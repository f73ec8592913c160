// The packet simulator: its arguments and networks, the engine's cycles, and the histogram of delays.
#include "sortlast/simulate/packet.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/packet/arguments.hpp"
#include "sortlast/simulate/packet/engine.hpp"
#include "sortlast/simulate/packet/engine_decide.hpp"
#include "sortlast/simulate/packet/network.hpp"

namespace sortlast::simulate {

template <class Router, Requests requests>
PacketResult Engine<Router, requests>::run() {
  feed_.start();
  do {
    begin_cycle();
    decide_all();
    begin_all();
    if (options_.sample_cycles > 0 && now_ % options_.sample_cycles == 0) sample();
    if (result_.packet_hops - reported_ >= (1 << 20)) report();
  } while (next_cycle());
  if (feed_.delivered() < feed_.total()) report_deadlock();

  result_.seconds =
      static_cast<double>(result_.cycles) * options_.packet_bytes / P_ / options_.link_bytes_per_second;
  result_.bytes_used = bytes_used();
  for (std::uint32_t c = 0; c < channels_; ++c) result_.link_loads.push_back(buffers_.place(c).load);
  if (options_.message_log) result_.log = feed_.log();
  return std::move(result_);
}

// Processes all events up to this cycle, and collects the domains to decide.
template <class Router, Requests requests>
void Engine<Router, requests>::begin_cycle() {
  // Complete messages and computations; their consequences enter the injection queues.
  for (const std::uint32_t m : complete_.at(now_)) {
    feed_.arrived(static_cast<Traffic::Message>(m), now_);
    ++result_.messages;
    result_.cycles = now_;
  }
  if (feed_.computing() && feed_.next_timer() <= now_) {
    feed_.fire(now_);
    result_.cycles = now_;
  }
  feed_.add_background(now_);
  for (const std::int32_t task : feed_.woken()) {
    const std::uint32_t q = channels_ + static_cast<std::uint32_t>(task);
    if (now_ > buffers_[q].left) wait(q);  // else the end of its transmission will see it
  }
  feed_.woken().clear();

  // End transmissions, and let heads that have arrived at an empty queue wait.
  const std::span<const std::uint32_t> ends = ends_.at(now_), heads = heads_.at(now_);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (i + 2 * ahead < ends.size()) buffers_.prefetch(ends[i + 2 * ahead]);
    if (i + ahead < ends.size()) {
      prefetch_group(buffers_[ends[i + ahead]].receiver);
      prefetch_wait(ends[i + ahead]);
    }
    end_transmission(ends[i]);
  }
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (i + 2 * ahead < heads.size()) buffers_.prefetch(heads[i + 2 * ahead]);
    if (i + ahead < heads.size()) prefetch_wait(heads[i + ahead]);
    if (buffers_[heads[i]].count == 1 && now_ > buffers_[heads[i]].left) wait(heads[i]);
  }
  for (const Group leader : looks_.at(now_)) {
    if (groups_[leader].look_at == now_) touch(leader);
  }
  pending_ -= complete_.clear(now_) + ends_.clear(now_) + heads_.clear(now_) + looks_.clear(now_);
}

template <class Router, Requests requests>
void Engine<Router, requests>::prefetch_group(Group g) const {
  __builtin_prefetch(&groups_[g]);
  waiters_.prefetch(g);
}

// Prefetches the memory that a queue will need if its first packet begins to wait.
template <class Router, Requests requests>
void Engine<Router, requests>::prefetch_wait(std::uint32_t q) const {
  if (injects(q)) {
    feed_.prefetch(task_of(q));
    prefetch_group(buffers_.place(q).sender);
  } else if (buffers_[q].count > 0) {
    prefetch_group(router_.group(buffers_.place(q).switch_entered, buffers_.front(q).key));
  }
}

template <class Router, Requests requests>
void Engine<Router, requests>::end_transmission(std::uint32_t q) {
  const Queue& queue = buffers_[q];
  touch(queue.receiver);
  if (injects(q)) {
    feed_.left(task_of(q), now_);
    feed_.woken().clear();
    if (!feed_.empty(task_of(q))) wait(q);
  } else {
    if (buffers_.gained_room(queue) && buffers_.idle(queue, now_)) touch(buffers_.place(q).sender);
    if (queue.count > 1 || (queue.count == 1 && may_leave(queue))) wait(q);
  }
}

// The first packet of a queue begins to wait for a port.
template <class Router, Requests requests>
void Engine<Router, requests>::wait(std::uint32_t q) {
  const Group g = waits_in(q);
  GroupState& group = groups_[g];
  waiters_.add(g, buffers_.place(q).port);
  ++groups_[group.leader].domain_waiting;
  // If others wait already, the next time to look at these ports is known, and does not change.
  if (group.waiting++ == 0) touch(group.leader);
}

// The group in which the first packet of a queue waits; with persistent requests it chooses its port here.
template <class Router, Requests requests>
Group Engine<Router, requests>::waits_in(std::uint32_t q) {
  if (injects(q)) return buffers_.place(q).sender;
  const Group g = router_.group(buffers_.place(q).switch_entered, buffers_.front(q).key);
  if constexpr (requests == Requests::each_cycle) {
    return g;
  } else {
    const Network::Ports& ports = choices_.groups[g];
    const Best best = find_best(ports.count, [&](std::uint32_t i) { return choices_.channel(ports, i); });
    const fabric::Channel chosen = ties_[draw_tie(best.ports)];
    return buffers_.place(static_cast<std::size_t>(chosen)).sender;
  }
}

template <class Router, Requests requests>
void Engine<Router, requests>::touch(Group leader) {
  GroupState& domain = groups_[leader];
  if (domain.domain_waiting == 0 || domain.touched == now_) return;
  domain.touched = now_;
  to_decide_.push_back(leader);
}

// A packet enters its destination in this cycle: it will have arrived P cycles later in any case.
template <class Router, Requests requests>
void Engine<Router, requests>::deliver(const Packet& packet) {
  if (feed_.is_background(packet.message)) {
    ++result_.background_packets;
    return;
  }
  ++result_.packets;
  result_.delay.add(now_ + P_ - packet.entered);
  if (!feed_.count_packet(packet.message)) return;
  complete_.add(now_ + P_ + 1, static_cast<std::uint32_t>(packet.message));
  ++pending_;
}

// Advances to the next cycle in which something happens; false: there is none.
template <class Router, Requests requests>
bool Engine<Router, requests>::next_cycle() {
  std::int64_t next = std::int64_t{now_} + 1;
  const std::int64_t background = feed_.next_background();
  if (background != Feed::never) {
    if (feed_.delivered() == feed_.total()) return false;
    if (!feed_.computing() && now_ - feed_.last_progress() > most_idle) return false;
  }
  if (pending_ == 0) {
    const std::int64_t timer = feed_.computing() ? feed_.next_timer() : Feed::never;
    if (timer == Feed::never && background == Feed::never) return false;
    next = std::max(next, std::min(timer, background));
  }
  if (next > last_cycle) {
    throw Error("traffic '" + traffic_.name + "' takes more than 2^31 cycles; choose larger packets");
  }
  now_ = static_cast<std::int32_t>(next);
  return true;
}

template <class Router, Requests requests>
void Engine<Router, requests>::report() {
  reported_ = result_.packet_hops;
  if (!options_.progress) return;
  const double part =
      feed_.total() > 0 ? static_cast<double>(feed_.delivered()) / static_cast<double>(feed_.total()) : 1;
  if (!options_.progress(part)) throw Error("cancelled");
}

template <class Router, Requests requests>
void Engine<Router, requests>::sample() {
  OccupationSample& made = result_.occupation.emplace_back();
  made.cycle = now_;
  made.packets.assign(static_cast<std::size_t>(topology_.levels()) + 1, 0);
  for (std::uint32_t q = 0; q < channels_; ++q) {
    const Queue& queue = buffers_[q];
    const std::int32_t s = buffers_.place(q).switch_entered;
    if (s < 0) continue;
    made.packets[static_cast<std::size_t>(topology_.level(s))] += queue.count + (now_ < queue.left ? 1 : 0);
  }
}

template <class Router, Requests requests>
void Engine<Router, requests>::report_deadlock() const {
  if (options_.background > 0) {
    throw Error("traffic '" + traffic_.name + "': nothing of it has moved for " + std::to_string(most_idle) +
                " cycles in addition to the background: " + feed_.waits() +
                "; lower the background, or see without it");
  }
  // Every queue with a waiting first packet, and the queues behind the channels that it waits for.
  std::vector<WaitingQueue> waiting;
  for (Group g = 0; g < groups_.size(); ++g) {
    waiters_.for_each(g, [&](std::uint32_t port) {
      const std::uint32_t q = queue_at_[groups_[g].first_queue + port];
      if (injects(q)) return;
      WaitingQueue& queue = waiting.emplace_back();
      queue.held = q;
      for (const fabric::Channel c : network_.channels(g))
        queue.wanted.push_back(static_cast<std::size_t>(c));
    });
  }
  throw Error(describe_deadlock(topology_, waiting, feed_.waits()));
}

template <class Router, Requests requests>
std::int64_t Engine<Router, requests>::bytes_used() const {
  const auto size = [](const auto& values) {
    return static_cast<std::int64_t>(values.capacity() * sizeof(values[0]));
  };
  return feed_.bytes() + buffers_.bytes() + waiters_.bytes() + size(groups_) + size(queue_at_) + size(key_) +
         size(network_.groups) + size(network_.queues) + size(network_.sender) +
         size(network_.switch_entered) + size(network_.port_entered);
}

namespace {

void check_all(const fabric::Topology& topology, const Traffic& traffic, const fabric::Placement& placement,
               const PacketOptions& options) {
  check(traffic);
  check_packet_options(options, options.packet_phits);
  check_placement(topology, traffic, placement);
}

// The simulated traffic, including the requested background.
class Workload {
 public:
  Workload(const fabric::Topology& topology, const Traffic& given, const fabric::Placement& hosts,
           const PacketOptions& options)
      : crowded_(options.background > 0 ? add_background(topology, given, hosts, options.seed) : Crowded{}),
        traffic(options.background > 0 ? crowded_.traffic : given),
        placement(options.background > 0 ? crowded_.placement : hosts),
        background(crowded_.background) {
    if (options.background == 0 || background.any()) return;
    throw ArgumentError("background needs two hosts or more to go between");
  }
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

 private:
  Crowded crowded_;

 public:
  const Traffic& traffic;
  const fabric::Placement& placement;
  const Background& background;
};

// Calls `check` for the hosts of every message, and of the background.
template <class Check>
void for_flows(const Workload& work, const Check& check) {
  for_flows(work.traffic, work.placement, check);
  const auto& [placement, background] = std::tie(work.placement, work.background);
  for (std::size_t task = 0; background.any() && task < placement.size(); ++task) {
    for (std::int32_t i = background.first[task]; i < background.first[task + 1]; ++i) {
      const std::int32_t to = background.destination[static_cast<std::size_t>(i)];
      check(placement[task], placement[static_cast<std::size_t>(to)]);
    }
  }
}

template <class Router>
PacketResult run_adaptive(const fabric::Topology& topology, const Network& network, const Router& router,
                          const Workload& work, const PacketOptions& options) {
  if (options.requests == Requests::each_cycle) {
    using Asking = Engine<Router, Requests::each_cycle>;
    return Asking(topology, network, network, router, work.traffic, work.placement, work.background, options)
        .run();
  }
  using Waiting = Engine<Router, Requests::persistent>;
  const Network ports = port_network(topology);
  return Waiting(topology, ports, network, router, work.traffic, work.placement, work.background, options)
      .run();
}

}  // namespace

PacketResult simulate_packets(const fabric::Topology& topology, const Traffic& traffic,
                              const fabric::Placement& placement, const PacketOptions& options) {
  check_all(topology, traffic, placement, options);
  const Workload work(topology, traffic, placement, options);
  if (const auto tree = tree_network(topology)) {
    return run_adaptive(topology, tree->network, tree->router, work, options);
  }
  const DistanceNetwork any = distance_network(topology);
  for_flows(work, [&](std::int32_t source, std::int32_t destination) {
    if (any.router.reaches(source, destination)) return;
    throw ArgumentError("no path leads from host '" + topology.label(source) + "' to host '" +
                        topology.label(destination) + "'");
  });
  return run_adaptive(topology, any.network, any.router, work, options);
}

PacketResult simulate_packets(const fabric::Routes& routes, const Traffic& traffic,
                              const fabric::Placement& placement, const PacketOptions& options) {
  check_all(*routes.topology, traffic, placement, options);
  const Workload work(*routes.topology, traffic, placement, options);
  // Packets would never arrive on tables that lead in a circle.
  for_flows(work, [&](std::int32_t source, std::int32_t destination) {
    (void)fabric::walk(routes, source, destination);
  });
  // With one port, requests once or in each cycle are the same.
  using Asking = Engine<TableRouter, Requests::each_cycle>;
  const TableNetwork table = table_network(routes);
  return Asking(*routes.topology, table.network, table.network, table.router, work.traffic, work.placement,
                work.background, options)
      .run();
}

fabric::Placement consecutive_hosts(const fabric::Topology& topology, std::int32_t tasks,
                                    std::int32_t first_host) {
  if (first_host < 0 || tasks > topology.hosts() - first_host) {
    throw ArgumentError(std::to_string(tasks) + " tasks from host " + std::to_string(first_host) +
                        " on do not fit: there are " + std::to_string(topology.hosts()) + " hosts");
  }
  fabric::Placement placement(static_cast<std::size_t>(tasks));
  std::iota(placement.begin(), placement.end(), first_host);
  return placement;
}

double Histogram::mean() const {
  return count_ > 0 ? static_cast<double>(sum_) / static_cast<double>(count_) : 0;
}

double Histogram::standard_deviation() const {
  if (count_ == 0) return 0;
  return std::sqrt(std::max(0.0, squares_ / static_cast<double>(count_) - mean() * mean()));
}

std::int64_t Histogram::last_of(std::size_t bin) {
  const auto b = static_cast<std::int64_t>(bin);
  if (b < 2 * sub_bins) return b;
  const std::int64_t shift = b / sub_bins - 1;
  return ((b - shift * sub_bins + 1) << shift) - 1;
}

std::int64_t Histogram::percentile(double part) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(part * static_cast<double>(count_)));
  std::int64_t seen = 0;
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    seen += bins_[b];
    if (seen >= wanted && seen > 0) return std::min(last_of(b), max_);
  }
  return max_;
}

std::vector<Histogram::Bin> Histogram::bins() const {
  std::vector<Bin> made;
  if (count_ == 0) return made;
  const std::size_t begin = bin_of(min_), end = bin_of(max_) + 1;
  for (std::size_t b = begin; b < end; ++b) {
    made.push_back({b > 0 ? last_of(b - 1) + 1 : 0, last_of(b), bins_[b]});
  }
  return made;
}

}  // namespace sortlast::simulate
