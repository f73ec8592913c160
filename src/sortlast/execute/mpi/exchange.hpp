// Exchange: one rank's run of a schedule over MPI.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sortlast/execute/mpi/frame_context.hpp"
#include "sortlast/execute/run/run.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// What one rank does in one kind of frame, made once and used for as many frames as have it.
struct Plan {
  std::shared_ptr<const Schedule> schedule;
  WireOptions wire;
  Program program;
  std::vector<std::int32_t> send_tags;  // of each send
  std::vector<std::int32_t> receive_tags;
  // Transfers without messages: between ranks of one node, of the sender's own image.
  std::vector<bool> sends_spared;
  std::vector<bool> receives_spared;

  Plan(std::shared_ptr<const Schedule> schedule, int rank, const WireOptions& wire, const Node& node,
       int tag_limit);
};

// Collective over the ranks of the communicator, after the ranks of each node have met: run the plan and
// return this rank's finished pixels. Receives are posted ahead; sends leave as soon as their pixels are
// complete, chunk by chunk, stage by stage where the schedule limits the stages under way; blending goes on
// while messages are. Throws TimeoutError: then messages may still be under way, and the contribution's
// pixels and the communicator must stay.
PixelBuffer exchange(const Plan& plan, std::shared_ptr<const Contribution> contribution,
                     const FrameContext& context);

}  // namespace sortlast
