// Tables in memory, the engines by name, and walks over the tables from one host to another.
//
// If an engine refuses the fabric, OpenSM falls back to minhop; it exits with status 0, and only a line in
// its log says so. route() does the same, but its result names the requested engine, the engine used, and the
// reason.
#include <array>
#include <set>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::uint8_t none_narrow = 0xFF;
constexpr std::uint16_t none_wide = 0xFFFF;
constexpr std::int32_t most_narrow_ports = 254;
constexpr std::int32_t most_ports = 65534;

}  // namespace

std::int32_t Forwarding::plane(std::int32_t /*source*/, std::int32_t /*destination*/) const { return 0; }

Tables::Tables(const Topology& topology, std::int32_t planes)
    : vertices_(topology.vertices()), switches_(topology.switches()), planes_(planes) {
  if (planes < 1)
    throw ArgumentError("routing tables of " + std::to_string(planes) + " planes; expected at least 1");
  std::int32_t ports = 0;
  for (std::int32_t s = 0; s < switches_; ++s) ports = std::max(ports, topology.switch_at(s).ports);
  if (ports > most_ports) {
    throw ArgumentError("a switch of " + std::to_string(ports) + " ports; tables hold at most " +
                        std::to_string(most_ports));
  }
  const auto entries = static_cast<std::size_t>(switches_) * static_cast<std::size_t>(vertices_) *
                       static_cast<std::size_t>(planes_);
  if (ports <= most_narrow_ports) {
    narrow_.assign(entries, none_narrow);
  } else {
    wide_.assign(entries, none_wide);
  }
}

// Planes are stored one after the other; a switch is a row of its plane.
std::size_t Tables::index(std::int32_t s, Vertex destination, std::int32_t plane) const {
  return (static_cast<std::size_t>(plane) * static_cast<std::size_t>(switches_) +
          static_cast<std::size_t>(s)) *
             static_cast<std::size_t>(vertices_) +
         static_cast<std::size_t>(destination);
}

std::int32_t Tables::port(std::int32_t s, Vertex destination, std::int32_t plane) const {
  const std::size_t at = index(s, destination, plane);
  if (!narrow_.empty()) return narrow_[at] == none_narrow ? unreachable : narrow_[at];
  return wide_[at] == none_wide ? unreachable : wide_[at];
}

std::int32_t Tables::plane(std::int32_t source, std::int32_t destination) const {
  return (source + destination) % planes_;
}

void Tables::set(std::int32_t s, Vertex destination, std::int32_t port, std::int32_t plane) {
  const std::size_t at = index(s, destination, plane);
  if (!narrow_.empty()) {
    narrow_[at] = port == unreachable ? none_narrow : static_cast<std::uint8_t>(port);
  } else {
    wide_[at] = port == unreachable ? none_wide : static_cast<std::uint16_t>(port);
  }
}

std::int64_t Tables::bytes() const { return static_cast<std::int64_t>(narrow_.size() + 2 * wide_.size()); }

namespace {

using Make = Outcome (*)(const Topology&, const RouteOptions&);

struct Entry {
  Engine engine;
  Make make;
};

const std::array<Entry, 13>& entries() {
  static const std::array<Entry, 13> all = {{
      {{"d-mod-k", "Up-port by destination on a regular tree (Zahavi 2010): shifts are free of contention."},
       engine::d_mod_k},
      {{"s-mod-k", "Up-port by source on a regular tree; large ones need more LIDs than an LMC gives."},
       engine::s_mod_k},
      {{"ftree", "OpenSM's fat-tree engine: d-mod-k on intact trees, the least loaded port on damaged ones."},
       engine::ftree},
      {{"minhop", "OpenSM's default: shortest paths, spread over ports by destination."}, engine::minhop},
      {{"updn", "OpenSM's Up*/Down*: shortest of the paths that never go up again."}, engine::updn},
      {{"dnup", "OpenSM's Down/Up: as updn, but ranked by the distance from hosts, so it needs no roots."},
       engine::dnup},
      {{"dor", "OpenSM's dimension order: along x first, then y, then z."}, engine::dor},
      {{"lash", "OpenSM's LASH: shortest paths, kept apart on virtual lanes so that none can deadlock."},
       engine::lash},
      {{"sssp", "OpenSM's SSSP: for each destination in turn the paths that earlier ones use least."},
       engine::sssp},
      {{"dfsssp", "OpenSM's DFSSSP: sssp, with virtual lanes on which no circle of cables can deadlock."},
       engine::dfsssp},
      {{"random", "A random one of the shortest up*/down* paths, which the seed fixes."}, engine::random},
      {{"minimal", "Local, global, local on a dragonfly or dragonfly+; a hop a dimension on a HyperX."},
       engine::minimal},
      {{"ecmp", "A shortest path per flow by a hash, as Ethernet switches choose; the seed fixes it."},
       engine::ecmp},
  }};
  return all;
}

Make maker(std::string_view name) {
  std::string names;
  for (const auto& [known, make] : entries()) {
    if (known.name == name) return make;
    names += (names.empty() ? "" : ", ") + known.name;
  }
  throw ArgumentError("no routing engine '" + std::string(name) + "'; expected one of " + names);
}

void check_numbers(const char* what, const std::vector<std::int32_t>& numbers, std::int32_t count) {
  std::set<std::int32_t> seen;
  for (const std::int32_t number : numbers) {
    if (number < 0 || number >= count) {
      throw ArgumentError(std::string(what) + " " + std::to_string(number) + " does not exist: there are " +
                          std::to_string(count));
    }
    if (!seen.insert(number).second) {
      throw ArgumentError(std::string(what) + " " + std::to_string(number) + " is listed twice");
    }
  }
}

}  // namespace

std::span<const Engine> engines() {
  static const std::vector<Engine> all = [] {
    std::vector<Engine> list;
    for (const Entry& entry : entries()) list.push_back(entry.engine);
    return list;
  }();
  return all;
}

void check_options(const Topology& topology, const RouteOptions& options) {
  check_numbers("root switch", options.roots, topology.switches());
  check_numbers("compute host", options.compute, topology.hosts());
  if (options.lmc < 0 || options.lmc > 7) {
    throw ArgumentError("an LMC of " + std::to_string(options.lmc) + "; expected 0 to 7 (1 to 128 LIDs)");
  }
}

Routes route(std::shared_ptr<const Topology> topology, std::string_view engine, const RouteOptions& options) {
  const Make make = maker(engine);
  check_options(*topology, options);

  Routes routes{std::move(topology), nullptr, std::string(engine), std::string(engine), ""};
  Outcome outcome = make(*routes.topology, options);
  if (!outcome.forwarding) {
    routes.fallback = routes.asked + " refuses this fabric: " + outcome.refusal + "; minhop is used instead";
    routes.engine = "minhop";
    outcome = engine::minhop(*routes.topology, options);
  }
  routes.forwarding = std::move(outcome.forwarding);
  return routes;
}

namespace {

// Whether switch s is connected to a host by cables.
bool joined(const Topology& topology, std::int32_t s, std::int32_t host) {
  const std::vector<std::int32_t> distance = distances(SwitchGraph(topology), {s});
  return distance[static_cast<std::size_t>(topology.switch_of(topology.attachment(host).vertex))] >= 0;
}

Error apart(const Topology& topology, std::int32_t source, std::int32_t destination) {
  const auto text = [&](std::int32_t h) {
    return "'" + topology.label(h) + "' port " + std::to_string(topology.host(h).port);
  };
  return Error("no cables lead from " + text(source) + " to " + text(destination) +
               ": the fabric is in separate parts; name hosts of one of them");
}

}  // namespace

std::vector<Channel> walk(const Routes& routes, std::int32_t source, std::int32_t destination) {
  const Topology& topology = *routes.topology;
  for (const std::int32_t host : {source, destination}) {
    if (host < 0 || host >= topology.hosts()) {
      throw ArgumentError("host " + std::to_string(host) + " does not exist: there are " +
                          std::to_string(topology.hosts()));
    }
  }
  std::vector<Channel> path;
  if (source == destination) return path;

  const std::int32_t plane = routes.forwarding->plane(source, destination);
  const auto stuck = [&](std::int32_t s, const std::string& what) {
    return Error("from '" + topology.label(source) + "' to '" + topology.label(destination) + "': switch '" +
                 topology.label(topology.vertex_of_switch(s)) + "' " + what + " (routes of " + routes.engine +
                 ")");
  };
  path.push_back(topology.channel_of_host(source));
  for (Vertex at = topology.attachment(source).vertex; at != destination;) {
    if (topology.is_host(at)) {
      throw stuck(topology.switch_of(topology.attachment(at).vertex),
                  "leads to '" + topology.label(at) + "'");
    }
    const std::int32_t s = topology.switch_of(at);
    const std::int32_t port = routes.forwarding->port(s, destination, plane);
    if (port < 1 || port > topology.switch_at(s).ports) {
      if (!joined(topology, s, destination)) throw apart(topology, source, destination);
      throw stuck(s, "knows no port");
    }
    path.push_back(topology.channel(s, port));
    at = topology.target(path.back()).vertex;
    if (at < 0) throw stuck(s, "uses port " + std::to_string(port) + ", which has no cable");
    if (path.size() > static_cast<std::size_t>(topology.switches()) + 1) throw stuck(s, "lies on a circle");
  }
  return path;
}

std::string describe_channels(const Topology& topology, const std::vector<Channel>& channels) {
  std::string text;
  for (const Channel c : channels) {
    const End from = topology.source(c), &to = topology.target(c);
    text += topology.label(from.vertex) + " [" + std::to_string(from.port) + "] -> ";
    text += to.connected() ? "[" + std::to_string(to.port) + "] " + topology.label(to.vertex) : "nothing";
    text += '\n';
  }
  return text;
}

}  // namespace sortlast::fabric
