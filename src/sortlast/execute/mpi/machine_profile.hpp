// MachineProfile: the machine that "auto" predicts for: from a profile, never from a measurement of the
// moment.
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

// Without communication: what options.profile holds or names or, if its name is empty, the file that the
// environment variable SORTLAST_PROFILE names, or the kept one (kept_profile_path() of tune.hpp); nothing if
// there is none of these. Throws ArgumentError, which names a file that is wrong and what to do about it.
std::optional<MachineProfile> find_profile(const Options& options);

// Collective: the same on every rank. What rank 0 found or, if it found nothing, the defaults of Machine; if
// ranks are on several nodes, with the cores and the ranks that their nodes have. Throws TimeoutError.
MachineProfile agree_on_profile(const Communicator& comm, const Alarm& alarm, const Node& node,
                                const std::optional<MachineProfile>& found);

}  // namespace sortlast
