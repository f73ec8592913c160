// Bracket lists of names, as Slurm writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sortlast/fabric/read/scan.hpp"

namespace sortlast::fabric {

// Appends the names of `list` ("node[001-004,7],login") to `names`; `scanner` says where it stands. Throws
// ArgumentError, also for more than 2^20 names.
void expand_node_list(std::string_view list, const Scanner& scanner, std::vector<std::string>& names);

}  // namespace sortlast::fabric
