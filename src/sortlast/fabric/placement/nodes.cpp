// The machines of a fabric from the descriptions of its hosts, or from a table; and their rails.
//
// Adapters describe themselves with their system's node_desc: "NODE HCA-6" (rdma-ndd's "%h %d" gives "NODE
// mlx5_0"). If the system has not set it, an adapter has the description in its firmware, "MT4129 ConnectX7
// Mellanox Technologies", or calls itself localhost. Its machine is then unknown, unless a table or a node
// name map gives it.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/nodes.hpp"
#include "sortlast/fabric/placement/natural_order.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

namespace {

bool is_default_description(const std::string& name) {
  if (name == "localhost" || name.starts_with("localhost ")) return true;
  const bool model = name.size() > 2 && name.starts_with("MT") && name[2] >= '0' && name[2] <= '9' &&
                     name.find(' ') != std::string::npos;
  return model || name.find("Mellanox Technologies") != std::string::npos;
}

void sort_adapters(Node& node) {
  std::stable_sort(node.adapters.begin(), node.adapters.end(),
                   [](const Adapter& a, const Adapter& b) { return natural_less(a.rail, b.rail); });
}

// Distinguishes ports of one adapter, which share its description.
void name_ports(const Topology& topology, Node& node) {
  std::map<std::pair<std::string, std::uint64_t>, std::int32_t> ports;
  for (const Adapter& adapter : node.adapters) ++ports[{adapter.rail, topology.host(adapter.host).guid}];
  for (Adapter& adapter : node.adapters) {
    const Host& host = topology.host(adapter.host);
    if (ports[{adapter.rail, host.guid}] < 2) continue;
    adapter.rail += (adapter.rail.empty() ? "port" : ":") + std::to_string(host.port);
  }
}

// Nodes in the order in which they first occur.
class Collection {
 public:
  Node& node(const std::string& name) {
    const auto [at, added] = number_.emplace(name, nodes_.size());
    if (added) nodes_.push_back({name, {}});
    return nodes_[at->second];
  }

  void add_described(const Topology& topology, std::int32_t h) {
    const Host& host = topology.host(h);
    if (!is_compute_host(host) || is_default_description(host.name)) return;
    const std::size_t blank = host.name.find(' ');
    if (blank == 0 || host.name.empty()) return;
    const std::size_t rail = host.name.find_first_not_of(' ', blank);
    node(host.name.substr(0, blank))
        .adapters.push_back({rail == std::string::npos ? "" : host.name.substr(rail), h});
  }

  std::vector<Node> finish(const Topology& topology) {
    for (Node& each : nodes_) {
      name_ports(topology, each);
      sort_adapters(each);
    }
    return std::move(nodes_);
  }

 private:
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::size_t> number_;
};

// Reads the table of read_adapters().
class TableReader {
 public:
  TableReader(const Topology& topology, std::string_view text, const std::string& file)
      : topology_(topology), scan_(text, file), line_of_(static_cast<std::size_t>(topology.hosts()), 0) {
    for (std::int32_t h = 0; h < topology.hosts(); ++h) {
      const Host& host = topology.host(h);
      names_.emplace(host.name, h);
      if (host.port_guid != 0) guids_[host.port_guid].insert(h);
      if (host.guid != 0) guids_[host.guid].insert(h);
    }
  }

  std::vector<Node> read() {
    while (scan_.next_line()) {
      if (!scan_.at_end() && !scan_.accept("#")) read_line();
    }
    for (std::int32_t h = 0; h < topology_.hosts(); ++h) {
      if (line_of_[static_cast<std::size_t>(h)] == 0) nodes_.add_described(topology_, h);
    }
    return nodes_.finish(topology_);
  }

 private:
  void read_line() {
    const std::string name = field("a node's name"), rail = field("a rail, such as mlx5_0");
    if (name.find(' ') != std::string::npos) {
      scan_.fail("expected a node's name without blanks, found '" + excerpt(name) + "'");
    }
    const std::int32_t h =
        host(field("the GUID of an adapter or a port, or a host's name in quotation marks"));
    if (!scan_.at_end() && !scan_.accept("#")) scan_.expect_end();
    std::int64_t& line = line_of_[static_cast<std::size_t>(h)];
    if (line != 0) {
      scan_.fail("host '" + excerpt(topology_.label(h)) + "' is listed twice; the first is on line " +
                 std::to_string(line));
    }
    line = scan_.line_number();
    Node& node = nodes_.node(name);
    for (const Adapter& other : node.adapters) {
      if (other.rail == rail) {
        scan_.fail("node '" + excerpt(name) + "' has the rail '" + excerpt(rail) + "' already, on line " +
                   std::to_string(line_of_[static_cast<std::size_t>(other.host)]) +
                   "; give each of its adapters a rail of its own");
      }
    }
    node.adapters.push_back({rail, h});
  }

  // Reads up to a blank or comma, or a quoted field.
  std::string field(const char* what) {
    while (scan_.accept(",")) {
    }
    if (scan_.at_end() || scan_.rest().starts_with('#')) scan_.fail_expected(what);
    if (scan_.rest().starts_with('"')) {
      const std::string_view name = scan_.quoted(what);
      if (name.empty()) scan_.fail(std::string("expected ") + what + ", found an empty name");
      return std::string(name);
    }
    const std::string_view word = scan_.rest().substr(0, scan_.rest().find_first_of(" \t,"));
    scan_.accept(word);
    return std::string(word);
  }

  std::int32_t host(const std::string& text) {
    const auto [begin, end] = names_.equal_range(text);
    if (begin != end && std::next(begin) == end) return begin->second;
    if (begin != end) {
      scan_.fail("several hosts are called '" + excerpt(text) + "'; give the GUID of one");
    }
    Scanner number(text, scan_.file());
    number.next_line();
    std::uint64_t guid = 0;
    try {
      guid = number.hex("a GUID");
      number.expect_end();
    } catch (const ArgumentError&) {
      guid = 0;
    }
    const auto found = guids_.find(guid);
    if (guid == 0 || found == guids_.end()) {
      scan_.fail("the fabric has no host '" + excerpt(text) +
                 "'; expected the GUID of an adapter or a port in hex, or a host's whole name");
    }
    if (found->second.size() > 1) {
      scan_.fail("the adapter '" + excerpt(text) + "' has " + std::to_string(found->second.size()) +
                 " ports with a cable; give the GUID of one port");
    }
    return *found->second.begin();
  }

  const Topology& topology_;
  Scanner scan_;
  Collection nodes_;
  std::vector<std::int64_t> line_of_;  // by host: its line in the table; 0: none
  std::multimap<std::string, std::int32_t, std::less<>> names_;
  std::unordered_map<std::uint64_t, std::set<std::int32_t>> guids_;
};

}  // namespace

bool is_compute_host(const Host& host) { return !host.router && !is_aggregation_node(host); }

bool is_aggregation_node(const Host& host) { return host.name.find("Aggregation Node") != std::string::npos; }

std::vector<Node> find_nodes(const Topology& topology) {
  Collection nodes;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) nodes.add_described(topology, h);
  return nodes.finish(topology);
}

std::vector<Node> read_adapters(const Topology& topology, std::string_view text, const std::string& file) {
  return TableReader(topology, text, file).read();
}

std::vector<std::string> rails(const std::vector<Node>& nodes) {
  std::set<std::string> found;
  for (const Node& node : nodes) {
    for (const Adapter& adapter : node.adapters) found.insert(adapter.rail);
  }
  found.erase("");
  std::vector<std::string> names(found.begin(), found.end());
  std::stable_sort(names.begin(), names.end(), natural_less);
  return names;
}

}  // namespace sortlast::fabric
