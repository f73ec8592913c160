// Tables for `opensm -R file -U FILE`, in the form in which OpenSM dumps its own (see read/routes.cpp).
// Destinations are named by LID and by port GUID: where OpenSM gave a port another LID, it goes by the GUID.
#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "sortlast/error.hpp"
#include "sortlast/fabric/write.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int32_t most_unicast_lid = 0xBFFF;

// A LID of a vertex, and what an entry for it says behind the port.
struct Destination {
  std::int32_t lid = 0;
  Vertex vertex = -1;
  std::int32_t plane = 0;
  std::string comment;
};

std::string comment(const char* kind, std::uint64_t port_guid, const std::string& name) {
  char guid[19];
  std::snprintf(guid, sizeof guid, "0x%016" PRIx64, port_guid);
  return std::string(" # ") + kind + (port_guid != 0 ? std::string(" portguid ") + guid + ": '" : " '") +
         name + "'\n";
}

void check_lids(const std::string& name, std::int32_t first, std::int32_t count) {
  if (first < 1) throw ArgumentError("'" + name + "' has no LID; assign LIDs first");
  if (first + count - 1 <= most_unicast_lid) return;
  throw ArgumentError("'" + name + "' has LID " + std::to_string(first) + "; InfiniBand's end at " +
                      std::to_string(most_unicast_lid));
}

std::vector<Destination> destinations(const Routes& routes) {
  const Topology& topology = *routes.topology;
  const std::int32_t planes = routes.forwarding->planes();
  std::vector<Destination> result;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const Host& host = topology.host(h);
    const std::int32_t lids = std::int32_t{1} << host.lmc;
    check_lids(host.name, host.lid, lids);
    if (lids < planes) {
      throw ArgumentError("'" + host.name + "' has " + std::to_string(lids) + " LIDs (LMC " +
                          std::to_string(host.lmc) + ") and the routes " + std::to_string(planes) +
                          " planes; each needs a LID of its own");
    }
    for (std::int32_t i = 0; i < lids; ++i) {
      result.push_back({host.lid + i, h, i % planes, comment("Channel Adapter", host.port_guid, host.name)});
    }
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const Switch& on = topology.switch_at(s);
    check_lids(on.name, on.lid, 1);
    result.push_back({on.lid, topology.vertex_of_switch(s), 0, comment("Switch", on.guid, on.name)});
  }
  std::ranges::sort(result, {}, &Destination::lid);
  const auto twice = std::ranges::adjacent_find(result, {}, &Destination::lid);
  if (twice != result.end()) {
    throw ArgumentError("'" + topology.vertex_name(twice->vertex) + "' and '" +
                        topology.vertex_name(std::next(twice)->vertex) + "' both have LID " +
                        std::to_string(twice->lid));
  }
  return result;
}

}  // namespace

std::string write_lfts(const Routes& routes) {
  const Topology& topology = *routes.topology;
  const std::vector<Destination> all = destinations(routes);
  std::string text;
  char buffer[80];
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const Switch& on = topology.switch_at(s);
    std::snprintf(buffer, sizeof buffer, "Unicast lids [0-%d] of switch Lid %d guid 0x%016" PRIx64,
                  all.back().lid, on.lid, on.guid);
    text.append(buffer).append(" ('").append(on.name).append("'):\n");
    std::int32_t entries = 0;
    for (const Destination& to : all) {
      const std::int32_t port = routes.forwarding->port(s, to.vertex, to.plane);
      if (port == Forwarding::unreachable) continue;
      std::snprintf(buffer, sizeof buffer, "0x%04x %03d", to.lid, port);
      text.append(buffer).append(to.comment);
      ++entries;
    }
    text += std::to_string(entries) + " lids dumped\n";
  }
  return text;
}

}  // namespace sortlast::fabric
