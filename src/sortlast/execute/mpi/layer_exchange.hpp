// Layer exchange: one rank's run of a schedule on contents of varying size over MPI, and the gathering of
// what their tiles keep.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sortlast/execute/layers/layer_run.hpp"
#include "sortlast/execute/mpi/exchange.hpp"

namespace sortlast {

// How strings travel.
struct StringOptions {
  std::int64_t chunk_bytes = 1 << 20;  // most bytes of one message
  std::int32_t head_tag = 0;           // of this call alone; see StringMessages
  std::int32_t tag_limit = 32767;
};

class LayerExchange {
 public:
  // The communicator, pool and team of the context must stay where they are.
  LayerExchange(std::shared_ptr<const Schedule> schedule, const FrameContext& context);
  ~LayerExchange();

  // Collective: run the schedule for one frame, put this rank's finished pixels where `place` says, and
  // return the joined strings if the content keeps them. `place` is called once, when the ranks of the node
  // have met (Node::frame()), and returns the place of the first pixel of this rank's piece. Ranks of a node
  // hand over in place what they started with; other sends leave as soon as their parts are complete, stage
  // by stage where the schedule limits the stages under way. Throws TimeoutError: then messages may still be
  // under way, the communicator must stay, and no other frame can be run. What the content throws comes
  // through; ArgumentError and MismatchError as Error, as the other ranks do not throw them.
  std::vector<LayerString> run(const LayerContent& content, const Format& format,
                               const std::function<Pixels()>& place, const StringOptions& options,
                               const FrameContext& context);

  // Memory that is kept from frame to frame for what the ranks of the node read in place [bytes].
  std::size_t shared_bytes() const;

 private:
  class Frame;
  std::shared_ptr<Frame> frame_;
};

// Collective: the strings of all ranks at the root, in the order of ranks and, of each, as they are there;
// nothing elsewhere. Throws TimeoutError, as above.
std::optional<std::vector<LayerString>> gather_strings(const std::vector<LayerString>& strings, int root,
                                                       const StringOptions& options,
                                                       const FrameContext& context);

}  // namespace sortlast
