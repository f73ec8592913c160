// Checks of the arguments of packet simulations, used by both engines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/packet/buffers.hpp"

namespace sortlast::simulate {

inline void check_range(const char* what, double value, double least, double most) {
  if (value >= least && value <= most) return;
  throw ArgumentError(std::string(what) + " is " + std::to_string(value) + "; expected " +
                      std::to_string(least) + " to " + std::to_string(most));
}

// `most_switch_cycles`: limit of the engine.
inline void check_packet_options(const PacketOptions& options, std::int32_t most_switch_cycles) {
  check_range("packet_bytes", options.packet_bytes, 1, 1 << 30);
  check_range("packet_phits", options.packet_phits, 1, 1 << 16);
  check_range("switch_cycles", options.switch_cycles, 1, most_switch_cycles);
  check_range("buffer_packets", options.buffer_packets, 1, Buffers::most_packets);
  check_range("injection_packets", options.injection_packets, 1, 1 << 12);
  check_range("link_bytes_per_second", options.link_bytes_per_second, 1, 1e15);
  check_range("background", options.background, 0, 0.99);
  if (options.sample_cycles < 0) throw ArgumentError("sample_cycles is negative; 0 takes no samples");
}

inline void check_placement(const fabric::Topology& topology, const Traffic& traffic,
                            const fabric::Placement& placement) {
  if (placement.size() != static_cast<std::size_t>(traffic.tasks)) {
    throw ArgumentError("the placement has " + std::to_string(placement.size()) + " hosts for " +
                        std::to_string(traffic.tasks) + " tasks");
  }
  std::vector<bool> taken(static_cast<std::size_t>(topology.hosts()));
  for (std::size_t i = 0; i < placement.size(); ++i) {
    const std::int32_t host = placement[i];
    const std::string task = "task " + std::to_string(i) + " is placed on host " + std::to_string(host);
    if (host < 0 || host >= topology.hosts()) {
      throw ArgumentError(task + ", which does not exist: there are " + std::to_string(topology.hosts()));
    }
    if (taken[static_cast<std::size_t>(host)]) throw ArgumentError(task + ", which has a task already");
    taken[static_cast<std::size_t>(host)] = true;
  }
}

// Calls `check` for the hosts of every message.
template <class Check>
void for_flows(const Traffic& traffic, const fabric::Placement& placement, const Check& check) {
  const std::vector<std::int32_t> source = sources(traffic);
  for (std::size_t m = 0; m < source.size(); ++m) {
    if (source[m] == traffic.destination[m]) continue;
    check(placement[static_cast<std::size_t>(source[m])],
          placement[static_cast<std::size_t>(traffic.destination[m])]);
  }
}

}  // namespace sortlast::simulate
