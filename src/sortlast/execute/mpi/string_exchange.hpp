// String exchange: the exchange of contents of varying size. Ranks of a node hand over in place what they
// started with.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "sortlast/execute/layers/bytes.hpp"
#include "sortlast/execute/layers/string_content.hpp"
#include "sortlast/execute/mpi/exchange.hpp"

namespace sortlast {

class StringExchange final : public Exchange {
 public:
  // The communicator, pool and team of the context must stay where they are.
  StringExchange(const std::shared_ptr<const Plan>& plan, const FrameContext& context);

  // Collective: run the schedule for one frame, put this rank's finished pixels where `place` says, and
  // return the joined strings if the content keeps them. `place` is called once, when the ranks of the node
  // have met (Node::frame()), and returns the place of this rank's piece. Throws as run_frame(). What the
  // content throws comes through; ArgumentError and MismatchError as Error, as the other ranks do not throw
  // them.
  std::vector<LayerString> run(const LayerContent& content, const Format& format,
                               const std::function<PixelBuffer()>& place, const StringOptions& options,
                               const FrameContext& context);

  // Memory that is kept from frame to frame for what the ranks of the node read in place [bytes].
  std::size_t shared_bytes() const { return shared_.capacity(); }

 private:
  void share() override;
  void met() override { strings_.place((*place_)(), format_); }
  void end_sharing() override;
  Offer write_shared();
  void take_shared();

  StringContent strings_;
  Bytes shared_;  // messages that the ranks of the node read in place, kept from frame to frame
  // Of the last call:
  const LayerContent* content_ = nullptr;
  const std::function<PixelBuffer()>* place_ = nullptr;
  Format format_;
};

}  // namespace sortlast
