// ecmp: every flow on one of the shortest paths, chosen by a hash of the flow, as in Ethernet fabrics.
//
// Problem. A router with several next hops of equal cost hashes the addresses and ports of a packet and takes
// the next hop with this number, so that the packets of a flow stay in order (RFC 2992). Flows that fall on
// one link share it, however empty the others are.
//
// Model. The hash of a flow is drawn from (seed, source, destination) and has 1024 values, the planes. At
// switch s the flow leaves by port number hash(flow, s, destination) mod n of the n ports on shortest paths.
// Every switch hashes for itself: if all used one hash, flows that part at the first hop would never part
// again at the second. Two hosts have one flow; other queue pairs between them would be other draws, which
// another seed gives.
//
// Rejected: 2^16 planes, as many as there are source ports. The search for credit loops has a number per
// switch and plane, and flows to one host collide by their plane once in a thousand pairs already.
#include <memory>
#include <span>
#include <vector>

#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/random.hpp"

namespace sortlast::fabric {

namespace {

class Ecmp final : public Forwarding {
 public:
  Ecmp(const Topology& topology, std::uint64_t seed) : hosts_(topology.hosts()), seed_(SplitMix64(seed)()) {
    for (std::int32_t h = 0; h < hosts_; ++h) {
      const End& end = topology.attachment(h);
      leaf_.push_back(topology.switch_of(end.vertex));
      last_port_.push_back(end.port);
    }
    const SwitchGraph graph(topology);
    switches_ = topology.switches();
    PortSets sets(graph);
    for (std::int32_t t = 0; t < switches_; ++t) {
      least_hop_ports(graph, t, sets);
      for (std::int32_t s = 0; s < switches_; ++s) {
        sets.visit(s, [&](std::int32_t port) { ports_.push_back(port); });
        first_.push_back(ports_.size());
      }
    }
  }

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t plane) const override {
    const bool to_host = destination < hosts_;
    const std::int32_t t = to_host ? leaf_[static_cast<std::size_t>(destination)] : destination - hosts_;
    if (s == t) return to_host ? last_port_[static_cast<std::size_t>(destination)] : 0;
    const std::span<const std::int32_t> ports = towards(s, t);
    return ports.empty() ? unreachable : ports[hash(plane, s, destination) % ports.size()];
  }

  std::int32_t planes() const override { return values; }
  std::int32_t plane(std::int32_t source, std::int32_t destination) const override {
    return static_cast<std::int32_t>(hash(source, destination, -1) % values);
  }

 private:
  static constexpr std::int32_t values = 1024;  // of the hash of a flow

  std::span<const std::int32_t> towards(std::int32_t s, std::int32_t t) const {
    const std::size_t row =
        static_cast<std::size_t>(t) * static_cast<std::size_t>(switches_) + static_cast<std::size_t>(s);
    return {ports_.data() + first_[row], first_[row + 1] - first_[row]};
  }

  std::uint64_t hash(std::int32_t a, std::int32_t b, std::int32_t c) const {
    std::uint64_t state = seed_;
    for (const std::int32_t part : {a, b, c}) state = SplitMix64(state ^ static_cast<std::uint64_t>(part))();
    return state;
  }

  std::int32_t hosts_ = 0, switches_ = 0;
  std::uint64_t seed_ = 0;
  std::vector<std::int32_t> leaf_, last_port_;  // by host: its switch, and its port there
  std::vector<std::size_t> first_{0};           // by destination switch, then by switch: in ports_
  std::vector<std::int32_t> ports_;             // on shortest paths
};

}  // namespace

Outcome engine::ecmp(const Topology& topology, const RouteOptions& options) {
  if (options.lmc > 0) return refuse("it hashes flows over all shortest paths, and an LMC cannot be chosen");
  return {std::make_shared<Ecmp>(topology, options.seed), ""};
}

}  // namespace sortlast::fabric
