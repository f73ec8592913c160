// Exchange: one rank's run of a schedule over MPI.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sortlast/execute/mpi/alarm.hpp"
#include "sortlast/execute/run.hpp"
#include "sortlast/execute/trace.hpp"
#include "sortlast/schedule/schedule.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

// What one rank does in one kind of frame, made once and used for as many frames as have it.
struct Plan {
  std::shared_ptr<const Schedule> schedule;
  Program program;
  std::vector<std::int32_t> send_tags;     // first tag of each send
  std::vector<std::int32_t> receive_tags;  // and of each receive

  // Throws ArgumentError if the tags would pass `tag_limit`.
  Plan(std::shared_ptr<const Schedule> schedule, int rank, const Format& format, int tag_limit);
};

// Collective over the ranks of `comm`: run the plan and return this rank's finished pixels. Adds to
// `timing` and, if `events` is not null, to that. Receives are posted ahead; sends leave as soon as their
// pixels are complete, stage by stage where the schedule limits the stages under way; blending goes on
// while messages are. Throws TimeoutError: then messages may still be under way, and the contribution's
// pixels and `comm` must stay.
Stretch exchange(const Plan& plan, const Contribution& contribution, const Communicator& comm,
                 const Alarm& alarm, Pool& pool, Timing& timing, std::vector<Event>* events);

}  // namespace sortlast
