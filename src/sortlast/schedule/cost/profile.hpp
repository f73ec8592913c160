// Profile: the content of a machine profile's file.
#pragma once

#include <string>

#include "sortlast/machine.hpp"

namespace sortlast {

struct Profile {
  Machine machine;
  std::string measured_on;  // machine_name() of tune.hpp; empty: not recorded
};

// Like load_machine().
Profile load_profile(const std::string& path);

}  // namespace sortlast
