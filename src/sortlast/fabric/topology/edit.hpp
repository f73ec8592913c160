// A topology without some of its parts: partial population, missing hosts, cut cables. And what is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sortlast/fabric/topology/topology.hpp"

namespace sortlast::fabric {

// The rest keeps its names, GUIDs, LIDs, ports and levels, and is renumbered without gaps in the same order;
// the regular shape is lost unless the list is empty. Throws ArgumentError for a number that does not exist.
Topology without_hosts(const Topology& topology, const std::vector<std::int32_t>& hosts);
// `channels`: one direction of each link to cut. A host's link cannot be cut: leave the host out.
Topology without_links(const Topology& topology, const std::vector<Channel>& channels);
Topology without_switches(const Topology& topology, const std::vector<std::int32_t>& switches);

// Levels of the switches of a tree from any source. `roots`: switches of the highest level; empty: found (see
// levels.cpp for how). All 0 if the fabric is no tree: `why` then says so.
struct Levels {
  std::vector<std::int32_t> level;  // by switch; 1 next to hosts
  std::vector<std::int32_t> roots;  // switches of the highest level
  std::string why;
};
Levels rank_switches(const Topology& topology, const std::vector<std::int32_t>& roots = {});

// Up-links that the fabric's own regularity asks for and that are not there: pairs of a lower and an upper
// switch with fewer links than such pairs have elsewhere in it.
struct MissingLinks {
  std::int32_t lower = 0, upper = 0;  // switches
  std::int32_t present = 0, expected = 0;
};
std::vector<MissingLinks> missing_links(const Topology& topology);

}  // namespace sortlast::fabric
