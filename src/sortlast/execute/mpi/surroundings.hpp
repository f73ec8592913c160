// Surroundings: what an exchange and a gather of one compositor work with.
#pragma once

#include <vector>

#include "sortlast/execute/mpi/alarm.hpp"
#include "sortlast/execute/mpi/explain.hpp"
#include "sortlast/execute/mpi/node.hpp"
#include "sortlast/execute/pool.hpp"
#include "sortlast/execute/team.hpp"
#include "sortlast/execute/trace.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

struct Surroundings {
  const Communicator& comm;
  const Alarm& alarm;
  Node& node;
  Pool& pool;
  Team& team;
  Timing& timing;
  Traffic& traffic;
  std::vector<Event>* events = nullptr;  // null: none are recorded
};

}  // namespace sortlast
