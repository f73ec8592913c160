// Credit loops: circles of channels in which packets may wait for each other's buffers for ever.
//
// Problem. InfiniBand loses no packet: one that has no buffer at the far end of a channel keeps its own.
// Tables are free of deadlock if no circle of channels exists in which some flow leads from each to the next
// (Dally and Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", 1987). It is
// necessary too where, as here, a flow has one path. Lanes have buffers of their own, so each lane is looked
// at by itself.
//
// Model. The channel dependency graph: its vertices are channels between switches (a circle cannot hold a
// host's), its edges the pairs of channels that follow each other on a path between two hosts. A pair meets
// in a switch, so it is held as one bit of a matrix (port in, port out) of that switch.
//
// Cost. Paths to one destination, on one plane and lane, join where they meet; each is followed until it
// meets an earlier one. So a destination costs as many steps as there are switches and one for each host:
// H (H + S) for H hosts and S switches, times the lanes; then a depth-first search of the graph. Rejected:
// all pairs of hosts, each path to its end.
#include <cstddef>
#include <utility>

#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {

namespace {

// Which channel of a switch some flow takes after which.
class Dependencies {
 public:
  explicit Dependencies(const Topology& topology) : topology_(topology) {
    std::size_t bits = 0;
    for (std::int32_t s = 0; s < topology.switches(); ++s) {
      first_.push_back(bits);
      const auto ports = static_cast<std::size_t>(topology.switch_at(s).ports);
      bits += ports * ports;
    }
    taken_.assign(bits, false);
  }

  void add(std::int32_t s, std::int32_t port_in, std::int32_t port_out) {
    taken_[bit(s, port_in, port_out)] = true;
  }
  // Whether a flow that enters s by port_in leaves by port_out.
  bool has(std::int32_t s, std::int32_t port_in, std::int32_t port_out) const {
    return taken_[bit(s, port_in, port_out)];
  }

 private:
  std::size_t bit(std::int32_t s, std::int32_t port_in, std::int32_t port_out) const {
    const auto ports = static_cast<std::size_t>(topology_.switch_at(s).ports);
    return first_[static_cast<std::size_t>(s)] + static_cast<std::size_t>(port_in - 1) * ports +
           static_cast<std::size_t>(port_out - 1);
  }

  const Topology& topology_;
  std::vector<std::size_t> first_;
  std::vector<bool> taken_;
};

// Collects the dependencies of all flows on one lane.
class Collector {
 public:
  Collector(const Routes& routes, std::int32_t lane)
      : topology_(*routes.topology),
        forwarding_(*routes.forwarding),
        lane_(lane),
        dependencies_(topology_),
        seen_(static_cast<std::size_t>(topology_.switches()) * static_cast<std::size_t>(forwarding_.planes()),
              -1) {}

  Dependencies run() && {
    for (std::int32_t d = 0; d < topology_.hosts(); ++d) {
      for (std::int32_t source = 0; source < topology_.hosts(); ++source) {
        if (source == d) continue;
        if (forwarding_.lanes() > 1 && forwarding_.lane(source, d) != lane_) continue;
        follow(topology_.switch_of(topology_.attachment(source).vertex), d, forwarding_.plane(source, d));
      }
    }
    return std::move(dependencies_);
  }

 private:
  // From switch s to d, until an earlier path is met or the tables lead nowhere.
  void follow(std::int32_t s, std::int32_t d, std::int32_t plane) {
    const std::size_t row = static_cast<std::size_t>(plane) * static_cast<std::size_t>(topology_.switches());
    for (std::int32_t port_in = 0;;) {
      std::int32_t& seen = seen_[row + static_cast<std::size_t>(s)];
      if (seen == d && port_in == 0) return;
      const std::int32_t port_out = forwarding_.port(s, d, plane);
      if (port_out < 1 || port_out > topology_.switch_at(s).ports) return;
      if (port_in > 0) dependencies_.add(s, port_in, port_out);
      if (seen == d) return;
      seen = d;
      const End& end = topology_.target(topology_.channel(s, port_out));
      if (!end.connected() || topology_.is_host(end.vertex)) return;
      s = topology_.switch_of(end.vertex);
      port_in = end.port;
    }
  }

  const Topology& topology_;
  const Forwarding& forwarding_;
  std::int32_t lane_;
  Dependencies dependencies_;
  std::vector<std::int32_t> seen_;  // by plane and switch: the last destination that was followed through it
};

// A depth-first search with a stack of its own, because circles may be as long as there are channels.
class CircleSearch {
 public:
  CircleSearch(const Topology& topology, const Dependencies& dependencies)
      : topology_(topology),
        dependencies_(dependencies),
        seen_(static_cast<std::size_t>(topology.channels())),
        on_path_(seen_.size()) {}

  // The channels of a circle; none if there is no circle.
  std::vector<Channel> run() {
    for (Channel c = topology_.hosts(); c < topology_.channels(); ++c) {
      if (seen_[static_cast<std::size_t>(c)]) continue;
      std::vector<Channel> circle = from(c);
      if (!circle.empty()) return circle;
    }
    return {};
  }

 private:
  struct Step {
    Channel channel;
    std::int32_t next_port = 1;  // of the switch that it leads to, yet to be tried
  };

  void enter(Channel c) {
    path_.push_back({c});
    seen_[static_cast<std::size_t>(c)] = on_path_[static_cast<std::size_t>(c)] = true;
  }

  std::vector<Channel> from(Channel start) {
    enter(start);
    while (!path_.empty()) {
      const Channel next = next_after(path_.back());
      if (next < 0) {
        on_path_[static_cast<std::size_t>(path_.back().channel)] = false;
        path_.pop_back();
      } else if (on_path_[static_cast<std::size_t>(next)]) {
        return circle_at(next);
      } else if (!seen_[static_cast<std::size_t>(next)]) {
        enter(next);
      }
    }
    return {};
  }

  // The next channel that a flow takes after this step's; -1: no other.
  Channel next_after(Step& step) const {
    const End& end = topology_.target(step.channel);
    if (!end.connected() || topology_.is_host(end.vertex)) return -1;
    const std::int32_t s = topology_.switch_of(end.vertex);
    while (step.next_port <= topology_.switch_at(s).ports) {
      const std::int32_t port = step.next_port++;
      if (dependencies_.has(s, end.port, port)) return topology_.channel(s, port);
    }
    return -1;
  }

  std::vector<Channel> circle_at(Channel first) const {
    std::vector<Channel> circle;
    for (std::size_t i = path_.size(); circle.empty() || circle.back() != first;)
      circle.push_back(path_[--i].channel);
    return {circle.rbegin(), circle.rend()};
  }

  const Topology& topology_;
  const Dependencies& dependencies_;
  std::vector<bool> seen_, on_path_;  // by channel
  std::vector<Step> path_;
};

}  // namespace

CreditLoop find_credit_loop(const Routes& routes) {
  for (std::int32_t lane = 0; lane < routes.forwarding->lanes(); ++lane) {
    const Dependencies dependencies = Collector(routes, lane).run();
    std::vector<Channel> cycle = CircleSearch(*routes.topology, dependencies).run();
    if (!cycle.empty()) return {std::move(cycle)};
  }
  return {};
}

}  // namespace sortlast::fabric
