// Order of names in which digits are compared as numbers: "node2" before "node10".
#pragma once

#include <string_view>

namespace sortlast::fabric {

bool natural_less(std::string_view a, std::string_view b);

}  // namespace sortlast::fabric
