// Profile: what a machine profile's file holds.
#pragma once

#include <string>

#include "sortlast/machine.hpp"

namespace sortlast {

struct Profile {
  Machine machine;
  std::string measured_on;  // machine_name() of tune.hpp; empty: the file does not tell
};

// As load_machine().
Profile load_profile(const std::string& path);

}  // namespace sortlast
