// LIDs for vertices without one, and tables for `opensm -R file -U FILE` in the format of OpenSM's own dumps
// (see read/opensm.cpp). Destinations are identified by LID and by port GUID: if OpenSM gave a port another
// LID, it uses the GUID.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <set>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/files.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int32_t most_unicast_lid = 0xBFFF;

// A LID of a vertex, and the comment of its entry after the port.
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
    throw ArgumentError("'" + topology.label(twice->vertex) + "' and '" +
                        topology.label(std::next(twice)->vertex) + "' both have LID " +
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

// LIDs are the lowest free ones, aligned if an adapter port has several.
namespace {

// The LIDs in use, and the next that may be free.
class Pool {
 public:
  void take(std::int32_t lid, std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i) taken_.insert(lid + i);
  }

  // The first of `count` consecutive free LIDs, a multiple of `count`.
  std::int32_t give(std::int32_t count) {
    std::int32_t lid = (next_ + count - 1) / count * count;
    while (!free(lid, count)) lid += count;
    take(lid, count);
    while (taken_.contains(next_)) ++next_;
    return lid;
  }

 private:
  bool free(std::int32_t lid, std::int32_t count) const {
    const auto at = taken_.lower_bound(lid);
    return at == taken_.end() || *at >= lid + count;
  }

  std::set<std::int32_t> taken_;
  std::int32_t next_ = 1;
};

}  // namespace

Topology assign_lids(const Topology& topology) {
  const auto count = [](const Host& host) { return std::int32_t{1} << host.lmc; };
  Pool pool;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (topology.host(h).lid > 0) pool.take(topology.host(h).lid, count(topology.host(h)));
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    if (topology.switch_at(s).lid > 0) pool.take(topology.switch_at(s).lid, 1);
  }

  TopologyBuilder builder(topology.name());
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    Host host = topology.host(h);
    if (host.lid <= 0) host.lid = pool.give(count(host));
    builder.add_host(std::move(host));
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    Switch on = topology.switch_at(s);
    if (on.lid <= 0) on.lid = pool.give(1);
    builder.add_switch(std::move(on), topology.level(s));
  }

  // Lay every cable in the new topology, from one of its ends.
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const End& to = topology.attachment(h);
    builder.connect_host(h, topology.switch_of(to.vertex), to.port,
                         topology.gbps(topology.channel_of_host(h)));
  }
  for (Channel c = topology.hosts(); c < topology.channels(); ++c) {
    const End& to = topology.target(c);
    if (!to.connected() || topology.is_host(to.vertex) || topology.reverse(c) < c) continue;
    const End from = topology.source(c);
    builder.connect(topology.switch_of(from.vertex), from.port, topology.switch_of(to.vertex), to.port,
                    topology.gbps(c));
  }
  builder.set_shape(topology.shape());
  return std::move(builder).finish();
}

}  // namespace sortlast::fabric
