// Hops: the cables between switches, and the ports of every switch that lie on a least-hop way to a switch.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// Engines count hops in a byte, as OpenSM does; this value: no way, or one of 255 hops and more.
constexpr std::uint8_t no_hops = 0xFF;

// A cable from a port of one switch to a port of another (or of the same).
struct SwitchCable {
  std::int32_t port = 0;
  std::int32_t other = 0;  // switch
  std::int32_t other_port = 0;
};

// The cables of every switch that lead to switches, by port.
class SwitchGraph {
 public:
  explicit SwitchGraph(const Topology& topology);

  std::int32_t switches() const { return static_cast<std::int32_t>(first_.size()) - 1; }
  std::int32_t most_ports() const { return most_ports_; }
  std::span<const SwitchCable> cables(std::int32_t s) const;
  // Number of a switch's first cable, if those of all switches are counted in order; s may be switches().
  std::size_t first_cable(std::int32_t s) const { return first_[static_cast<std::size_t>(s)]; }

 private:
  std::vector<std::size_t> first_;
  std::vector<SwitchCable> cables_;
  std::int32_t most_ports_ = 0;
};

// A set of ports for every switch.
class PortSets {
 public:
  explicit PortSets(const SwitchGraph& graph);

  void clear();
  void add(std::int32_t s, std::int32_t port);
  // The ports of a switch in ascending order.
  template <typename Visit>
  void visit(std::int32_t s, Visit&& each) const;

 private:
  std::size_t words_ = 0;  // a switch
  std::vector<std::uint64_t> bits_;
};

// Fills `ports` with those by which each switch may send on what is meant for switch `destination`, nothing
// for the destination itself. Must allow calls from several threads at once.
using PortsTowards = std::function<void(std::int32_t destination, PortSets& ports)>;

// Hops from every switch to `destination`.
std::vector<std::uint8_t> hops_to(const SwitchGraph& graph, std::int32_t destination);
// The ports of least-hop ways.
void least_hop_ports(const SwitchGraph& graph, std::int32_t destination, PortSets& ports);

template <typename Visit>
void PortSets::visit(std::int32_t s, Visit&& each) const {
  const std::size_t row = static_cast<std::size_t>(s) * words_;
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::uint64_t left = bits_[row + w]; left != 0; left &= left - 1) {
      each(static_cast<std::int32_t>(64 * w) + std::countr_zero(left));
    }
  }
}

}  // namespace sortlast::fabric
