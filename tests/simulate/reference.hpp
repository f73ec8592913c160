// A naive packet simulator, phit by phit and cycle by cycle, to compare the real one with. It shares nothing
// with it but the traffic and the topology.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/simulate/packet.hpp"

namespace sortlast::simulate {

struct ReferenceRun {
  std::int64_t cycles = 0, packets = 0, packet_hops = 0, delay_sum = 0, delay_max = 0;
  std::vector<std::int64_t> link_loads;
};

// Channels that a packet for a host may leave a switch by.
using Candidates =
    std::function<std::vector<fabric::Channel>(std::int32_t s, std::int32_t source, std::int32_t host)>;

inline Candidates table_candidates(const fabric::Routes& routes) {
  return [&routes](std::int32_t s, std::int32_t source, std::int32_t host) {
    const std::int32_t plane = routes.forwarding->plane(source, host);
    return std::vector{routes.topology->channel(s, routes.forwarding->port(s, host, plane))};
  };
}

// All ports on a shortest path, found by growing circles round the host.
inline Candidates shortest_candidates(const fabric::Topology& topology) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<fabric::Channel>> found;
  for (std::int32_t host = 0; host < topology.hosts(); ++host) {
    std::vector<int> distance(static_cast<std::size_t>(topology.vertices()), 1 << 20);
    distance[static_cast<std::size_t>(host)] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (fabric::Channel c = 0; c < topology.channels(); ++c) {
        const fabric::End to = topology.target(c), from = topology.source(c);
        if (!to.connected() || (topology.is_host(to.vertex) && to.vertex != host)) continue;
        int& here = distance[static_cast<std::size_t>(from.vertex)];
        const int via = distance[static_cast<std::size_t>(to.vertex)] + 1;
        if (via < here) {
          here = via;
          changed = true;
        }
      }
    }
    for (fabric::Channel c = topology.hosts(); c < topology.channels(); ++c) {
      const fabric::End to = topology.target(c), from = topology.source(c);
      if (!to.connected()) continue;
      if (distance[static_cast<std::size_t>(to.vertex)] + 1 ==
          distance[static_cast<std::size_t>(from.vertex)]) {
        found[{topology.switch_of(from.vertex), host}].push_back(c);
      }
    }
  }
  return [found](std::int32_t s, std::int32_t, std::int32_t host) { return found.at({s, host}); };
}

class Reference {
 public:
  Reference(const fabric::Topology& topology, const Traffic& traffic, const fabric::Placement& placement,
            const PacketOptions& options, Candidates candidates)
      : topology_(topology),
        traffic_(traffic),
        options_(options),
        P_(options.packet_phits),
        placement_(placement),
        source_(sources(traffic)),
        candidates_(std::move(candidates)),
        random_(options.seed),
        queues_(static_cast<std::size_t>(topology.channels())),
        injection_(static_cast<std::size_t>(traffic.tasks)),
        taken_(queues_.size()),
        last_(queues_.size(), 0),
        arrived_(source_.size(), 0),
        done_(source_.size(), 0),
        program_(static_cast<std::size_t>(traffic.tasks)) {
    for (std::size_t task = 0; task < program_.size(); ++task) program_[task].next = traffic.first[task];
    for (std::int32_t s = 0; s < topology.switches(); ++s) {
      most_ports_ = std::max(most_ports_, topology.switch_at(s).ports);
    }
    run_.link_loads.resize(queues_.size());
  }

  ReferenceRun run(std::int64_t most_cycles = 1000000) {
    const std::int64_t all = traffic_.messages() * traffic_.repeats;
    for (now_ = 0; complete_ < all; ++now_) {
      if (now_ > most_cycles) throw Error("the reference simulator does not come to an end");
      complete_messages();
      if (complete_ == all) break;
      generate();
      decide();
      move();
    }
    run_.cycles = now_;
    return run_;
  }

 private:
  struct Flit {
    std::int32_t message = 0;
    std::int64_t entered = 0;
    std::int32_t here = 0, gone = 0;  // phits that have come, and that have left
    fabric::Channel out = -1;
    std::int64_t ready = 0;       // cycle from which on it may leave
    fabric::Channel wanted = -1;  // with persistent requests, once it has asked
  };
  struct Program {
    std::int32_t next = 0;
    std::int64_t iteration = 0, cut = 0;
  };
  using Queue = std::deque<Flit>;

  std::int64_t packets_of(std::int32_t m) const {
    const std::int64_t size = traffic_.size[static_cast<std::size_t>(m)];
    return std::max<std::int64_t>(1, (size + options_.packet_bytes - 1) / options_.packet_bytes);
  }
  static std::int32_t phits(const Queue& queue) {
    std::int32_t sum = 0;
    for (const Flit& flit : queue) sum += flit.here - flit.gone;
    return sum;
  }

  void complete_messages() {
    while (!due_.empty() && due_.front().first <= now_) {
      ++done_[static_cast<std::size_t>(due_.front().second)];
      ++complete_;
      due_.pop_front();
    }
  }

  // One packet a task and cycle enters the injection queue.
  void generate() {
    for (std::size_t task = 0; task < program_.size(); ++task) {
      Program& at = program_[task];
      if (static_cast<std::int32_t>(injection_[task].size()) >= options_.injection_packets) continue;
      if (at.next == traffic_.first[task + 1]) continue;
      const auto m = static_cast<std::size_t>(at.next);
      bool ready = true;
      for (std::int64_t i = traffic_.first_cause[m]; i < traffic_.first_cause[m + 1]; ++i) {
        ready = ready &&
                done_[static_cast<std::size_t>(traffic_.causes[static_cast<std::size_t>(i)])] > at.iteration;
      }
      if (!ready) continue;
      injection_[task].push_back({at.next, now_, P_, 0, -1, now_});
      if (++at.cut < packets_of(at.next)) continue;
      at.cut = 0;
      if (++at.next == traffic_.first[task + 1] && at.iteration + 1 < traffic_.repeats) {
        at.next = traffic_.first[task];
        ++at.iteration;
      }
    }
  }

  struct Asking {
    Queue* queue = nullptr;
    std::int32_t port = 0;
  };

  void decide() {
    std::map<fabric::Channel, std::vector<Asking>> asked;
    for (std::size_t task = 0; task < injection_.size(); ++task) {
      Queue& queue = injection_[task];
      if (!queue.empty() && queue.front().out < 0) ask(asked, {placement_[task]}, {&queue, 0});
    }
    for (fabric::Channel c = 0; c < topology_.channels(); ++c) {
      const fabric::End end = topology_.target(c);
      Queue& queue = queues_[static_cast<std::size_t>(c)];
      if (!end.connected() || topology_.is_host(end.vertex) || queue.empty() || queue.front().out >= 0)
        continue;
      if (queue.front().ready > now_) continue;
      const auto m = static_cast<std::size_t>(queue.front().message);
      ask(asked,
          candidates_(topology_.switch_of(end.vertex), host_of(source_[m]), host_of(traffic_.destination[m])),
          {&queue, end.port - 1});
    }
    for (auto& [c, queues] : asked) {
      std::int32_t& last = last_[static_cast<std::size_t>(c)];
      std::size_t chosen = std::uniform_int_distribution<std::size_t>(0, queues.size() - 1)(random_);
      if (options_.arbitration == Arbitration::round_robin) {
        const auto turns = [&](const Asking& a) { return (a.port + most_ports_ - last - 1) % most_ports_; };
        chosen = static_cast<std::size_t>(
            std::min_element(queues.begin(), queues.end(),
                             [&](const Asking& a, const Asking& b) { return turns(a) < turns(b); }) -
            queues.begin());
      }
      last = queues[chosen].port;
      queues[chosen].queue->front().out = c;
      taken_[static_cast<std::size_t>(c)] = true;
      ++run_.link_loads[static_cast<std::size_t>(c)];
      ++run_.packet_hops;
    }
  }

  std::int32_t host_of(std::int32_t task) const { return placement_[static_cast<std::size_t>(task)]; }

  void ask(std::map<fabric::Channel, std::vector<Asking>>& asked,
           const std::vector<fabric::Channel>& candidates, Asking asking) {
    std::vector<fabric::Channel> best;
    std::int32_t least = INT32_MAX;
    for (const fabric::Channel c : candidates) {
      const std::int32_t have = phits(queues_[static_cast<std::size_t>(c)]);
      if (have < least) best.clear();
      least = std::min(least, have);
      if (have == least) best.push_back(c);
    }
    fabric::Channel c = best[std::uniform_int_distribution<std::size_t>(0, best.size() - 1)(random_)];
    if (options_.requests == Requests::persistent) {
      fabric::Channel& wanted = asking.queue->front().wanted;
      if (wanted < 0) wanted = c;
      c = wanted;
      least = phits(queues_[static_cast<std::size_t>(c)]);
    }
    // Hosts always take in.
    const bool room =
        topology_.is_host(topology_.target(c).vertex) || least + P_ <= options_.buffer_packets * P_;
    if (room && !taken_[static_cast<std::size_t>(c)]) asked[c].push_back(asking);
  }

  // Every transmission moves one phit; what had come to a host before is consumed.
  void move() {
    std::vector<std::pair<Queue*, fabric::Channel>> moves;
    for (std::vector<Queue>* const kind : {&injection_, &queues_}) {
      for (Queue& queue : *kind) {
        if (!queue.empty() && queue.front().out >= 0) moves.emplace_back(&queue, queue.front().out);
      }
    }
    for (std::int32_t h = 0; h < topology_.hosts(); ++h) {
      const fabric::End at = topology_.attachment(h);
      Queue& queue =
          queues_[static_cast<std::size_t>(topology_.channel(topology_.switch_of(at.vertex), at.port))];
      if (!queue.empty() && ++queue.front().gone == P_) consume(queue);
    }
    for (const auto& [queue, c] : moves) {
      Flit& flit = queue->front();
      if (flit.here <= flit.gone) throw Error("a phit leaves before it has come");
      Queue& behind = queues_[static_cast<std::size_t>(c)];
      if (flit.gone == 0) {
        behind.push_back({flit.message, flit.entered, 0, 0, -1, now_ + options_.switch_cycles});
      }
      ++behind.back().here;
      const bool host = topology_.is_host(topology_.target(c).vertex);
      if (!host && phits(behind) > options_.buffer_packets * P_) throw Error("a buffer overflows");
      if (++flit.gone < P_) continue;
      taken_[static_cast<std::size_t>(c)] = false;
      queue->pop_front();
    }
  }

  void consume(Queue& queue) {
    const Flit flit = queue.front();
    queue.pop_front();
    ++run_.packets;
    run_.delay_sum += now_ - flit.entered;
    run_.delay_max = std::max(run_.delay_max, now_ - flit.entered);
    if (++arrived_[static_cast<std::size_t>(flit.message)] % packets_of(flit.message) == 0) {
      due_.emplace_back(now_ + 1, flit.message);
    }
  }

  const fabric::Topology& topology_;
  const Traffic& traffic_;
  const PacketOptions options_;
  const std::int32_t P_;
  const fabric::Placement placement_;
  const std::vector<std::int32_t> source_;
  const Candidates candidates_;
  std::mt19937_64 random_;
  std::vector<Queue> queues_, injection_;
  std::vector<bool> taken_;
  std::vector<std::int32_t> last_;
  std::vector<std::int64_t> arrived_, done_;
  std::vector<Program> program_;
  std::deque<std::pair<std::int64_t, std::int32_t>> due_;
  std::int32_t most_ports_ = 1;
  std::int64_t now_ = 0, complete_ = 0;
  ReferenceRun run_;
};

}  // namespace sortlast::simulate
