// A topology without some of its parts: partial population, missing hosts, cut cables. And what is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// The rest keeps its names, GUIDs, LIDs, ports and levels, and is renumbered without gaps in the same order;
// the regular shape is lost unless the list is empty. Throws ArgumentError for a number that does not exist.
SORTLAST_API Topology without_hosts(const Topology& topology, const std::vector<std::int32_t>& hosts);
// `channels`: one direction of each link to cut, or both. A host's link cannot be cut: leave the host out.
SORTLAST_API Topology without_links(const Topology& topology, const std::vector<Channel>& channels);
// The hosts of these switches go too.
SORTLAST_API Topology without_switches(const Topology& topology, const std::vector<std::int32_t>& switches);
// The same with other levels of its switches, for example those that rank_switches() finds.
SORTLAST_API Topology with_levels(const Topology& topology, std::vector<std::int32_t> levels);

// Levels of the switches of a tree from any source. `roots`: switches of the highest level; empty: found (see
// levels.cpp for how). All 0 if the fabric is no tree: `why` then says so. Throws ArgumentError for a root
// that does not exist.
struct Levels {
  std::vector<std::int32_t> level;  // by switch; 1 next to hosts
  std::vector<std::int32_t> roots;  // switches of the highest level
  std::string why;
};
SORTLAST_API Levels rank_switches(const Topology& topology, const std::vector<std::int32_t>& roots = {});
// The levels that the topology holds; those that are found if it holds none.
SORTLAST_API Levels levels_of(const Topology& topology);

// Up-links that the fabric's own regularity asks for and that are not there: pairs of a lower and an upper
// switch with fewer links than such pairs have elsewhere in it (see edit.cpp). By number of the lower
// switch, then of the upper one. Throws ArgumentError, with the reason, if the fabric is no tree.
struct MissingLinks {
  std::int32_t lower = 0, upper = 0;  // switches
  std::int32_t present = 0, expected = 0;
};
SORTLAST_API std::vector<MissingLinks> missing_links(const Topology& topology);

}  // namespace sortlast::fabric
