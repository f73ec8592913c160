// Exchange: one rank's run of a plan over MPI, frame after frame, and the gathering of the tiles.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/mpi/meeting.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/plan/choice.hpp"
#include "sortlast/execute/plan/plan.hpp"
#include "sortlast/execute/run/pool.hpp"
#include "sortlast/execute/run/run.hpp"
#include "sortlast/execute/run/tile.hpp"
#include "sortlast/threads.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

// What an exchange and a gather of one compositor work with.
struct FrameContext {
  const Communicator& comm;
  const Alarm& alarm;
  Node& node;
  Pool& pool;
  Team& team;
  Timing& timing;
  Traffic& traffic;
  std::vector<Event>* events = nullptr;  // null: none are recorded
  // Of a frame of contents of varying size: no rank sends any of it as a message.
  bool all_in_place = false;
};

class Exchange {
 public:
  // The communicator, pool and team of the context must stay where they are.
  Exchange(std::shared_ptr<const Plan> plan, const FrameContext& context);
  ~Exchange();

  // Collective over the ranks of the communicator, after the ranks of each node have met: run the plan for
  // one frame and return this rank's finished pixels. Receives are posted ahead; sends leave as soon as their
  // pixels are complete, chunk by chunk, stage by stage where the schedule limits the stages under way;
  // blending goes on while messages are. Throws TimeoutError: then messages may still be under way, the
  // contribution's pixels and the communicator must stay, and no other frame can be run. If ranks have yet to
  // come to the frame's `meeting`, it ends no sooner than they do; and throws the MismatchError of the
  // meeting if they disagree: then nothing is under way any more, and no other frame can be run.
  PixelBuffer run(const Contribution& contribution, const FrameContext& context, Meeting* meeting = nullptr);

 private:
  class Frame;
  std::shared_ptr<Frame> frame_;
};

// A tile's image, to be collected at a rank.
struct Gathering {
  const detail::TileData& tile;
  int root = 0;
  bool with_depth = false;
  PixelBuffer out = {};  // at the root, where the frame is put; none: anywhere
};

// Collective; all arguments were agreed on, and all ranks are through with compositing. Every image is
// collected at a rank of its own, all at once; returns that of this rank. Contiguous tiles land where they
// belong, and those in the frame of the root's node stay where they are unless there is an `out`; pixels of
// an image that was dealt out come as they lie in the tile, and the root puts them in their places. `wire`
// says when this rank leaves out empty pixels; colours stay as they are. Throws TimeoutError.
std::optional<Frame> gather_tiles(const std::vector<Gathering>& images, const WireOptions& wire,
                                  const FrameContext& context);

}  // namespace sortlast
