// The ranks of a list of nodes, on the rails of these nodes.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/nodes.hpp"
#include "sortlast/fabric/placement/machine_names.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::size_t most_ranks = std::size_t{1} << 24;

// "HCA-1, HCA-2 and HCA-6"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + excerpt(names[i]);
  }
  return text;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// The meaning of a list entry: a node, or a single host.
struct Place {
  std::int32_t node = -1;  // -1: a host that belongs to no node
  std::int32_t host = -1;  // -1: a host of the node, chosen by its rail
};

class Placer {
 public:
  Placer(const Topology& topology, const std::vector<Node>& nodes, const RailOptions& options)
      : topology_(topology), nodes_(nodes), options_(options), rails_(split(options.rail)) {
    if (options.ranks_per_node < 0) {
      throw ArgumentError(std::to_string(options.ranks_per_node) +
                          " ranks a node; expected 1 or more, or 0 for as many as the list says");
    }
    node_of_host_.assign(static_cast<std::size_t>(topology.hosts()), -1);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      by_name_.emplace(nodes[n].name, static_cast<std::int32_t>(n));
      machines_.add(nodes[n].name, static_cast<std::int32_t>(n));
      for (const Adapter& adapter : nodes[n].adapters) {
        node_of_host_[static_cast<std::size_t>(adapter.host)] = static_cast<std::int32_t>(n);
      }
    }
    for (std::int32_t h = 0; h < topology.hosts(); ++h) hosts_.emplace(topology.host(h).name, h);
    check_rails();
  }

  RankPlacement place(const std::vector<NodeRanks>& list) {
    const std::vector<Place> places = find(list);
    check_repeats(list, places);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::int32_t ranks = count(list[i], places[i]);
      if (result_.placement.size() + static_cast<std::size_t>(ranks) > most_ranks) {
        fail(list[i], "the list has more than " + std::to_string(most_ranks) + " ranks");
      }
      const std::int32_t number = number_of(places[i]);
      for (std::int32_t k = 0; k < ranks; ++k) {
        result_.placement.push_back(host(list[i], places[i], local_[static_cast<std::size_t>(number)]++));
        result_.nodes.push_back(number);
      }
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const NodeRanks& entry, const std::string& message) const {
    const bool known = !options_.file.empty() && entry.line > 0;
    throw ArgumentError((known ? options_.file + ":" + std::to_string(entry.line) + ": " : "") + message);
  }

  bool all_rails() const { return options_.rail == "all"; }

  // A rail that no node has is a mistake, even if another one would do.
  void check_rails() const {
    if (options_.rail.empty() || all_rails()) return;
    const std::vector<std::string> known = rails(nodes_);
    for (const std::string& rail : rails_) {
      if (std::ranges::find(known, rail) != known.end()) continue;
      throw ArgumentError(
          "no node has a rail '" + excerpt(rail) + "'; " +
          (known.empty() ? "the descriptions of the hosts name none" : "the rails are " + shortened(known)) +
          "; all takes every one in turn");
    }
  }

  static std::string shortened(std::vector<std::string> names) {
    constexpr std::size_t most = 16;
    if (names.size() <= most) return listed(names);
    names.resize(most);
    return listed(names) + ", ...";
  }

  // The places of all entries; an error names every entry that has none.
  std::vector<Place> find(const std::vector<NodeRanks>& list) const {
    std::vector<Place> places(list.size());
    std::vector<std::string> others;
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string& name = list[i].name;
      const auto node = by_name_.find(name);
      const auto [begin, end] = hosts_.equal_range(name);
      if (node != by_name_.end()) {
        places[i].node = node->second;
      } else if (begin != end && std::next(begin) == end) {
        places[i] = of_host(begin->second);
      } else if (const std::vector<std::int32_t> found = machines_.find(name); !found.empty()) {
        if (found.size() > 1) fail(list[i], several_machines(name, found));
        places[i].node = found.front();
      } else {
        others.push_back(name);
        at.push_back(i);
      }
    }
    if (others.empty()) return places;
    try {
      const std::vector<std::int32_t> found = find_hosts(topology_, others);
      for (std::size_t k = 0; k < found.size(); ++k) places[at[k]] = of_host(found[k]);
    } catch (const ArgumentError& error) {
      fail(list[at.front()], error.what());
    }
    return places;
  }

  std::string several_machines(const std::string& name, const std::vector<std::int32_t>& found) const {
    const auto called = [&](std::size_t i) {
      return "'" + excerpt(nodes_[static_cast<std::size_t>(found[i])].name) + "'";
    };
    return "'" + excerpt(name) + "' may be any of " + std::to_string(found.size()) + " nodes: " + called(0) +
           ", " + called(1) + (found.size() > 2 ? ", ..." : "") + "; give the name with its domain";
  }

  Place of_host(std::int32_t h) const { return {node_of_host_[static_cast<std::size_t>(h)], h}; }

  // A node with one adapter is the same place as that adapter.
  std::pair<std::int32_t, std::int32_t> key(const Place& place) const {
    const bool single = place.node >= 0 && nodes_[static_cast<std::size_t>(place.node)].adapters.size() == 1;
    return {place.node, single ? -1 : place.host};
  }

  // A name that is repeated on one line is a mistake; on several lines it means one rank per line.
  void check_repeats(const std::vector<NodeRanks>& list, const std::vector<Place>& places) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> line_of;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto [at, added] = line_of.emplace(key(places[i]), list[i].line);
      if (added) continue;
      if (at->second == list[i].line) {
        const std::int32_t h = places[i].host;
        fail(list[i], (h < 0 ? "'" + excerpt(list[i].name) : "host '" + topology_.label(h)) +
                          "' is in the list twice; name each once, or for several ranks a node write NAME:N, "
                          "a line for each, or --ranks-per-node N");
      }
      if (options_.ranks_per_node > 0) {
        fail(list[i], "'" + excerpt(list[i].name) + "' stands on line " + std::to_string(at->second) +
                          " too, and every node is to have " + std::to_string(options_.ranks_per_node) +
                          (options_.ranks_per_node == 1 ? " rank" : " ranks") +
                          "; name it once, or leave --ranks-per-node out");
      }
      at->second = list[i].line;
      line_a_rank_ = true;
    }
  }

  std::int32_t count(const NodeRanks& entry, const Place& place) const {
    if (options_.ranks_per_node > 0) return options_.ranks_per_node;
    if (entry.ranks > 0) return entry.ranks;
    if (!all_rails() || place.host >= 0 || line_a_rank_) return 1;
    return static_cast<std::int32_t>(nodes_[static_cast<std::size_t>(place.node)].adapters.size());
  }

  // Number of a node in the list; a host that belongs to no node counts as a node.
  std::int32_t number_of(const Place& place) {
    const auto key = place.node >= 0 ? place.node : -1 - place.host;
    const auto [at, added] = numbers_.emplace(key, static_cast<std::int32_t>(numbers_.size()));
    if (added) local_.push_back(0);
    return at->second;
  }

  std::int32_t host(const NodeRanks& entry, const Place& place, std::int32_t local) const {
    if (place.host >= 0) return place.host;
    const Node& node = nodes_[static_cast<std::size_t>(place.node)];
    if (all_rails()) {
      check_distinct(entry, node);
      return node.adapters[static_cast<std::size_t>(local) % node.adapters.size()].host;
    }
    if (options_.rail.empty()) {
      if (node.adapters.size() > 1) fail(entry, several(node));
      return node.adapters.front().host;
    }
    for (const std::string& rail : rails_) {
      std::vector<std::int32_t> found;
      for (const Adapter& adapter : node.adapters) {
        if (adapter.rail == rail) found.push_back(adapter.host);
      }
      if (found.size() > 1) fail(entry, same_rail(node, rail, found[0], found[1]));
      if (!found.empty()) return found.front();
    }
    fail(entry, "'" + excerpt(node.name) + "' has no adapter on rail " + listed(rails_) + "; it has " +
                    listed(rails_of(node)) +
                    ": name another rail, or several with commas, of which each node " +
                    "takes the first that it has");
  }

  static std::vector<std::string> rails_of(const Node& node) {
    std::vector<std::string> names;
    for (const Adapter& adapter : node.adapters) names.push_back(adapter.rail.empty() ? "?" : adapter.rail);
    return names;
  }

  std::string same_rail(const Node& node, const std::string& rail, std::int32_t a, std::int32_t b) const {
    return "'" + excerpt(node.name) + "' has " +
           (rail.empty() ? "several adapters" : "several " + excerpt(rail)) + ", '" +
           excerpt(topology_.label(a)) + "' and '" + excerpt(topology_.label(b)) +
           "': machines of one name, perhaps; give GUIDs of ports, or names of their own by a node name map "
           "or " +
           "a table of adapters";
  }

  void check_distinct(const NodeRanks& entry, const Node& node) const {
    for (std::size_t i = 1; i < node.adapters.size(); ++i) {
      const Adapter &a = node.adapters[i - 1], &b = node.adapters[i];
      if (a.rail == b.rail && a.host != b.host) fail(entry, same_rail(node, a.rail, a.host, b.host));
    }
  }

  std::string several(const Node& node) const {
    std::vector<std::string> names = rails_of(node);
    const bool named = std::ranges::adjacent_find(names) == names.end();
    if (!named) {
      return same_rail(node, node.adapters[0].rail, node.adapters[0].host, node.adapters[1].host);
    }
    return "'" + excerpt(node.name) + "' may be any of " + std::to_string(names.size()) +
           " hosts, its adapters on the rails " + listed(names) + "; choose one (--rail " +
           excerpt(names.front()) + "), all in turn (--rail all), or give the whole name of a host " +
           "(in a list: in quotation marks) or the port's GUID";
  }

  const Topology& topology_;
  const std::vector<Node>& nodes_;
  const RailOptions& options_;
  std::vector<std::string> rails_;
  std::unordered_map<std::string, std::int32_t> by_name_;
  MachineNames machines_;
  std::multimap<std::string, std::int32_t> hosts_;
  std::vector<std::int32_t> node_of_host_;
  bool line_a_rank_ = false;                      // a node occurs on several lines
  std::map<std::int32_t, std::int32_t> numbers_;  // of nodes, and of single hosts h as -1 - h
  std::vector<std::int32_t> local_;               // by number: ranks so far
  RankPlacement result_;
};

}  // namespace

RankPlacement place_ranks(const Topology& topology, const std::vector<Node>& nodes,
                          const std::vector<NodeRanks>& list, const RailOptions& options) {
  return Placer(topology, nodes, options).place(list);
}

}  // namespace sortlast::fabric
