#include "sortlast/fabric/read/net.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "sortlast/fabric/files.hpp"

namespace sortlast::fabric {

namespace {

// Ports take memory whether they have a cable or not. Any number is accepted up to free_ports; above it, the
// limit is ports_per_cabled per port with a cable.
constexpr std::int64_t free_ports = std::int64_t{1} << 20;
constexpr std::int64_t ports_per_cabled = 16;

// Some firmware pads descriptions.
std::string trimmed(const std::string& name) {
  const std::size_t begin = name.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return name.substr(begin, name.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace

std::size_t Net::add(Node node) {
  const auto [at, added] = by_id_.emplace(node.id, nodes_.size());
  if (!added) {
    Node& first = nodes_[at->second];
    const bool again = !node.is_switch && !first.is_switch && node.guid == first.guid &&
                       node.is_router == first.is_router && node.ports == first.ports;
    if (again) return at->second;
    scanner_.fail_at(node.line, "a second record of '" + excerpt(node.id) + "'; the first is on line " +
                                    std::to_string(first.line));
  }
  node.name = trimmed(node.name);
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

void Net::add_port(std::size_t node, std::int32_t port, Port said) {
  const std::int64_t line = said.line;
  const auto [at, added] = ports_.emplace(Key(node, port), std::move(said));
  if (!added) {
    scanner_.fail_at(
        line, describe({node, port}) + " has a cable already, on line " + std::to_string(at->second.line));
  }
}

std::string Net::describe(const Key& port) const {
  const Node& node = nodes_[port.first];
  return "port " + std::to_string(port.second) + " of '" + excerpt(node.name.empty() ? node.id : node.name) +
         "'";
}

// Nodes without a GUID get the next free one, starting where ibsim starts.
void Net::give_guids() {
  std::set<std::uint64_t> used;
  for (const Node& node : nodes_) {
    if (node.guid != 0 && !used.insert(node.guid).second) {
      scanner_.fail_at(node.line, "'" + excerpt(node.id) + "' has the GUID of another node");
    }
  }
  std::uint64_t next_adapter = 0x100000, next_switch = 0x200000;
  for (Node& node : nodes_) {
    if (node.guid != 0) continue;
    std::uint64_t& next = node.is_switch ? next_switch : next_adapter;
    while (!used.insert(next).second) ++next;
    node.guid = next;
  }
}

void Net::check_ports() const {
  std::int64_t ports = 0, cabled = static_cast<std::int64_t>(2 * ports_.size());
  for (const Node& node : nodes_) {
    ports += node.is_switch ? node.ports : 0;
    if (ports <= free_ports || ports <= ports_per_cabled * cabled) continue;
    scanner_.fail_at(node.line,
                     "the switches up to this one have " + std::to_string(ports) +
                         " ports, and all of the file at most " + std::to_string(cabled) +
                         " have a cable; expected a switch for every 'Switch' record, with its cables");
  }
}

Net::Key Net::far_end(const Key& near, const Port& said) const {
  const auto found = by_id_.find(said.far_id);
  if (found == by_id_.end()) {
    scanner_.fail_at(said.line, describe(near) + " leads to '" + excerpt(said.far_id) +
                                    "', which has no record in this file");
  }
  const Node& far = nodes_[found->second];
  if (said.far_port > far.ports) {
    scanner_.fail_at(said.line, describe(near) + " leads to port " + std::to_string(said.far_port) + " of '" +
                                    excerpt(far.id) + "', which has " + std::to_string(far.ports));
  }
  return {found->second, said.far_port};
}

// Enter one direction of a cable. If the other side has entered it already, both must agree.
void Net::lay(const Key& near, const Key& far, const Port& said) {
  const auto [at, added] = cables_.emplace(near, Cable{far, said.gbps, said.line});
  Cable& cable = at->second;
  if (cable.far != far) {
    scanner_.fail_at(said.line, "a cable between " + describe(near) + " and " + describe(far) +
                                    ", but line " + std::to_string(cable.line) + " says that " +
                                    describe(near) + " leads to " + describe(cable.far));
  }
  // A link runs at the highest rate that both ends support.
  if (said.gbps > 0) cable.gbps = cable.gbps > 0 ? std::min(cable.gbps, said.gbps) : said.gbps;
}

void Net::merge(const Key& key, const Side& said, std::int64_t line) {
  Side& known = sides_[key];
  if (said.lid != 0 && known.lid != 0 && said.lid != known.lid) {
    scanner_.fail_at(line, describe(key) + " has LID " + std::to_string(said.lid) + " here and LID " +
                               std::to_string(known.lid) + " elsewhere in the file");
  }
  if (said.guid != 0 && known.guid != 0 && said.guid != known.guid) {
    scanner_.fail_at(line, describe(key) + " has another port GUID here than elsewhere in the file");
  }
  if (said.lid != 0) known.lid = said.lid;
  if (said.lmc != 0) known.lmc = said.lmc;
  if (said.guid != 0) known.guid = said.guid;
}

Topology Net::topology(const std::string& name) {
  // Compare both sides of every link.
  give_guids();
  check_ports();
  for (const auto& [near, said] : ports_) {
    const Key far = far_end(near, said);
    if (far == near) continue;  // a loopback plug
    if (!nodes_[near.first].is_switch && !nodes_[far.first].is_switch) {
      scanner_.fail_at(
          said.line, describe(near) + " leads to " + describe(far) + ": adapters must hang on switches here");
    }
    lay(near, far, said);
    lay(far, near, said);
    merge(near, said.near, said.line);
    merge(far, said.far, said.line);
  }

  // Number the hosts and switches.
  TopologyBuilder builder(name);
  std::vector<std::int32_t> switch_of(nodes_.size(), -1);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    if (!node.is_switch) continue;
    switch_of[n] = builder.add_switch({.name = node.name.empty() ? node.id : node.name,
                                       .guid = node.guid,
                                       .ports = node.ports,
                                       .lid = node.lid,
                                       .system_guid = node.system_guid == node.guid ? 0 : node.system_guid});
  }

  // Lay every cable once: a host's cable from the host, a cable between switches from its first end.
  for (const auto& [near, cable] : cables_) {
    const Node& node = nodes_[near.first];
    const std::int32_t far = switch_of[cable.far.first];
    if (!node.is_switch) {
      const Side& side = sides_[near];
      const std::int32_t h = builder.add_host({.name = node.name.empty() ? node.id : node.name,
                                               .guid = node.guid,
                                               .port_guid = side.guid,
                                               .port = near.second,
                                               .lid = side.lid,
                                               .lmc = side.lmc,
                                               .router = node.is_router});
      builder.connect_host(h, far, cable.far.second, cable.gbps);
    } else if (nodes_[cable.far.first].is_switch && near < cable.far) {
      builder.connect(switch_of[near.first], near.second, far, cable.far.second, cable.gbps);
    }
  }
  return std::move(builder).finish();
}

Topology make_net(const std::vector<NodeRecord>& nodes, const std::vector<CableRecord>& cables,
                  const std::string& file) {
  constexpr std::int32_t most = 65534;  // limit of a forwarding table
  const Scanner scan("", file);
  std::unordered_map<std::string, std::int32_t> ports;
  for (const CableRecord& cable : cables) {
    for (const auto& [id, port] : {std::pair(&cable.a, cable.a_port), std::pair(&cable.b, cable.b_port)}) {
      if (port < 1 || port > most) {
        scan.fail_at(cable.line, "expected a port (1 to " + std::to_string(most) + "), found " +
                                     std::to_string(port) + " of '" + excerpt(*id) + "'");
      }
      std::int32_t& highest = ports[*id];
      highest = std::max(highest, port);
    }
  }
  Net net(scan);
  for (const NodeRecord& node : nodes) {
    if (net.knows(node.id)) scan.fail_at(node.line, "a second record of '" + excerpt(node.id) + "'");
    const auto found = ports.find(node.id);
    net.add({.id = node.id,
             .name = node.name,
             .guid = node.guid,
             .is_switch = node.is_switch,
             .ports = found == ports.end() ? 0 : found->second,
             .line = node.line});
  }
  for (const CableRecord& cable : cables) {
    if (!net.knows(cable.a)) {
      scan.fail_at(cable.line, "a cable of '" + excerpt(cable.a) + "', which has no record in this file");
    }
    net.add_port(net.number(cable.a), cable.a_port,
                 {.far_id = cable.b,
                  .far_port = cable.b_port,
                  .near = {},
                  .far = {},
                  .gbps = cable.gbps,
                  .line = cable.line});
  }
  return net.topology(file);
}

namespace {

struct Speed {
  std::string_view name;
  double lane;
};

// FDR10 comes after QDR, which has the same rate: a rate is named after the first match.
constexpr std::array speeds{Speed{"SDR", 2.5},  Speed{"DDR", 5},   Speed{"QDR", 10},
                            Speed{"FDR10", 10}, Speed{"FDR", 14},  Speed{"EDR", 25},
                            Speed{"HDR", 50},   Speed{"NDR", 100}, Speed{"XDR", 200}};
// The most common width first, because a rate is named after the first match.
constexpr std::array widths{4, 1, 2, 8, 12};

int lanes_of(std::string_view width) {
  for (const int lanes : widths) {
    if (width == std::to_string(lanes) + "x") return lanes;
  }
  return 0;
}

}  // namespace

double rate_of(std::string_view width, double lane_gbps) { return lanes_of(width) * lane_gbps; }

double rate_of(std::string_view width_and_speed) {
  const std::size_t x = width_and_speed.find('x');
  if (x == std::string_view::npos) return 0;
  for (const Speed& speed : speeds) {
    if (width_and_speed.substr(x + 1) == speed.name) {
      return rate_of(width_and_speed.substr(0, x + 1), speed.lane);
    }
  }
  return 0;
}

std::string name_of_rate(double gbps) {
  for (const int lanes : widths) {
    for (const Speed& speed : speeds) {
      if (gbps == lanes * speed.lane) return std::to_string(lanes) + "x" + std::string(speed.name);
    }
  }
  return {};
}

}  // namespace sortlast::fabric
