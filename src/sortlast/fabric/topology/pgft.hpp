// What the families that are PGFTs share: one builder, which only their names and parameters tell apart.
#pragma once

#include <string>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// The tree of this form, numbered as told in pgft.cpp. Throws ArgumentError, which begins with `name`, if m,
// w and p differ in length, an element is below 1, or the tree is larger than family_parts.hpp allows.
Topology build_pgft(std::string name, TreeShape shape);

}  // namespace sortlast::fabric
