// Credit loops: circles of channels in which packets may deadlock, waiting for each other's buffers.
//
// Problem. InfiniBand drops no packets: a packet without a buffer at the far end of a channel keeps its own
// buffer. Tables are free of deadlock if there is no circle of channels in which some flow leads from each to
// the next (Dally and Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks",
// 1987). If every flow has one path, as here, the condition is also necessary. Lanes have separate buffers,
// so each lane is examined separately.
//
// Model. The vertices of the channel dependency graph are the lanes of channels between switches (a circle
// cannot contain a host's channel); its edges are the pairs that follow each other on a path between two
// hosts. A pair meets in a switch, so it is stored as one bit of that switch's matrix (lane in, port in, port
// out), from which the forwarding determines the next lane of the packet.
//
// Cost. Paths to one destination that leave a switch on the same plane and lane are the same from there on,
// so each is followed until it meets an earlier one. A destination therefore costs as many steps as there are
// switches (at most times the lanes) and one for each host: H (H + S) for H hosts and S switches; then a
// depth-first search of the graph. Rejected: following the paths of all pairs of hosts to their ends.
#include <cstddef>
#include <utility>

#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {

namespace {

// Pairs of channels that some flow takes one after the other at a switch, by the lane of the first.
class Dependencies {
 public:
  Dependencies(const Topology& topology, std::int32_t lanes) : topology_(topology) {
    for (std::int32_t s = 0; s < topology.switches(); ++s) {
      first_.push_back(bits_);
      const auto ports = static_cast<std::size_t>(topology.switch_at(s).ports);
      bits_ += ports * ports;
    }
    taken_.assign(bits_ * static_cast<std::size_t>(lanes), false);
  }

  void add(std::int32_t lane, std::int32_t s, std::int32_t port_in, std::int32_t port_out) {
    taken_[bit(lane, s, port_in, port_out)] = true;
  }
  // Whether a flow that enters s by port_in on a lane leaves by port_out.
  bool has(std::int32_t lane, std::int32_t s, std::int32_t port_in, std::int32_t port_out) const {
    return taken_[bit(lane, s, port_in, port_out)];
  }

 private:
  std::size_t bit(std::int32_t lane, std::int32_t s, std::int32_t port_in, std::int32_t port_out) const {
    const auto ports = static_cast<std::size_t>(topology_.switch_at(s).ports);
    return static_cast<std::size_t>(lane) * bits_ + first_[static_cast<std::size_t>(s)] +
           static_cast<std::size_t>(port_in - 1) * ports + static_cast<std::size_t>(port_out - 1);
  }

  const Topology& topology_;
  std::size_t bits_ = 0;  // per lane
  std::vector<std::size_t> first_;
  std::vector<bool> taken_;
};

// Collects the dependencies of all flows.
class Collector {
 public:
  explicit Collector(const Routes& routes)
      : topology_(*routes.topology),
        forwarding_(*routes.forwarding),
        dependencies_(topology_, forwarding_.lanes()),
        seen_(static_cast<std::size_t>(topology_.switches()) *
                  static_cast<std::size_t>(forwarding_.planes() * forwarding_.lanes()),
              -1) {}

  Dependencies run() && {
    for (std::int32_t d = 0; d < topology_.hosts(); ++d) {
      for (std::int32_t source = 0; source < topology_.hosts(); ++source) {
        if (source != d) follow(source, d);
      }
    }
    return std::move(dependencies_);
  }

 private:
  // Follows a path from one host to another, until it meets an earlier path or the tables lead nowhere.
  void follow(std::int32_t source, std::int32_t d) {
    const std::int32_t plane = forwarding_.plane(source, d);
    std::int32_t lane = forwarding_.lane(source, d);
    std::int32_t s = topology_.switch_of(topology_.attachment(source).vertex);
    std::int32_t port_in = topology_.attachment(source).port;
    for (bool from_host = true;; from_host = false) {
      const std::int32_t port_out = forwarding_.port(s, d, plane);
      if (port_out < 1 || port_out > topology_.switch_at(s).ports) return;
      if (!from_host) dependencies_.add(lane, s, port_in, port_out);
      lane = forwarding_.next_lane(s, port_in, port_out, lane);
      std::int32_t& seen = seen_[static_cast<std::size_t>(plane * forwarding_.lanes() + lane) *
                                     static_cast<std::size_t>(topology_.switches()) +
                                 static_cast<std::size_t>(s)];
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
  Dependencies dependencies_;
  // By plane, lane on which the paths leave, and switch: the last destination of paths followed there.
  std::vector<std::int32_t> seen_;
};

// A depth-first search with an explicit stack, because a circle may contain every channel.
class CircleSearch {
 public:
  CircleSearch(const Routes& routes, const Dependencies& dependencies)
      : topology_(*routes.topology),
        forwarding_(*routes.forwarding),
        dependencies_(dependencies),
        seen_(static_cast<std::size_t>(topology_.channels()) * static_cast<std::size_t>(forwarding_.lanes())),
        on_path_(seen_.size()) {}

  // The channels of a circle; none if there is no circle.
  std::vector<Channel> run() {
    for (std::int32_t lane = 0; lane < forwarding_.lanes(); ++lane) {
      for (Channel c = topology_.hosts(); c < topology_.channels(); ++c) {
        if (seen_[index({c, lane})]) continue;
        std::vector<Channel> circle = from({c, lane});
        if (!circle.empty()) return circle;
      }
    }
    return {};
  }

 private:
  struct Laned {
    Channel channel = -1;
    std::int32_t lane = 0;
    bool operator==(const Laned&) const = default;
  };
  struct Step {
    Laned at;
    std::int32_t next_port = 1;  // first untried port of the switch that it leads to
  };

  std::size_t index(const Laned& at) const {
    return static_cast<std::size_t>(at.lane) * static_cast<std::size_t>(topology_.channels()) +
           static_cast<std::size_t>(at.channel);
  }

  void enter(const Laned& at) {
    path_.push_back({at});
    seen_[index(at)] = on_path_[index(at)] = true;
  }

  std::vector<Channel> from(const Laned& start) {
    enter(start);
    while (!path_.empty()) {
      const Laned next = next_after(path_.back());
      if (next.channel < 0) {
        on_path_[index(path_.back().at)] = false;
        path_.pop_back();
      } else if (on_path_[index(next)]) {
        return circle_at(next);
      } else if (!seen_[index(next)]) {
        enter(next);
      }
    }
    return {};
  }

  // The next channel, with its lane, that a flow takes after this step's; -1: none.
  Laned next_after(Step& step) const {
    const End& end = topology_.target(step.at.channel);
    if (!end.connected() || topology_.is_host(end.vertex)) return {};
    const std::int32_t s = topology_.switch_of(end.vertex);
    while (step.next_port <= topology_.switch_at(s).ports) {
      const std::int32_t port = step.next_port++;
      if (!dependencies_.has(step.at.lane, s, end.port, port)) continue;
      return {topology_.channel(s, port), forwarding_.next_lane(s, end.port, port, step.at.lane)};
    }
    return {};
  }

  std::vector<Channel> circle_at(const Laned& first) const {
    std::vector<Channel> circle;
    for (std::size_t i = path_.size(); circle.empty() || path_[i].at != first;)
      circle.push_back(path_[--i].at.channel);
    return {circle.rbegin(), circle.rend()};
  }

  const Topology& topology_;
  const Forwarding& forwarding_;
  const Dependencies& dependencies_;
  std::vector<bool> seen_, on_path_;  // by lane and channel
  std::vector<Step> path_;
};

}  // namespace

CreditLoop find_credit_loop(const Routes& routes) {
  const Dependencies dependencies = Collector(routes).run();
  return {CircleSearch(routes, dependencies).run()};
}

}  // namespace sortlast::fabric
