// Cores: how many this process may use, by its affinity mask and the quota of its control group.
#pragma once

#include <cstdint>
#include <string>

namespace sortlast {

// Cores' worth of time that all processes of this one's control group together may take; 0: no limit is set,
// or none can be read. `root`: where the files lie, for tests.
double core_quota(const std::string& root = "");
// The fewer of the cores in the affinity mask and those of the quota, rounded; at least 1.
int usable_cores(const std::string& root = "");
// A number that processes of a machine have in common if they may use the same cores.
std::uint64_t core_mask_hash();

}  // namespace sortlast
