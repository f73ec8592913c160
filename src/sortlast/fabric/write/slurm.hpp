// Names as files of launchers and schedulers can hold them.
#pragma once

#include <string>
#include <string_view>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// Whether a name is made of letters, digits, '.', '_' and '-' only.
bool is_plain_name(std::string_view name);

// The machine that a host is in: its name up to the first blank ("host00000" of "host00000 HCA-1"). Throws
// ArgumentError if that is no plain name.
std::string machine_of(const Host& host);

}  // namespace sortlast::fabric
