// dfsssp, OpenSM's deadlock-free SSSP: the tables of sssp, and virtual lanes that avoid credit loops.
//
// Domke, Hoefler, Nagel, "Deadlock-Free Oblivious Routing for Arbitrary Topologies" (2011); OpenSM 3.3.23,
// osm_ucast_dfsssp.c. All paths from hosts to hosts and switches begin on lane 0. A depth-first search over
// the dependencies between cables (a path that arrives by cable a and leaves by cable b waits for b) finds a
// circle; the dependency of the circle with the fewest paths is removed, its paths move to lane 1, and the
// search goes on. Then lane 1 is treated in the same way, and so on; dfsssp gives up when no lanes are left.
// Lash, in contrast, puts each pair of paths on the first lane where it fits, and moves none.
//
// The lanes depend on the order of everything: destinations as in sssp, for each of them the sources in the
// same order; dependencies in the order of their first path; and the search begins at cables by preorder of
// OpenSM's binary tree, in which they are sorted by the LID of their switch and by port (by the number of the
// switch if a switch has no LID). All hosts of a switch share the path to a destination, so they are added
// and moved together. All LIDs of a host have the same paths as a source, so one stands for all.
//
// Finally OpenSM spreads lanes with many paths at random over the lanes that are left. That changes neither
// paths nor freedom from deadlock and is left out here; our lanes are those before that step, as in lash.
//
// The 12-ary 3-tree of 1,728 hosts takes 0.4 s of a core, 0.16 s of it for sssp, and needs one lane; a fabric
// of 1,644 hosts with director switches takes 0.35 s and needs four.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/fabric/routing/dfsssp_lanes.hpp"
#include "sortlast/fabric/routing/sssp.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

namespace {

// Common number of virtual lanes for data. OpenSM uses the minimum over all ports of switches.
constexpr std::int32_t max_lanes = 8;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Cables between switches, numbered as in SwitchGraph.
class Cables {
 public:
  explicit Cables(const Topology& topology)
      : topology_(topology), graph_(topology), number_(at(topology.channels()), -1) {
    for (std::int32_t s = 0; s < graph_.switches(); ++s) {
      for (const SwitchCable& cable : graph_.cables(s)) {
        number_[at(topology.channel(s, cable.port))] = static_cast<std::int32_t>(end_.size());
        end_.push_back(cable.other);
      }
    }
  }

  // Cables on the path of a plane from a switch to a destination; none if it does not lead there.
  DfssspLanes::Way way(const Forwarding& forwarding, std::int32_t s, Vertex destination,
                       std::int32_t plane) const {
    DfssspLanes::Way way;
    while (true) {
      const std::int32_t port = forwarding.port(s, destination, plane);
      const std::int32_t cable = port < 1 ? -1 : number_[at(topology_.channel(s, port))];
      if (cable < 0) return way;
      way.push_back(cable);
      s = end_[at(cable)];
    }
  }

  // By cable: its place in the order of the LID of its switch and its port.
  std::vector<std::int32_t> ranks() const {
    const std::int32_t switches = graph_.switches();
    std::vector<std::int32_t> order(at(switches));
    std::iota(order.begin(), order.end(), 0);
    const auto lid = [&](std::int32_t s) { return topology_.switch_at(s).lid; };
    if (std::none_of(order.begin(), order.end(), [&](std::int32_t s) { return lid(s) == 0; })) {
      std::stable_sort(order.begin(), order.end(),
                       [&](std::int32_t a, std::int32_t b) { return lid(a) < lid(b); });
    }
    std::vector<std::int32_t> ranks(end_.size());
    std::int32_t rank = 0;
    for (const std::int32_t s : order) {
      for (std::size_t cable = graph_.first_cable(s); cable < graph_.first_cable(s + 1); ++cable) {
        ranks[cable] = rank++;
      }
    }
    return ranks;
  }

 private:
  const Topology& topology_;
  SwitchGraph graph_;
  std::vector<std::int32_t> number_;  // by channel; -1: of a host's link, or without a cable
  std::vector<std::int32_t> end_;     // by cable: the switch that it leads to
};

// The tables of sssp with lanes by the switch of the source, the destination and the plane.
class LanedTables final : public Forwarding {
 public:
  // `lanes`: of all paths, also of those to switches.
  LanedTables(const Topology& topology, std::shared_ptr<const Forwarding> tables, std::int32_t lanes)
      : tables_(std::move(tables)),
        switches_(at(topology.switches())),
        lane_of_(switches_ * at(topology.hosts() * tables_->planes())),
        lanes_(lanes) {
    for (std::int32_t h = 0; h < topology.hosts(); ++h) {
      leaves_.push_back(topology.switch_of(topology.attachment(h).vertex));
    }
  }

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t plane) const override {
    return tables_->port(s, destination, plane);
  }
  std::int32_t planes() const override { return tables_->planes(); }
  std::int32_t plane(std::int32_t source, std::int32_t destination) const override {
    return tables_->plane(source, destination);
  }
  std::int32_t lanes() const override { return lanes_; }
  std::int32_t lane(std::int32_t source, std::int32_t destination) const override {
    return lane_of_[index(leaves_[at(source)], destination, plane(source, destination))];
  }

  void set_lane(std::int32_t leaf, std::int32_t host, std::int32_t plane, std::int32_t lane) {
    lane_of_[index(leaf, host, plane)] = static_cast<std::uint8_t>(lane);
  }

 private:
  std::size_t index(std::int32_t leaf, std::int32_t host, std::int32_t plane) const {
    return (at(host) * at(tables_->planes()) + at(plane)) * switches_ + at(leaf);
  }

  std::shared_ptr<const Forwarding> tables_;
  std::size_t switches_;
  std::vector<std::uint8_t> lane_of_;
  std::int32_t lanes_;
  std::vector<std::int32_t> leaves_;  // by host
};

}  // namespace

Outcome engine::dfsssp(const Topology& topology, const RouteOptions& options) {
  Outcome sssp = engine::sssp(topology, options);
  if (!sssp.forwarding) return sssp;
  const Forwarding& tables = *sssp.forwarding;

  // Order the switches with hosts by their first host.
  const std::vector<std::int32_t> hosts = sssp_hosts(topology, options);
  std::vector<std::int32_t> leaves;
  std::vector<std::uint32_t> sources(at(topology.switches()));  // hosts by switch
  for (const std::int32_t h : hosts) {
    const std::int32_t leaf = topology.switch_of(topology.attachment(h).vertex);
    if (sources[at(leaf)]++ == 0) leaves.push_back(leaf);
  }

  // Put all paths on lane 0, and separate them.
  struct Flow {
    std::int32_t leaf = 0;
    Vertex destination = 0;
    std::int32_t plane = 0;
  };
  const Cables cables(topology);
  DfssspLanes lanes(cables.ranks(), max_lanes);
  std::vector<Flow> flows;
  const auto add = [&](Vertex destination, std::int32_t planes) {
    for (const std::int32_t leaf : leaves) {
      for (std::int32_t plane = 0; plane < planes; ++plane) {
        lanes.add(cables.way(tables, leaf, destination, plane), sources[at(leaf)]);
        flows.push_back({leaf, destination, plane});
      }
    }
  };
  for (const std::int32_t h : hosts) add(h, tables.planes());
  for (const std::int32_t s : switches_by_load(topology)) add(topology.vertex_of_switch(s), 1);
  const std::int32_t needed = lanes.separate();
  if (needed > max_lanes) {
    return refuse("its paths need more than " + std::to_string(max_lanes) + " virtual lanes");
  }

  auto laned = std::make_shared<LanedTables>(topology, sssp.forwarding, needed);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    if (topology.is_host(flow.destination)) {
      laned->set_lane(flow.leaf, flow.destination, flow.plane, lanes.lane(i));
    }
  }
  return {std::move(laned), ""};
}

}  // namespace sortlast::fabric
