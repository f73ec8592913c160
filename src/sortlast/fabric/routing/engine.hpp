// What a routing engine is: a function that forwards on a whole fabric, or says why it refuses it.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

struct Outcome {
  std::shared_ptr<const Forwarding> forwarding;  // null: the engine refuses the fabric ...
  std::string refusal;  // ... because of this, a clause: "switch 'a' has 3 up-links, switch 'b' 4"
};

inline Outcome refuse(std::string why) { return {nullptr, std::move(why)}; }

// Throws ArgumentError: a root or compute host that does not exist or occurs twice, lmc outside 0 .. 7.
void check_options(const Topology& topology, const RouteOptions& options);

// The engines, one file each. They may rely on options that are checked: roots and compute hold switches and
// hosts that exist, each once; lmc is in 0 .. 7. An engine that cannot spread over 2^lmc planes
// refuses lmc > 0; minhop, which stands in for those that refuse, refuses nothing.
namespace engine {

Outcome d_mod_k(const Topology& topology, const RouteOptions& options);
Outcome s_mod_k(const Topology& topology, const RouteOptions& options);
Outcome ftree(const Topology& topology, const RouteOptions& options);
Outcome minhop(const Topology& topology, const RouteOptions& options);
Outcome updn(const Topology& topology, const RouteOptions& options);
Outcome dor(const Topology& topology, const RouteOptions& options);
Outcome lash(const Topology& topology, const RouteOptions& options);
Outcome random(const Topology& topology, const RouteOptions& options);
Outcome minimal(const Topology& topology, const RouteOptions& options);

}  // namespace engine

// What the engines of OpenSM share: the orders in which it goes through a fabric, the ports that may lead to
// a switch, and the choice of one of them.

// Switches by GUID as OpenSM's maps sort them on the machines that it runs on: a GUID is kept in network byte
// order and compared as a little-endian number, so its last byte counts most. Equal GUIDs: by number.
std::vector<std::int32_t> switches_by_guid(const Topology& topology);
// Hosts by GUID of their adapter, as above; those of one adapter by its port.
std::vector<std::int32_t> hosts_by_guid(const Topology& topology);
// Switches in the order in which their hosts are routed to: those with most hosts first, else by GUID.
std::vector<std::int32_t> switches_by_load(const Topology& topology);
// The hosts of every switch by port.
std::vector<std::vector<std::int32_t>> hosts_of_switches(const Topology& topology);

// A set of ports for every switch.
class PortSets {
 public:
  explicit PortSets(const SwitchGraph& graph);

  void clear();
  void add(std::int32_t s, std::int32_t port);
  // The ports of a switch in ascending order.
  template <typename Visit>
  void visit(std::int32_t s, Visit&& each) const {
    const std::size_t row = static_cast<std::size_t>(s) * words_;
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t left = bits_[row + w]; left != 0; left &= left - 1) {
        each(static_cast<std::int32_t>(64 * w) + std::countr_zero(left));
      }
    }
  }

 private:
  std::size_t words_ = 0;  // a switch
  std::vector<std::uint64_t> bits_;
};

// Fills `ports` with those by which each switch may send on what is meant for switch `destination`, nothing
// for the destination itself. Must allow calls from several threads at once.
using PortsTowards = std::function<void(std::int32_t destination, PortSets& ports)>;

// Engines count hops in a byte, as OpenSM does; this value: no way, or one of 255 hops and more.
constexpr std::uint8_t no_hops = 0xFF;
// Those of updn: by the least-hop ways that never go up after they went down. Empty: there are no roots, and
// none can be found. The graph must outlive it.
PortsTowards updn_ports(const Topology& topology, const SwitchGraph& graph, const RouteOptions& options);
// Hops from every switch to `destination`.
std::vector<std::uint8_t> hops_to(const SwitchGraph& graph, std::int32_t destination);
// The ports of least-hop ways.
void least_hop_ports(const SwitchGraph& graph, std::int32_t destination, PortSets& ports);

// What the planes of a host (lmc > 0) should not share: first chassis and then switches, or just cables.
enum class PlaneRule { switches, cables };
// Tables of 2^lmc planes, each entry one of the ports that `towards` gives, the least used. See minhop.cpp.
std::shared_ptr<Tables> balanced_tables(const Topology& topology, const SwitchGraph& graph,
                                        const PortsTowards& towards, std::int32_t lmc,
                                        PlaneRule rule = PlaneRule::switches);

}  // namespace sortlast::fabric
