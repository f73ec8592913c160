// Slurm's topology.conf: switches, the machines on them, and the switches below.
//
// Slurm places jobs on machines. A machine with several adapters may be on several leaf switches, each of
// which Slurm would count as the machine's own (slurmctld 22.05 warns of "multiple leaf switches"). Therefore
// a rail is chosen, and the file describes the tree as seen by that rail. A switch is a line, with folded
// lists of the nodes or switches below it; switches with nothing below are left out. Source:
// topology.conf(5).
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/nodes.hpp"
#include "sortlast/fabric/placement/natural_order.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

namespace {

bool is_plain_name(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
             std::string_view::npos;
}

struct Line {
  std::string name;
  std::vector<std::string> nodes, below;
};

// Names of switches that Slurm can represent: their own if they are plain and distinct, else GUIDs.
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

class Lines {
 public:
  Lines(const Topology& topology, const std::vector<Node>& nodes, const std::string& rail)
      : topology_(topology), rail_(rail), levels_(levels_of(topology)), nodes_on_(count()) {
    if (std::ranges::any_of(levels_.level, [](std::int32_t level) { return level == 0; })) {
      throw ArgumentError("Slurm's topology can only hold a tree, and " + topology.name() +
                          " is none: " + levels_.why);
    }
    if (rail.empty()) refuse_strangers(nodes);
    for (const Node& node : nodes) place(node);
    for (std::vector<std::string>& on : nodes_on_) std::stable_sort(on.begin(), on.end(), natural_less);
    if (std::ranges::all_of(nodes_on_, [](const auto& on) { return on.empty(); })) {
      const std::vector<std::string> known = rails(nodes);
      throw ArgumentError(rail.empty()
                              ? topology.name() + " has no nodes with names"
                              : "no node on a leaf switch has a rail '" + excerpt(rail) +
                                    "'; the rails are " + (known.empty() ? "not named" : fold(known)));
    }
  }

  // Lower levels first, and within a level by number.
  std::vector<Line> all() {
    const std::vector<std::string> names = switch_names(topology_);
    std::vector<std::vector<std::string>> below(count());
    std::int32_t highest = 0;
    for (std::int32_t s = 0; s < topology_.switches(); ++s) highest = std::max(highest, level(s));
    std::vector<bool> kept(count(), false);
    for (std::int32_t l = 1; l <= highest; ++l) {
      for (std::int32_t s = 0; s < topology_.switches(); ++s) {
        if (level(s) == l) keep(s, names, kept, below[static_cast<std::size_t>(s)]);
      }
    }
    std::vector<Line> lines;
    for (std::int32_t s = 0; s < topology_.switches(); ++s) {
      const auto at = static_cast<std::size_t>(s);
      if (kept[at]) lines.push_back({names[at], nodes_on_[at], below[at]});
    }
    return lines;
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(topology_.switches()); }
  std::int32_t level(std::int32_t s) const { return levels_.level[static_cast<std::size_t>(s)]; }

  static std::string fold(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + excerpt(name);
    return text;
  }

  // Rejects hosts of unknown machines.
  void refuse_strangers(const std::vector<Node>& nodes) const {
    std::set<std::int32_t> known;
    for (const Node& node : nodes) {
      for (const Adapter& adapter : node.adapters) known.insert(adapter.host);
    }
    std::int32_t strangers = 0, first = -1;
    for (std::int32_t h = 0; h < topology_.hosts(); ++h) {
      if (known.contains(h) || !is_compute_host(topology_.host(h))) continue;
      if (strangers++ == 0) first = h;
    }
    if (strangers == 0) return;
    throw ArgumentError(
        "host '" + topology_.label(first) + "'" +
        (strangers > 1 ? " and " + std::to_string(strangers - 1) + " others name" : " names") +
        " no machine, which Slurm would need; give names (--node-name-map), choose a " +
        "rail whose adapters have names (--rail), or leave the hosts out (--without)");
  }

  void place(const Node& node) {
    std::map<std::int32_t, std::string> on;  // switch, rail
    for (const Adapter& adapter : node.adapters) {
      if (!rail_.empty() && !chosen(node, adapter)) continue;
      const std::int32_t s = topology_.switch_of(topology_.attachment(adapter.host).vertex);
      on.emplace(s, adapter.rail);
    }
    if (on.empty()) return;
    if (!is_plain_name(node.name)) {
      throw ArgumentError(
          "node '" + excerpt(node.name) +
          "' has a name that Slurm cannot hold (letters, digits, '.', '_' and '-'); give it " +
          "another one (--node-name-map)");
    }
    if (on.size() > 1) {
      std::vector<std::string> names;
      for (const auto& [s, rail] : on) {
        names.push_back(topology_.label(topology_.vertex_of_switch(s)) + " by " + rail);
      }
      throw ArgumentError("node '" + node.name + "' hangs on " + std::to_string(on.size()) + " switches (" +
                          fold(names) + "), and Slurm takes one; choose a rail (--rail " +
                          excerpt(on.begin()->second) + ")");
    }
    const std::int32_t s = on.begin()->first;
    if (level(s) > 1) {
      throw ArgumentError(
          "node '" + node.name + "' hangs on switch '" + topology_.label(topology_.vertex_of_switch(s)) +
          "', which has switches below it; Slurm takes nodes on leaf switches; leave it out " +
          "(--without " + node.name + ")");
    }
    nodes_on_[static_cast<std::size_t>(s)].push_back(node.name);
  }

  // If `rail_` lists several rails, separated by commas, the first that the node has.
  bool chosen(const Node& node, const Adapter& adapter) const {
    for (std::size_t begin = 0; begin <= rail_.size();) {
      const std::size_t end = std::min(rail_.find(',', begin), rail_.size());
      const std::string wanted = rail_.substr(begin, end - begin);
      const auto has = [&](const Adapter& each) { return each.rail == wanted; };
      if (std::ranges::any_of(node.adapters, has)) return has(adapter);
      begin = end + 1;
    }
    return false;
  }

  void keep(std::int32_t s, const std::vector<std::string>& names, std::vector<bool>& kept,
            std::vector<std::string>& below) const {
    std::set<std::int32_t> listed;
    for (std::int32_t port = 1; port <= topology_.switch_at(s).ports; ++port) {
      const End& to = topology_.target(topology_.channel(s, port));
      if (!to.connected() || topology_.is_host(to.vertex)) continue;
      const std::int32_t other = topology_.switch_of(to.vertex);
      const bool lower = level(other) < level(s) && kept[static_cast<std::size_t>(other)];
      if (lower && listed.insert(other).second) below.push_back(names[static_cast<std::size_t>(other)]);
    }
    kept[static_cast<std::size_t>(s)] = !below.empty() || !nodes_on_[static_cast<std::size_t>(s)].empty();
  }

  const Topology& topology_;
  const std::string& rail_;
  Levels levels_;
  std::vector<std::vector<std::string>> nodes_on_;  // by switch
};

}  // namespace

std::string write_slurm_topology(const Topology& topology, const std::vector<Node>& nodes,
                                 const std::string& rail) {
  std::string text;
  for (const Line& line : Lines(topology, nodes, rail).all()) {
    text += "SwitchName=" + line.name;
    if (!line.nodes.empty()) text += " Nodes=" + fold_node_list(line.nodes);
    if (!line.below.empty()) text += " Switches=" + fold_node_list(line.below);
    text += '\n';
  }
  return text;
}

std::string write_slurm_topology(const Topology& topology) {
  return write_slurm_topology(topology, find_nodes(topology));
}

}  // namespace sortlast::fabric
