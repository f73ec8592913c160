// Figures: the machine that "auto" of a compositor predicts for, and where its figures are from.
#pragma once

#include <optional>
#include <string>

#include "sortlast/execute/mpi/alarm.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/machine.hpp"

namespace sortlast {

struct Figures {
  Machine machine;
  std::string source = "its defaults";  // completes "on figures from ..."
};

// Those of a profile: the file at `path` or, if that is empty, at the environment variable SORTLAST_PROFILE;
// none if there is neither. Throws ArgumentError.
std::optional<Figures> load_profile(const std::string& path);

// Collective: the same on every rank. Rank 0's profile (`loaded`); without one the defaults where all ranks
// are on one node, as the choice is clear then, else a short measurement. Throws TimeoutError.
Figures agree_on_figures(const Communicator& comm, const Alarm& alarm, const Node& node,
                         const std::optional<Figures>& loaded);

}  // namespace sortlast
