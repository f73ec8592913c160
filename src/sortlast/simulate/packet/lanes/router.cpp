// The routings on lanes, and the paths of each.
//
// Paths of Valiant and UGAL consist of two minimal paths: to the intermediate switch, and from there as if
// the packet began there. The second part has separate classes above the classes of the first part. So no
// packet in a second part waits for one in a first part, and each part is free of circles like the minimal
// routing. A packet on the minimal path from the start has the classes of a second part.
#include "sortlast/simulate/packet/lanes/router.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "sortlast/error.hpp"

namespace sortlast::simulate {

std::span<const LaneRouting> lane_routings() {
  static const std::vector<LaneRouting> all = {
      {"valiant", "By a random switch of another group: any traffic becomes uniform, on ways twice as long."},
      {"ugal", "Minimal or as valiant, whichever has the shorter queue, weighted by its length (UGAL-L)."},
      {"ar-updn", "Adaptive among all least-hop up*/down* ways, as OpenSM's ar_updn allows."},
      {"ar-ftree", "Adaptive among all ports up, then all ports down, as OpenSM's ar_ftree allows."},
  };
  return all;
}

LaneRoutes lane_routes(const fabric::Routes& routes) {
  return {routes.engine, WayKind::tables, routes, nullptr, routes.forwarding->lanes()};
}

LaneRoutes lane_routes(std::shared_ptr<const fabric::Topology> topology, std::string_view name,
                       const fabric::RouteOptions& options) {
  const std::string text(name);
  if (name == "ar-updn" || name == "ar-ftree") {
    return {text, WayKind::adaptive, {}, fabric::spreading(std::move(topology), name, options).allowed, 1};
  }
  if (name != "valiant" && name != "ugal") {
    const auto engines = fabric::engines();
    if (std::none_of(engines.begin(), engines.end(), [&](const auto& each) { return each.name == name; })) {
      std::string names;
      for (const fabric::Engine& engine : engines) names += engine.name + ", ";
      for (const LaneRouting& routing : lane_routings()) {
        names += (routing.name == "valiant" ? "" : ", ") + routing.name;
      }
      throw ArgumentError("no routing '" + text + "'; expected one of " + names);
    }
    fabric::Routes routes = fabric::route(std::move(topology), name, options);
    if (name == "minimal" && !routes.fallback.empty()) {
      throw ArgumentError("routing 'minimal' refuses " + routes.topology->name() +
                          ": take an intact dragonfly, dragonfly+ or HyperX");
    }
    return lane_routes(routes);
  }
  fabric::Routes minimal = fabric::route(std::move(topology), "minimal", options);
  if (!minimal.fallback.empty()) {
    throw ArgumentError(text + " needs the routing minimal, which refuses " + minimal.topology->name() +
                        ": take an intact dragonfly, dragonfly+ or HyperX");
  }
  const std::int32_t classes = 2 * minimal.forwarding->lanes();
  const WayKind kind = name == "valiant" ? WayKind::valiant : WayKind::ugal;
  return {text, kind, std::move(minimal), nullptr, classes};
}

LaneRouter::LaneRouter(const LaneRoutes& routes)
    : routes_(routes),
      topology_(routes.kind == WayKind::adaptive ? routes.allowed->topology().get()
                                                 : routes.routes.topology.get()) {
  host_port_.assign(static_cast<std::size_t>(topology_->switches()), 0);
  for (std::int32_t h = 0; h < topology_->hosts(); ++h) {
    const fabric::End& end = topology_->attachment(h);
    const std::int32_t s = topology_->switch_of(end.vertex);
    switch_of_host_.push_back(s);
    std::int32_t& port = host_port_[static_cast<std::size_t>(s)];
    if (port == 0) leaves_.push_back(s);
    port = end.port;
  }
  if (const auto* dragonfly = std::get_if<fabric::DragonflyShape>(&topology_->shape())) {
    group_size_ = dragonfly->a;
    has_groups_ = true;
  }
  if (const auto* plus = std::get_if<fabric::DragonflyPlusShape>(&topology_->shape())) {
    group_size_ = plus->l + plus->s;
    has_groups_ = true;
  }
}

WayState LaneRouter::start(std::int32_t source, std::int32_t destination, std::int32_t intermediate) const {
  WayState state;
  state.intermediate = intermediate;
  if (routes_.kind == WayKind::adaptive) return state;
  const fabric::Forwarding& forwarding = *routes_.routes.forwarding;
  state.lane = static_cast<std::uint8_t>(forwarding.lane(source, destination));
  if (routes_.kind != WayKind::tables && intermediate < 0) {
    state.base = static_cast<std::uint8_t>(forwarding.lanes());
  }
  return state;
}

void LaneRouter::no_way(std::int32_t s, std::int32_t destination) const {
  throw Error("routing '" + routes_.name + "': no way leads from switch '" +
              topology_->label(topology_->vertex_of_switch(s)) + "' to host '" +
              topology_->label(destination) + "'");
}

LaneRouter::Hop LaneRouter::next(std::int32_t s, std::int32_t port_in, std::int32_t source,
                                 std::int32_t destination, const WayState& at) {
  Hop hop;
  hop.after = at;
  hop.after.begun = true;
  const bool arrived = s == switch_of_host(destination);
  if (routes_.kind == WayKind::adaptive) {
    one_[0] = topology_->attachment(destination).port;
    hop.ports = arrived ? std::span<const std::int32_t>(one_) : routes_.allowed->towards(s, destination);
    if (hop.ports.empty()) no_way(s, destination);
    return hop;
  }

  // Begin the second part of the path at the intermediate switch.
  const fabric::Forwarding& forwarding = *routes_.routes.forwarding;
  if (at.intermediate == s) {
    hop.after.intermediate = -1;
    hop.after.base = static_cast<std::uint8_t>(forwarding.lanes());
    hop.after.lane = static_cast<std::uint8_t>(forwarding.lane(source, destination));
    port_in = host_port_[static_cast<std::size_t>(s)];
  } else if (!at.begun) {
    port_in = host_port_[static_cast<std::size_t>(s)];
  }
  const fabric::Vertex aim =
      hop.after.intermediate >= 0 ? topology_->vertex_of_switch(hop.after.intermediate) : destination;
  one_[0] = forwarding.port(s, aim, forwarding.plane(source, destination));
  if (one_[0] < 1 || one_[0] > topology_->switch_at(s).ports) no_way(s, destination);
  hop.ports = one_;
  hop.after.lane = static_cast<std::uint8_t>(forwarding.next_lane(s, port_in, one_[0], hop.after.lane));
  hop.hop_class = static_cast<std::uint8_t>(hop.after.base + hop.after.lane);
  return hop;
}

}  // namespace sortlast::simulate
