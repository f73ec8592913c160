// Topologies without some of their parts, and missing up-links.
//
// Which links are missing? No file lists the cables that should exist, but the fabric does: between two
// levels of a PGFT, or of a slender-tree, the switches form groups in which every lower switch has the same
// number of links to every upper one. The switches of two neighbouring levels are split into connected
// groups, the links of each pair in a group are counted, and the most common count is expected of every pair
// (the larger one if two are equally common: cables are lost more often than they are added).
//
// Limits: a switch that has lost all its links to a group no longer belongs to it, and a pair that forms a
// group alone cannot be compared with anything. If most pairs of a group have no link, the group is not
// regular in this sense, and nothing is missing.
#include "sortlast/fabric/topology.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/nodes.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

namespace {

// Remaining parts, by host, by switch, by channel (both directions of a link agree).
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

template <typename Part>
Part renamed(Part part, std::uint64_t guid, const NodeNames& names) {
  const auto found = names.find(guid);
  if (found != names.end()) part.name = found->second;
  return part;
}

// Adds the remaining parts to a builder: hosts and switches in their order, then the cables.
TopologyBuilder rebuild(std::string name, const Topology& topology, const Kept& kept,
                        const NodeNames& names = {}) {
  TopologyBuilder builder(std::move(name));
  std::vector<std::int32_t> number(static_cast<std::size_t>(topology.vertices()), -1);
  const auto new_number = [&](Vertex v) { return number[static_cast<std::size_t>(v)]; };
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (!kept.vertex(topology, h)) continue;
    const Host& host = topology.host(h);
    number[static_cast<std::size_t>(h)] =
        builder.add_host(renamed(renamed(host, host.guid, names), host.port_guid, names));
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const Vertex v = topology.vertex_of_switch(s);
    if (!kept.vertex(topology, v)) continue;
    const Switch& on = topology.switch_at(s);
    number[static_cast<std::size_t>(v)] = builder.add_switch(renamed(on, on.guid, names), topology.level(s));
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
  const std::string port = "port " + std::to_string(from.port) + " of '" + topology.label(from.vertex) + "'";
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

Topology without_stranded(const Topology& topology) {
  const SwitchGraph graph(topology);
  std::vector<std::int32_t> sources;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (is_compute_host(topology.host(h)))
      sources.push_back(topology.switch_of(topology.attachment(h).vertex));
  }
  if (sources.empty()) return topology;
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  const std::vector<std::int32_t> distance = distances(graph, sources);
  std::vector<std::int32_t> stranded;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    if (distance[static_cast<std::size_t>(s)] < 0) stranded.push_back(s);
  }
  return without_switches(topology, stranded);
}

Topology with_names(const Topology& topology, const NodeNames& names) {
  TopologyBuilder builder = rebuild(topology.name(), topology, Kept(topology), names);
  builder.set_shape(topology.shape());
  return std::move(builder).finish();
}

Topology with_levels(const Topology& topology, std::vector<std::int32_t> levels) {
  TopologyBuilder builder = rebuild(topology.name(), topology, Kept(topology));
  builder.set_levels(std::move(levels));
  builder.set_shape(topology.shape());
  return std::move(builder).finish();
}

namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;  // lower switch, upper switch
using Links = std::map<Pair, std::int32_t>;

// Connected switches of two neighbouring levels.
struct Group {
  std::vector<std::int32_t> lower, upper;
  Links links;
};

// Links between each level and the next, by the lower level.
std::map<std::int32_t, Links> links_by_level(const Topology& topology,
                                             const std::vector<std::int32_t>& level) {
  std::map<std::int32_t, Links> result;
  const SwitchGraph graph(topology);
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const std::int32_t here = level[static_cast<std::size_t>(s)];
    for (const SwitchCable& cable : graph.cables(s)) {
      if (level[static_cast<std::size_t>(cable.other)] == here + 1) ++result[here][{s, cable.other}];
    }
  }
  return result;
}

// Disjoint sets of switches (Tarjan, 1975; with path halving).
class Sets {
 public:
  explicit Sets(std::int32_t switches) : parent_(static_cast<std::size_t>(switches)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::int32_t find(std::int32_t s) {
    while (parent(s) != s) s = parent(s) = parent(parent(s));
    return s;
  }
  void join(std::int32_t a, std::int32_t b) { parent(find(a)) = find(b); }

 private:
  std::int32_t& parent(std::int32_t s) { return parent_[static_cast<std::size_t>(s)]; }
  std::vector<std::int32_t> parent_;
};

std::vector<Group> groups_of(const Topology& topology, const Links& links) {
  Sets sets(topology.switches());
  for (const auto& [pair, count] : links) sets.join(pair.first, pair.second);
  std::map<std::int32_t, Group> groups;
  for (const auto& [pair, count] : links) {
    Group& group = groups[sets.find(pair.first)];
    group.lower.push_back(pair.first);
    group.upper.push_back(pair.second);
    group.links.emplace(pair, count);
  }
  std::vector<Group> result;
  for (auto& [set, group] : groups) {
    for (std::vector<std::int32_t>* side : {&group.lower, &group.upper}) {
      std::sort(side->begin(), side->end());
      side->erase(std::unique(side->begin(), side->end()), side->end());
    }
    result.push_back(std::move(group));
  }
  return result;
}

// The most common number of links of a pair; 0 if most pairs have none.
std::int32_t expected_links(const Group& group) {
  std::map<std::int32_t, std::size_t> pairs;  // by number of links
  for (const auto& [pair, count] : group.links) ++pairs[count];
  pairs[0] = group.lower.size() * group.upper.size() - group.links.size();
  return std::max_element(pairs.begin(), pairs.end(),
                          [](const auto& a, const auto& b) {
                            return std::tie(a.second, a.first) < std::tie(b.second, b.first);
                          })
      ->first;
}

void add_missing(const Group& group, std::vector<MissingLinks>& missing) {
  const std::int32_t expected = expected_links(group);
  if (expected == 0) return;
  for (const std::int32_t lower : group.lower) {
    for (const std::int32_t upper : group.upper) {
      const auto found = group.links.find({lower, upper});
      const std::int32_t present = found == group.links.end() ? 0 : found->second;
      if (present < expected) missing.push_back({lower, upper, present, expected});
    }
  }
}

}  // namespace

std::vector<MissingLinks> missing_links(const Topology& topology) {
  const Levels levels = levels_of(topology);
  if (!levels.why.empty()) {
    throw ArgumentError("missing up-links of '" + topology.name() + "': it is no tree, because " +
                        levels.why);
  }
  std::vector<MissingLinks> missing;
  for (const auto& [level, links] : links_by_level(topology, levels.level)) {
    for (const Group& group : groups_of(topology, links)) add_missing(group, missing);
  }
  std::sort(missing.begin(), missing.end(), [](const MissingLinks& a, const MissingLinks& b) {
    return std::tie(a.lower, a.upper) < std::tie(b.lower, b.upper);
  });
  return missing;
}

}  // namespace sortlast::fabric
