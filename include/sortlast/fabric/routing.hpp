// Routing: the output port of every switch for every destination, from a routing engine or a file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// Forwarding of a whole fabric. Planes are the alternative paths provided by several LIDs per host (LMC); a
// flow uses one plane from end to end.
class SORTLAST_API Forwarding {
 public:
  static constexpr std::int32_t unreachable = -1;

  virtual ~Forwarding() = default;
  // Port by which switch s forwards packets to `destination` (a host or a switch); 0: s is the destination.
  virtual std::int32_t port(std::int32_t s, Vertex destination, std::int32_t plane = 0) const = 0;
  virtual std::int32_t planes() const { return 1; }
  // Plane of a flow between two hosts.
  virtual std::int32_t plane(std::int32_t source, std::int32_t destination) const;
  // Virtual lane of a flow between two hosts, 0 .. lanes() - 1. Flows on different lanes never wait for each
  // other's buffers, but share the bandwidth of a link.
  virtual std::int32_t lanes() const { return 1; }
  virtual std::int32_t lane(std::int32_t /*source*/, std::int32_t /*destination*/) const { return 0; }
  // Lane on which a packet leaves switch s by `port_out` if it arrived by `port_in` on `lane`: the switch's
  // SL2VL table in InfiniBand. A packet starts on lane() at its host's link.
  virtual std::int32_t next_lane(std::int32_t /*s*/, std::int32_t /*port_in*/, std::int32_t /*port_out*/,
                                 std::int32_t lane) const {
    return lane;
  }
};

// Tables in memory: one byte per entry up to 254 ports, else two.
class SORTLAST_API Tables final : public Forwarding {
 public:
  // Has an entry for each vertex of the topology and each plane, all unreachable.
  explicit Tables(const Topology& topology, std::int32_t planes = 1);

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t plane = 0) const override;
  std::int32_t planes() const override { return planes_; }
  // With several planes, flows are distributed over them by (source + destination) mod planes.
  std::int32_t plane(std::int32_t source, std::int32_t destination) const override;
  void set(std::int32_t s, Vertex destination, std::int32_t port, std::int32_t plane = 0);
  std::int64_t bytes() const;

 private:
  std::size_t index(std::int32_t s, Vertex destination, std::int32_t plane) const;

  std::int32_t vertices_ = 0;
  std::int32_t switches_ = 0;
  std::int32_t planes_ = 1;
  std::vector<std::uint8_t> narrow_;
  std::vector<std::uint16_t> wide_;
};

// A topology with its forwarding and the origin of the forwarding.
struct Routes {
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<const Forwarding> forwarding;
  std::string engine;    // the engine used, "minhop", or the file that the tables were read from
  std::string asked;     // the engine requested, "ftree"
  std::string fallback;  // why the two differ ("ftree refuses this fabric: ... "); empty if they do not
};

struct RouteOptions {
  std::vector<std::int32_t> roots = {};    // switches; empty: the engine finds them
  std::vector<std::int32_t> compute = {};  // hosts that ftree, sssp and dfsssp balance for; empty: all
  std::uint64_t seed = 1;                  // of the engines random and ecmp
  std::int32_t lmc = 0;                    // 2^lmc planes
};

// Engines: d-mod-k, s-mod-k, ftree, minhop, updn, dnup, dor, lash, sssp, dfsssp, random, minimal, ecmp. As in
// OpenSM, minhop replaces an engine that refuses the fabric, and Routes gives the reason. Options that do not
// apply to an engine are ignored. Throws ArgumentError for an unknown engine (the message lists them), a root
// or compute host that does not exist or occurs twice, and lmc outside 0 .. 7.
struct Engine {
  std::string name;
  std::string summary;  // one sentence
};
SORTLAST_API std::span<const Engine> engines();
SORTLAST_API Routes route(std::shared_ptr<const Topology> topology, std::string_view engine,
                          const RouteOptions& options = {});

// Channels from host to host in order: the first leaves `source`, the last enters `destination`. Empty if
// they are the same. Throws Error, with the switch and port, if the tables lead nowhere or in a circle.
SORTLAST_API std::vector<Channel> walk(const Routes& routes, std::int32_t source, std::int32_t destination);

// Channels as text, one per line: "host00000 HCA-1 [1] -> [1] sw-L1-0000", with the port at each end. A
// channel without a cable leads to "nothing".
SORTLAST_API std::string describe_channels(const Topology& topology, const std::vector<Channel>& channels);

// Channel dependency cycles: flows that may wait for each other in a deadlock (Dally and Seitz, 1987). Each
// virtual lane of a link counts as a separate channel, because it has separate buffers.
struct CreditLoop {
  std::vector<Channel> cycle;  // each waits for the next, the last for the first; empty: free of deadlock
};
SORTLAST_API CreditLoop find_credit_loop(const Routes& routes);

}  // namespace sortlast::fabric
