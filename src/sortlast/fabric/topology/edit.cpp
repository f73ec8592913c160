#include "sortlast/fabric/edit.hpp"

#include <algorithm>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast::fabric {

namespace {

// What stays: by host, by switch, by channel (both directions of a link agree).
struct Kept {
  std::vector<bool> hosts, switches, channels;

  explicit Kept(const Topology& topology)
      : hosts(static_cast<std::size_t>(topology.hosts()), true),
        switches(static_cast<std::size_t>(topology.switches()), true),
        channels(static_cast<std::size_t>(topology.channels()), true) {}

  bool vertex(const Topology& topology, Vertex v) const {
    return topology.is_host(v) ? hosts[static_cast<std::size_t>(v)]
                               : switches[static_cast<std::size_t>(topology.switch_of(v))];
  }
};

void leave_out(std::vector<bool>& kept, const char* what, std::int32_t number) {
  if (number < 0 || static_cast<std::size_t>(number) >= kept.size()) {
    throw ArgumentError(std::string(what) + " " + std::to_string(number) + " does not exist: there are " +
                        std::to_string(kept.size()));
  }
  kept[static_cast<std::size_t>(number)] = false;
}

std::string name_without(const Topology& topology, const std::vector<bool>& kept, const char* one,
                         const char* many) {
  const auto gone = std::count(kept.begin(), kept.end(), false);
  return topology.name() + " without " + std::to_string(gone) + " " + (gone == 1 ? one : many);
}

// Add what stays to a builder, hosts and switches in their order, then its cables.
TopologyBuilder rebuild(std::string name, const Topology& topology, const Kept& kept) {
  TopologyBuilder builder(std::move(name));
  std::vector<std::int32_t> number(static_cast<std::size_t>(topology.vertices()), -1);
  const auto new_number = [&](Vertex v) { return number[static_cast<std::size_t>(v)]; };
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (kept.vertex(topology, h)) number[static_cast<std::size_t>(h)] = builder.add_host(topology.host(h));
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const Vertex v = topology.vertex_of_switch(s);
    if (!kept.vertex(topology, v)) continue;
    number[static_cast<std::size_t>(v)] = builder.add_switch(topology.switch_at(s), topology.level(s));
  }

  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const Vertex v = topology.vertex_of_switch(s);
    if (new_number(v) < 0) continue;
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
      const Channel c = topology.channel(s, port);
      const End& end = topology.target(c);
      if (!end.connected() || !kept.channels[static_cast<std::size_t>(c)] || new_number(end.vertex) < 0)
        continue;
      if (topology.is_host(end.vertex)) {
        builder.connect_host(new_number(end.vertex), new_number(v), port, topology.gbps(c));
      } else if (c < topology.reverse(c)) {
        builder.connect(new_number(v), port, new_number(end.vertex), end.port, topology.gbps(c));
      }
    }
  }
  return builder;
}

void cut(Kept& kept, const Topology& topology, Channel c) {
  if (c < 0 || c >= topology.channels()) {
    throw ArgumentError("channel " + std::to_string(c) + " does not exist: there are " +
                        std::to_string(topology.channels()));
  }
  const End from = topology.source(c), to = topology.target(c);
  const std::string port =
      "port " + std::to_string(from.port) + " of '" + topology.vertex_name(from.vertex) + "'";
  if (!to.connected()) throw ArgumentError(port + " has no cable to cut");
  if (topology.is_host(from.vertex) || topology.is_host(to.vertex)) {
    throw ArgumentError("the cable at " + port + " is a host's, which cannot be cut; leave the host out");
  }
  kept.channels[static_cast<std::size_t>(c)] = false;
  kept.channels[static_cast<std::size_t>(topology.reverse(c))] = false;
}

}  // namespace

Topology without_hosts(const Topology& topology, const std::vector<std::int32_t>& hosts) {
  if (hosts.empty()) return topology;
  Kept kept(topology);
  for (const std::int32_t h : hosts) leave_out(kept.hosts, "host", h);
  return rebuild(name_without(topology, kept.hosts, "host", "hosts"), topology, kept).finish();
}

Topology without_links(const Topology& topology, const std::vector<Channel>& channels) {
  if (channels.empty()) return topology;
  Kept kept(topology);
  for (const Channel c : channels) cut(kept, topology, c);
  const auto gone = std::count(kept.channels.begin(), kept.channels.end(), false) / 2;
  return rebuild(topology.name() + " without " + std::to_string(gone) + (gone == 1 ? " link" : " links"),
                 topology, kept)
      .finish();
}

Topology without_switches(const Topology& topology, const std::vector<std::int32_t>& switches) {
  if (switches.empty()) return topology;
  Kept kept(topology);
  for (const std::int32_t s : switches) leave_out(kept.switches, "switch", s);
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (!kept.vertex(topology, topology.attachment(h).vertex))
      kept.hosts[static_cast<std::size_t>(h)] = false;
  }
  return rebuild(name_without(topology, kept.switches, "switch", "switches"), topology, kept).finish();
}

Topology with_levels(const Topology& topology, std::vector<std::int32_t> levels) {
  TopologyBuilder builder = rebuild(topology.name(), topology, Kept(topology));
  builder.set_levels(std::move(levels));
  builder.set_shape(topology.shape());
  return std::move(builder).finish();
}

}  // namespace sortlast::fabric
