// Slurm's topology.conf: a line a switch, nodes and switches below it folded. See read/slurm_topology.cpp.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <set>

#include "sortlast/error.hpp"
#include "sortlast/fabric/edit.hpp"
#include "sortlast/fabric/write/names.hpp"
#include "sortlast/fabric/write.hpp"

namespace sortlast::fabric {

namespace {

// Names of switches as topology.conf can hold them: their own if they are plain and differ, else GUIDs.
std::vector<std::string> switch_names(const Topology& topology) {
  std::map<std::string, int> uses;
  for (std::int32_t s = 0; s < topology.switches(); ++s) ++uses[topology.switch_at(s).name];
  std::vector<std::string> names;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const Switch& on = topology.switch_at(s);
    if (is_plain_name(on.name) && uses[on.name] == 1) {
      names.push_back(on.name);
    } else {
      char guid[19];
      std::snprintf(guid, sizeof guid, "S-%016" PRIx64, on.guid);
      names.emplace_back(guid);
    }
  }
  return names;
}

std::vector<std::int32_t> tree_levels(const Topology& topology) {
  Levels found = levels_of(topology);
  if (std::ranges::any_of(found.level, [](std::int32_t level) { return level == 0; })) {
    throw ArgumentError("topology.conf can only hold a tree, and " + topology.name() +
                        " is none: " + found.why);
  }
  return std::move(found.level);
}

}  // namespace

std::string write_slurm_topology(const Topology& topology) {
  const std::vector<std::string> names = switch_names(topology);
  const std::vector<std::int32_t> levels = tree_levels(topology);
  std::string text;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    std::vector<std::string> nodes, below;
    std::set<std::string> listed;
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
      const End& to = topology.target(topology.channel(s, port));
      if (!to.connected()) continue;
      const bool host = topology.is_host(to.vertex);
      const std::int32_t other = topology.switch_of(to.vertex);
      if (!host && levels[static_cast<std::size_t>(other)] >= levels[static_cast<std::size_t>(s)]) continue;
      const std::string name =
          host ? machine_of(topology.host(to.vertex)) : names[static_cast<std::size_t>(other)];
      if (listed.insert((host ? "node " : "switch ") + name).second) (host ? nodes : below).push_back(name);
    }
    if (nodes.empty() && below.empty()) continue;
    text += "SwitchName=" + names[static_cast<std::size_t>(s)];
    if (!nodes.empty()) text += " Nodes=" + fold_node_list(nodes);
    if (!below.empty()) text += " Switches=" + fold_node_list(below);
    text += '\n';
  }
  return text;
}

}  // namespace sortlast::fabric
