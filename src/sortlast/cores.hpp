// Quota: how much processor time a control group leaves to its processes.
#pragma once

#include <string>

namespace sortlast {

// Cores' worth of time that all processes of this one's control group together may take; 0: no limit is set,
// or none can be read. `root`: where the files lie, for tests.
double core_quota(const std::string& root = "");

}  // namespace sortlast
