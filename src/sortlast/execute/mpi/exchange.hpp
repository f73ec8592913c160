// Exchange: one rank's run of a plan over MPI, frame after frame.
#pragma once

#include <memory>

#include "sortlast/execute/mpi/frame_context.hpp"
#include "sortlast/execute/plan/plan.hpp"
#include "sortlast/execute/run/run.hpp"

namespace sortlast {

class Exchange {
 public:
  // The communicator, pool and team of the context must stay where they are.
  Exchange(std::shared_ptr<const Plan> plan, const FrameContext& context);
  ~Exchange();

  // Collective over the ranks of the communicator, after the ranks of each node have met: run the plan for
  // one frame and return this rank's finished pixels. Receives are posted ahead; sends leave as soon as their
  // pixels are complete, chunk by chunk, stage by stage where the schedule limits the stages under way;
  // blending goes on while messages are. Throws TimeoutError: then messages may still be under way, the
  // contribution's pixels and the communicator must stay, and no other frame can be run.
  PixelBuffer run(const Contribution& contribution, const FrameContext& context);

 private:
  class Frame;
  std::shared_ptr<Frame> frame_;
};

}  // namespace sortlast
