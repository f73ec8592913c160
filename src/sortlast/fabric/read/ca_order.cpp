// opensm-ftree-ca-order.dump, the order of hosts of OpenSM's ftree: a LID and a name per line, 0xFFFF for a
// dummy. Source: OpenSM, osm_ucast_ftree.c.
#include <string>
#include <unordered_map>
#include <vector>

#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/read/lids.hpp"
#include "sortlast/fabric/read/tool_output.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::uint64_t dummy_lid = 0xFFFF;

// Hosts by name, if no LID leads to them; -1: several have the name.
std::unordered_map<std::string_view, std::int32_t> hosts_by_name(const Topology& topology, const Lids& lids) {
  std::unordered_map<std::string_view, std::int32_t> hosts;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (topology.host(h).lid > 0 && lids.find(topology.host(h).lid).vertex >= 0) continue;
    const auto [at, added] = hosts.emplace(topology.host(h).name, h);
    if (!added) at->second = -1;
  }
  return hosts;
}

}  // namespace

Placement read_ca_order(const Topology& topology, std::string_view text, const std::string& file) {
  const Lids lids(topology);
  const auto by_name = hosts_by_name(topology, lids);
  std::vector<bool> placed(static_cast<std::size_t>(topology.hosts()));
  Placement placement;
  ToolOutput scan(text, file);
  while (scan.next_line()) {
    if (scan.at_end() || scan.accept("#")) continue;
    const std::uint64_t lid = scan.hex("a LID");
    if (scan.at_end()) scan.fail_expected("a host's name, or DUMMY");
    if (lid == dummy_lid) {
      placement.push_back(-1);
      continue;
    }
    Vertex v = lid < dummy_lid ? lids.find(static_cast<std::int32_t>(lid)).vertex : -1;
    std::string_view name = scan.rest();
    name = name.substr(0, name.find_last_not_of(" \t") + 1);
    if (const auto named = by_name.find(name); v < 0 && named != by_name.end()) v = named->second;
    if (v < 0 || !topology.is_host(v)) {
      scan.fail("no host of " + topology.name() + " has this LID, or this name and no LID: '" +
                excerpt(scan.line()) + "'");
    }
    if (placed[static_cast<std::size_t>(v)]) {
      scan.fail("'" + excerpt(topology.host(v).name) + "' is listed twice");
    }
    placed[static_cast<std::size_t>(v)] = true;
    placement.push_back(v);
  }
  return placement;
}

}  // namespace sortlast::fabric
