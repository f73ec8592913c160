// MachineProfile: the machine for which "auto" predicts, taken from a profile, never measured on the fly.
#pragma once

#include <optional>
#include <string>

#include "sortlast/compositor.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/machine.hpp"

namespace sortlast {

struct MachineProfile {
  Machine machine;
  std::string source = "the defaults";  // completes "on figures from ..."
};

// Without communication: the profile in options.profile, the file it names or, if its name is empty, the file
// named by the environment variable SORTLAST_PROFILE, or the kept one (kept_profile_path() of tune.hpp);
// nullopt if there is none of these. Throws ArgumentError, which names an invalid file and the remedy.
std::optional<MachineProfile> find_profile(const Options& options);

// Collective: the same on every rank. The profile found by rank 0 or, if there is none, the defaults of
// Machine; if ranks are on several nodes, with the cores and ranks of their nodes. Throws TimeoutError.
MachineProfile agree_on_profile(const Communicator& comm, const Alarm& alarm, const Node& node,
                                const std::optional<MachineProfile>& found);

}  // namespace sortlast
