// Parts shared by all families: names and GUIDs of hosts and switches, limits of parameters, and the one
// builder of all PGFTs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// GUIDs of hosts are 16 apart and below the GUIDs of switches; the GUIDs of a level's switches are below the
// next level's.
inline constexpr std::int64_t most_family_hosts = std::int64_t{1} << 24;
inline constexpr std::int64_t most_level_switches = std::int64_t{1} << 20;
inline constexpr std::int32_t most_family_levels = 32;
inline constexpr std::int64_t most_family_channels = std::int64_t{1} << 28;

// Port `port` (from 1) of adapter a: "host00000 HCA-1".
Host family_host(std::int64_t a, std::int32_t port = 1);
// Switch number `index` of a level: "sw-L1-0000".
Switch family_switch(std::int32_t level, std::int64_t index, std::int32_t ports);

// Throws ArgumentError "<family>: <name> is <value>; expected <least> or more".
void check_parameter(std::string_view family, const std::string& name, std::int64_t value,
                     std::int64_t least = 1);
// Throws ArgumentError if `levels` is not 1 .. most_family_levels.
void check_levels(std::string_view family, const std::string& name, std::int32_t levels);
// a * b for a, b >= 0; throws ArgumentError "<family>: too many <what>; ..." if that is above `most`.
std::int64_t bounded_product(std::string_view family, std::string_view what, std::int64_t a, std::int64_t b,
                             std::int64_t most);
// "1,2,3"
std::string join(const Counts& counts, std::string_view separator = ",");

// The tree of this form, numbered as described in pgft.cpp. Throws ArgumentError, beginning with `name`, if
// m, w and p differ in length, an element is below 1, or the tree exceeds the limits of this file.
Topology build_pgft(std::string name, TreeShape shape);

}  // namespace sortlast::fabric
