// Routing engines: functions that compute the forwarding of a whole fabric, or say why they refuse it.
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
  std::string refusal;  // ... for this reason, a clause: "switch 'a' has 3 up-links, switch 'b' 4"
};

inline Outcome refuse(std::string why) { return {nullptr, std::move(why)}; }

// Throws ArgumentError for a root or compute host that does not exist or occurs twice, and for lmc outside 0
// .. 7.
void check_options(const Topology& topology, const RouteOptions& options);

// The engines, one file each. Their options have been checked: roots and compute contain existing switches
// and hosts, each once; lmc is in 0 .. 7. An engine that cannot provide 2^lmc planes refuses lmc > 0; minhop,
// which replaces engines that refuse, refuses nothing.
namespace engine {

Outcome d_mod_k(const Topology& topology, const RouteOptions& options);
Outcome s_mod_k(const Topology& topology, const RouteOptions& options);
Outcome ftree(const Topology& topology, const RouteOptions& options);
Outcome minhop(const Topology& topology, const RouteOptions& options);
Outcome updn(const Topology& topology, const RouteOptions& options);
Outcome dnup(const Topology& topology, const RouteOptions& options);
Outcome dor(const Topology& topology, const RouteOptions& options);
Outcome lash(const Topology& topology, const RouteOptions& options);
Outcome sssp(const Topology& topology, const RouteOptions& options);
Outcome dfsssp(const Topology& topology, const RouteOptions& options);
Outcome random(const Topology& topology, const RouteOptions& options);
Outcome minimal(const Topology& topology, const RouteOptions& options);
Outcome ecmp(const Topology& topology, const RouteOptions& options);

}  // namespace engine

// Parts shared by OpenSM's engines: the orders in which it visits a fabric, the ports that may lead to a
// switch, and the choice of one of them.

// Switches by GUID in the order of OpenSM's maps on its usual machines: a GUID is stored in network byte
// order and compared as a little-endian number, so its last byte is the most significant. Equal GUIDs: by
// number.
std::vector<std::int32_t> switches_by_guid(const Topology& topology);
// Hosts by the GUID of their adapter, as above; hosts of one adapter by port.
std::vector<std::int32_t> hosts_by_guid(const Topology& topology);
// Switches in the order in which their hosts are routed to: by decreasing number of hosts, then by GUID.
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
  std::size_t words_ = 0;  // per switch
  std::vector<std::uint64_t> bits_;
};

// Fills `ports` with the ports by which each switch may forward to switch `destination`; none for the
// destination itself. Must allow calls from several threads at once.
using PortsTowards = std::function<void(std::int32_t destination, PortSets& ports)>;

// Engines count hops in a byte, as OpenSM does; this value means no path, or 255 hops and more.
constexpr std::uint8_t no_hops = 0xFF;
// The ports of updn: on shortest up*/down* paths. Empty if there are no roots and none can be found. The
// graph must outlive the result.
PortsTowards updn_ports(const Topology& topology, const SwitchGraph& graph, const RouteOptions& options);
// Hops from every switch to `destination`.
std::vector<std::uint8_t> hops_to(const SwitchGraph& graph, std::int32_t destination);
// The ports on shortest paths.
void least_hop_ports(const SwitchGraph& graph, std::int32_t destination, PortSets& ports);

// Parts that the planes of a host (lmc > 0) should not share: chassis and then switches, or just cables.
enum class PlaneRule { switches, cables };
// Tables of 2^lmc planes; each entry is the least used of the ports from `towards`. See minhop.cpp.
std::shared_ptr<Tables> balanced_tables(const Topology& topology, const SwitchGraph& graph,
                                        const PortsTowards& towards, std::int32_t lmc,
                                        PlaneRule rule = PlaneRule::switches);

}  // namespace sortlast::fabric
