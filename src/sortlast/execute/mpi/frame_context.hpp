// FrameContext: what an exchange and a gather of one compositor work with.
#pragma once

#include <vector>

#include "sortlast/execute/mpi/alarm.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/plan/choice.hpp"
#include "sortlast/execute/run/pool.hpp"
#include "sortlast/threads.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

struct FrameContext {
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
