// Packets on virtual lanes: routings that need several of them, and throughput and delay against the load.
//
// The switch is that of packet.hpp, with `lanes` queues at each input port instead of one. A packet asks for
// one lane of one output port, an input port sends one packet at a time, and packets follow each other on a
// link whole.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/spreading.hpp"
#include "sortlast/progress.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

// How packets find their way. All but `tables` and `adaptive` go by the tables of the engine minimal.
enum class WayKind {
  tables,    // the one port that the tables say
  valiant,   // first to a random switch of another group, then to the destination (Valiant 1982)
  ugal,      // minimal or as valiant, by the queues at the source's switch (Singh 2005, UGAL-L)
  adaptive,  // of the ports that an engine allows, the one with most credits, anew in every cycle
};

// A routing on a topology. A hop of a packet has a class, 0 .. classes - 1, which says the lanes that it may
// take; find_lane_loop() tells whether packets may wait for each other in a circle.
struct LaneRoutes {
  std::string name;  // as lane_routes() takes it
  WayKind kind = WayKind::tables;
  fabric::Routes routes;                                // `tables`, `valiant`, `ugal`
  std::shared_ptr<const fabric::AllowedPorts> allowed;  // `adaptive`
  std::int32_t classes =
      1;  // that make it free of deadlock on regular fabrics; see find_lane_loop() for others
};

struct LaneRouting {
  std::string name;
  std::string summary;  // one sentence
};
// Those beside the engines of fabric::engines(): valiant, ugal, ar-updn, ar-ftree.
SORTLAST_API std::span<const LaneRouting> lane_routings();
// One of lane_routings(), or the tables of an engine. Throws ArgumentError: no such name; a fabric that the
// routing refuses, and why.
SORTLAST_API LaneRoutes lane_routes(std::shared_ptr<const fabric::Topology> topology, std::string_view name,
                                    const fabric::RouteOptions& options = {});
// Tables that are there, on the lanes that they say.
SORTLAST_API LaneRoutes lane_routes(const fabric::Routes& routes);

// A circle of links whose buffers of a class may wait for each other for ever, over all ways that packets may
// take (Dally and Seitz 1987: sufficient for freedom from deadlock where it is empty).
struct LaneLoop {
  struct Hop {
    fabric::Channel channel = 0;
    std::int32_t hop_class = 0;
  };
  std::vector<Hop> cycle;  // empty: free of deadlock
};
SORTLAST_API LaneLoop find_lane_loop(const LaneRoutes& routes);

// When the first packet of a queue gets a lane of its port.
enum class LaneAllocation {
  together,    // with the port, in the cycle in which it leaves
  lane_first,  // before the port, and whether that is busy or not: as BookSim2 allocates
};

struct LaneOptions {
  // Queues at each input port: classes of hops, or more: then class c has lanes floor(c lanes / classes) and
  // on, up to those of the next class. 0: one a class.
  std::int32_t lanes = 0;
  // ugal: a packet goes the minimal way if q_m <= 2 q_v + threshold, with the phits q in the queues behind
  // the first ports of both ways.
  std::int32_t ugal_threshold = 0;
  // Cycles that a phit is under way on a link between switches, and on one between groups, beyond those of
  // packet.hpp; and a credit on its way back.
  std::int32_t link_cycles = 0, global_cycles = 0;
  LaneAllocation allocation = LaneAllocation::together;
};

// As simulate_packets() of packet.hpp. switch_cycles may be above packet_phits here; ties are uniform,
// requests `each_cycle`, and no samples are taken.
SORTLAST_API PacketResult simulate_packets(const LaneRoutes& routes, const Traffic& traffic,
                                           const fabric::Placement& placement, const PacketOptions& options,
                                           const LaneOptions& lanes);

enum class LoadTraffic {
  uniform,    // to any other host
  next_group  // to any host of the next group: the worst case of minimal ways on dragonflies
};

struct LoadOptions {
  double load = 0.1;  // phits that each host begins a cycle, in the mean, 0 to 1; packets begin at random
  LoadTraffic traffic = LoadTraffic::uniform;
  std::int32_t warm_up = 3000;   // cycles before packets count
  std::int32_t measured = 5000;  // cycles in which they do
  std::int32_t drain = 20000;    // cycles that those which count are waited for
};

struct LoadResult {
  double offered = 0;      // phits a cycle and host that began in the measured cycles ...
  double accepted = 0;     // ... and that arrived in them
  std::int64_t begun = 0;  // packets that count
  Histogram delay;         // cycles from their beginning to the arrival of their tails; of those that arrived
  std::int64_t cycles = 0;
  std::int64_t packet_hops = 0;
};

// Open loop: hosts begin packets at random whatever became of those before, and keep them in queues without
// end. Throws ArgumentError: options out of range; `next_group` on a fabric without groups; fewer than two
// hosts. Error, with the circle, if buffers wait for each other for ever; Error("cancelled").
SORTLAST_API LoadResult simulate_load(const LaneRoutes& routes, const LoadOptions& load,
                                      const PacketOptions& options, const LaneOptions& lanes);

}  // namespace sortlast::simulate
