// Layer exchange: one rank's run of a schedule on contents of varying size over MPI, and the gathering of
// what their tiles keep.
#pragma once

#include <cstdint>
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

  // Collective: run the schedule for one frame, put this rank's finished pixels at `out`, of which the first
  // is the first of its piece, and return the joined strings if the content keeps them. Sends leave as soon
  // as their parts are complete, stage by stage where the schedule limits the stages under way. Throws
  // TimeoutError: then messages may still be under way, the communicator must stay, and no other frame can be
  // run. What the content throws comes through; ArgumentError and MismatchError as Error, as the other ranks
  // do not throw them.
  std::vector<LayerString> run(const LayerContent& content, const Format& format, Pixels out,
                               const StringOptions& options, const FrameContext& context);

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
