// Short formats, and which format a topology has.
//
// opensm-ftree-ca-order.dump: LID and name a line; 0xFFFF is a dummy. Source: OpenSM, osm_ucast_ftree.c.
// Traffic: "stage source destination [bytes]" a line, # begins a comment, all numbers from 0.
#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

#include "sortlast/fabric/lids.hpp"
#include "sortlast/fabric/read.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

Topology read_topology(std::string_view text, const std::string& file) {
  Scanner scan(text, file);
  while (scan.next_line()) {
    if (scan.at_end() || scan.accept("#")) continue;
    std::string line(scan.rest());
    std::ranges::transform(line, line.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
    if (line.starts_with("{ ")) return read_subnet_list(text, file);
    if (line.find("switchname=") != std::string::npos) return read_slurm_topology(text, file);
    if (line.starts_with("unicast lids") || line.starts_with("dump_ucast_routes")) {
      scan.fail("expected a topology, found forwarding tables; read a topology first, then these for it");
    }
    break;
  }
  return read_ibnetdiscover(text, file);
}

namespace {

constexpr std::uint64_t dummy_lid = 0xFFFF;

// Hosts by name, for those that have no LID; -1: several have the name.
std::unordered_map<std::string_view, std::int32_t> hosts_by_name(const Topology& topology) {
  std::unordered_map<std::string_view, std::int32_t> hosts;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (topology.host(h).lid > 0) continue;
    const auto [at, added] = hosts.emplace(topology.host(h).name, h);
    if (!added) at->second = -1;
  }
  return hosts;
}

}  // namespace

Placement read_ca_order(const Topology& topology, std::string_view text, const std::string& file) {
  const Lids lids(topology);
  const auto by_name = hosts_by_name(topology);
  std::vector<bool> placed(static_cast<std::size_t>(topology.hosts()));
  Placement placement;
  Scanner scan(text, file);
  while (scan.next_line()) {
    if (scan.at_end()) continue;
    const std::uint64_t lid = scan.hex("a LID");
    if (scan.at_end()) scan.fail_expected("a host's name, or DUMMY");
    if (lid == dummy_lid) {
      placement.push_back(-1);
      continue;
    }
    Vertex v = lid < dummy_lid ? lids.find(static_cast<std::int32_t>(lid)).vertex : -1;
    if (const auto named = by_name.find(scan.rest()); v < 0 && named != by_name.end()) v = named->second;
    if (v < 0 || !topology.is_host(v)) {
      scan.fail("no host of " + topology.name() + " has this LID, or this name and no LID: '" +
                excerpt(scan.line()) + "'");
    }
    if (placed[static_cast<std::size_t>(v)]) {
      scan.fail("'" + topology.host(v).name + "' stands here a second time");
    }
    placed[static_cast<std::size_t>(v)] = true;
    placement.push_back(v);
  }
  return placement;
}

namespace {

constexpr std::int64_t most_stages = 1 << 20;
constexpr std::int64_t most_participants = 1 << 20;
constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max() >> 1;

}  // namespace

std::shared_ptr<const Pattern> read_traffic(std::string_view text, const std::string& file) {
  Scanner scan(text, file);
  std::vector<std::vector<Flow>> stages;
  std::int32_t p = 0;
  while (scan.next_line()) {
    if (scan.at_end() || scan.accept("#")) continue;
    const auto stage = static_cast<std::size_t>(scan.decimal("a stage", 0, most_stages - 1));
    Flow flow;
    flow.source = static_cast<std::int32_t>(scan.decimal("a source", 0, most_participants - 1));
    flow.destination = static_cast<std::int32_t>(scan.decimal("a destination", 0, most_participants - 1));
    flow.bytes = 1;
    if (!scan.at_end() && !scan.rest().starts_with('#')) flow.bytes = scan.decimal("bytes", 0, most_bytes);
    if (!scan.accept("#")) scan.expect_end();
    if (flow.source == flow.destination) {
      scan.fail("participant " + std::to_string(flow.source) + " sends to itself; leave the line out");
    }
    if (stages.size() <= stage) stages.resize(stage + 1);
    stages[stage].push_back(flow);
    p = std::max({p, flow.source + 1, flow.destination + 1});
  }
  if (stages.empty()) scan.fail("expected lines 'stage source destination [bytes]', found none");
  return traffic_pattern(file, p, std::move(stages));
}

}  // namespace sortlast::fabric
