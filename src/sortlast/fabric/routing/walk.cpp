// Follow the tables from one host to another.
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {

namespace {

// Whether cables lead from switch s to a host.
bool joined(const Topology& topology, std::int32_t s, std::int32_t host) {
  std::vector<bool> seen(static_cast<std::size_t>(topology.switches()), false);
  std::vector<std::int32_t> reached{s};
  seen[static_cast<std::size_t>(s)] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (std::int32_t port = 1; port <= topology.switch_at(reached[i]).ports; ++port) {
      const End& end = topology.target(topology.channel(reached[i], port));
      if (!end.connected() || topology.is_host(end.vertex)) continue;
      const std::int32_t next = topology.switch_of(end.vertex);
      if (seen[static_cast<std::size_t>(next)]) continue;
      seen[static_cast<std::size_t>(next)] = true;
      reached.push_back(next);
    }
  }
  return seen[static_cast<std::size_t>(topology.switch_of(topology.attachment(host).vertex))];
}

Error apart(const Topology& topology, std::int32_t source, std::int32_t destination) {
  const auto text = [&](std::int32_t h) {
    return "'" + topology.host(h).name + "' port " + std::to_string(topology.host(h).port);
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
    return Error("from '" + topology.host(source).name + "' to '" + topology.host(destination).name +
                 "': switch '" + topology.switch_at(s).name + "' " + what + " (routes of " + routes.engine +
                 ")");
  };
  path.push_back(topology.channel_of_host(source));
  for (Vertex at = topology.attachment(source).vertex; at != destination;) {
    if (topology.is_host(at)) {
      throw stuck(topology.switch_of(topology.attachment(at).vertex),
                  "leads to '" + topology.host(at).name + "'");
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
    text += topology.vertex_name(from.vertex) + " [" + std::to_string(from.port) + "] -> ";
    text +=
        to.connected() ? "[" + std::to_string(to.port) + "] " + topology.vertex_name(to.vertex) : "nothing";
    text += '\n';
  }
  return text;
}

}  // namespace sortlast::fabric
