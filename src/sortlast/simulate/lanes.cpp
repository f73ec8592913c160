// Packets on virtual lanes: checks of arguments, and the engine with each of its sources.
#include "sortlast/simulate/lanes.hpp"

#include <string>
#include <variant>

#include "sortlast/error.hpp"
#include "sortlast/simulate/packet/arguments.hpp"
#include "sortlast/simulate/packet/lanes/engine.hpp"
#include "sortlast/simulate/packet/lanes/load_source.hpp"
#include "sortlast/simulate/packet/lanes/traffic_source.hpp"

namespace sortlast::simulate {

namespace {

constexpr std::int32_t most_lanes = 64;

const fabric::Topology& topology_of(const LaneRoutes& routes) {
  return routes.kind == WayKind::adaptive ? *routes.allowed->topology() : *routes.routes.topology;
}

void check_lanes(const LaneRoutes& routes, const PacketOptions& options, const LaneOptions& lanes) {
  check_packet_options(options, 1 << 16);
  if (options.background != 0) throw ArgumentError("there is no background on lanes; expected 0");
  if (lanes.lanes != 0) check_range("lanes", lanes.lanes, 1, most_lanes);
  check_range("ugal_threshold", lanes.ugal_threshold, -(1 << 30), 1 << 30);
  check_range("link_cycles", lanes.link_cycles, 0, 1 << 16);
  check_range("global_cycles", lanes.global_cycles, 0, 1 << 16);
  if (lanes.lanes == 0 || lanes.lanes >= routes.classes) return;
  throw ArgumentError("routing '" + routes.name + "' needs " + std::to_string(routes.classes) +
                      " lanes to be free of deadlock; there are " + std::to_string(lanes.lanes));
}

// Hosts per group of a dragonfly or dragonfly+; 0: there are no groups.
std::int32_t group_hosts(const fabric::Topology& topology) {
  if (const auto* shape = std::get_if<fabric::DragonflyShape>(&topology.shape())) return shape->p * shape->a;
  if (const auto* shape = std::get_if<fabric::DragonflyPlusShape>(&topology.shape())) {
    return shape->p * shape->l;
  }
  return 0;
}

// Checks that a path leads from one host to another.
void check_way(const LaneRoutes& routes, std::int32_t source, std::int32_t destination) {
  if (routes.kind != WayKind::adaptive) {
    (void)fabric::walk(routes.routes, source, destination);
    return;
  }
  const fabric::Topology& topology = topology_of(routes);
  const std::int32_t s = topology.switch_of(topology.attachment(source).vertex);
  const bool together = topology.attachment(source).vertex == topology.attachment(destination).vertex;
  if (together || !routes.allowed->towards(s, destination).empty()) return;
  throw ArgumentError("routing '" + routes.name + "' allows no way from host '" + topology.label(source) +
                      "' to host '" + topology.label(destination) + "'");
}

}  // namespace

PacketResult simulate_packets(const LaneRoutes& routes, const Traffic& traffic,
                              const fabric::Placement& placement, const PacketOptions& options,
                              const LaneOptions& lanes) {
  const fabric::Topology& topology = topology_of(routes);
  check(traffic);
  check_lanes(routes, options, lanes);
  check_placement(topology, traffic, placement);
  for_flows(traffic, placement,
            [&](std::int32_t source, std::int32_t destination) { check_way(routes, source, destination); });

  PacketResult result;
  TrafficSource source(traffic, placement, topology.hosts(), options, result);
  LaneEngine<TrafficSource> engine(routes, source, options, lanes);
  engine.run();
  if (source.feed().delivered() < source.feed().total()) {
    throw Error(describe_deadlock(topology, {}, source.waits()));
  }
  result.seconds = static_cast<double>(result.cycles) * options.packet_bytes / options.packet_phits /
                   options.link_bytes_per_second;
  result.packet_hops = engine.packet_hops();
  result.link_loads = engine.loads();
  if (options.message_log) result.log = source.feed().log();
  result.bytes_used = engine.bytes() + source.feed().bytes();
  return result;
}

LoadResult simulate_load(const LaneRoutes& routes, const LoadOptions& load, const PacketOptions& options,
                         const LaneOptions& lanes) {
  const fabric::Topology& topology = topology_of(routes);
  check_lanes(routes, options, lanes);
  check_range("load", load.load, 0, 1);
  check_range("warm_up", load.warm_up, 0, 1 << 28);
  check_range("measured", load.measured, 1, 1 << 28);
  check_range("drain", load.drain, 0, 1 << 28);
  if (topology.hosts() < 2) throw ArgumentError(topology.name() + " has fewer than two hosts");
  const std::int32_t group = group_hosts(topology);
  if (load.traffic == LoadTraffic::next_group && (group == 0 || group == topology.hosts())) {
    throw ArgumentError("traffic to the next group needs a dragonfly or dragonfly+ of several groups, and " +
                        topology.name() + " is none");
  }
  for (std::int32_t h = 1; h < topology.hosts(); ++h) {
    check_way(routes, 0, h);
    check_way(routes, h, 0);
  }

  LoadResult result;
  LoadSource source(topology.hosts(), group, load, options, result);
  LaneEngine<LoadSource> engine(routes, source, options, lanes);
  engine.run();
  const double capacity = static_cast<double>(topology.hosts()) * load.measured / options.packet_phits;
  result.offered = static_cast<double>(result.begun) / capacity;
  result.accepted = static_cast<double>(source.accepted()) / capacity;
  result.cycles = engine.now();
  result.packet_hops = engine.packet_hops();
  return result;
}

}  // namespace sortlast::simulate
