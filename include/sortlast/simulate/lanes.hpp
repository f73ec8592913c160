// Packets on virtual lanes: routings that need several lanes, and throughput and delay as functions of the
// load.
//
// The switch model extends packet.hpp by `lanes` queues per input port instead of one. A packet requests one
// lane of one output port, an input port sends one packet at a time, and packets on a link are not
// interleaved.
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

// How packets find their paths. All kinds except `tables` and `adaptive` use the tables of the minimal
// engine.
enum class WayKind {
  tables,    // the one port in the tables
  valiant,   // first to a random switch of another group, then to the destination (Valiant 1982)
  ugal,      // minimal or valiant, depending on the queues at the source's switch (Singh 2005, UGAL-L)
  adaptive,  // the allowed port with the most credits, chosen again in every cycle
};

// A routing on a topology. Each hop of a packet has a class, 0 .. classes - 1, which determines the lanes
// that it may take; find_lane_loop() checks whether packets may wait for each other in a circle.
struct LaneRoutes {
  std::string name;  // as in lane_routes()
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
// The routings that are not in fabric::engines(): valiant, ugal, ar-updn, ar-ftree.
SORTLAST_API std::span<const LaneRouting> lane_routings();
// One of lane_routings(), or the tables of an engine. Throws ArgumentError for an unknown name, and for a
// fabric that the routing refuses, with the reason.
SORTLAST_API LaneRoutes lane_routes(std::shared_ptr<const fabric::Topology> topology, std::string_view name,
                                    const fabric::RouteOptions& options = {});
// Existing tables, on their lanes.
SORTLAST_API LaneRoutes lane_routes(const fabric::Routes& routes);

// A circle of links with buffers of a class that may wait for each other, over all paths that packets may
// take. An empty circle is sufficient for freedom from deadlock (Dally and Seitz 1987).
struct LaneLoop {
  struct Hop {
    fabric::Channel channel = 0;
    std::int32_t hop_class = 0;
  };
  std::vector<Hop> cycle;  // empty: free of deadlock
};
SORTLAST_API LaneLoop find_lane_loop(const LaneRoutes& routes);

// When the first packet of a queue is allocated a lane of its port.
enum class LaneAllocation {
  together,    // with the port, in the cycle in which it leaves
  lane_first,  // before the port, even if that is busy, as in BookSim2
};

struct LaneOptions {
  // Queues per input port, at least one per class: class c has lanes floor(c lanes / classes) and up, until
  // the first lane of the next class. 0: one per class.
  std::int32_t lanes = 0;
  // ugal: a packet takes the minimal path if q_m <= 2 q_v + threshold, where q is the number of phits in the
  // queues behind the first port of each path.
  std::int32_t ugal_threshold = 0;
  // Cycles of a phit on a link between switches, and on a link between groups, in addition to packet.hpp.
  // Credits take as long on their way back.
  std::int32_t link_cycles = 0, global_cycles = 0;
  LaneAllocation allocation = LaneAllocation::together;
};

// As simulate_packets() of packet.hpp, except that switch_cycles may exceed packet_phits, ties are uniform,
// requests are `each_cycle`, and no samples are taken.
SORTLAST_API PacketResult simulate_packets(const LaneRoutes& routes, const Traffic& traffic,
                                           const fabric::Placement& placement, const PacketOptions& options,
                                           const LaneOptions& lanes);

enum class LoadTraffic {
  uniform,    // to any other host
  next_group  // to any host of the next group: the worst case for minimal paths on dragonflies
};

struct LoadOptions {
  double load = 0.1;  // phits generated per host and cycle on average, 0 to 1; packets start at random
  LoadTraffic traffic = LoadTraffic::uniform;
  std::int32_t warm_up = 3000;   // cycles before the measurement
  std::int32_t measured = 5000;  // cycles in which generated packets are measured
  std::int32_t drain = 20000;    // maximum cycles to wait for the measured packets
};

struct LoadResult {
  double offered = 0;      // phits per cycle and host generated in the measured cycles ...
  double accepted = 0;     // ... and arrived in them
  std::int64_t begun = 0;  // measured packets
  Histogram delay;         // cycles from generation to the arrival of the tail, of the packets that arrived
  std::int64_t cycles = 0;
  std::int64_t packet_hops = 0;
};

// Open-loop simulation: hosts generate packets at random, regardless of earlier packets, and keep them in
// queues of unlimited length. Throws ArgumentError for options out of range, `next_group` on a fabric without
// groups, and fewer than two hosts; Error if buffers deadlock, with the circle; Error("cancelled").
SORTLAST_API LoadResult simulate_load(const LaneRoutes& routes, const LoadOptions& load,
                                      const PacketOptions& options, const LaneOptions& lanes);

}  // namespace sortlast::simulate
