// A topology as text that does not depend on how its parts are numbered: nodes and links by GUID and port.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric::testing {

inline std::string canonical_end(const Topology& topology, const End& end) {
  const std::uint64_t guid = topology.is_host(end.vertex)
                                 ? topology.host(end.vertex).guid
                                 : topology.switch_at(topology.switch_of(end.vertex)).guid;
  return std::to_string(guid) + "[" + std::to_string(end.port) + "]";
}

inline std::vector<std::string> canonical(const Topology& topology, bool lids = true) {
  std::vector<std::string> lines;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const Host& host = topology.host(h);
    lines.push_back("host " + host.name + " " + std::to_string(host.guid) + "[" + std::to_string(host.port) +
                    "]" + (lids ? " lid " + std::to_string(host.lid) + "+" + std::to_string(host.lmc) : "") +
                    (host.router ? " router" : ""));
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const Switch& on = topology.switch_at(s);
    lines.push_back("switch " + on.name + " " + std::to_string(on.guid) + " of " +
                    std::to_string(on.system_guid) + " " + std::to_string(on.ports) +
                    (lids ? " lid " + std::to_string(on.lid) : ""));
  }
  for (Channel c = 0; c < topology.channels(); ++c) {
    if (!topology.target(c).connected()) continue;
    lines.push_back(canonical_end(topology, topology.source(c)) + " -> " +
                    canonical_end(topology, topology.target(c)) + " " + std::to_string(topology.gbps(c)));
  }
  std::ranges::sort(lines);
  return lines;
}

// Message of the ArgumentError that a call throws; "" and a failed test if it throws none.
template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

}  // namespace sortlast::fabric::testing
