// String exchange: the exchange of contents of varying size. Ranks of a node hand over in place the values
// they started with.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "sortlast/content/strings/bytes.hpp"
#include "sortlast/content/strings/string_content.hpp"
#include "sortlast/execute/mpi/exchange.hpp"

namespace sortlast {

class StringExchange final : public Exchange {
 public:
  // The communicator, pool and team of the context must outlive it at the same addresses.
  StringExchange(const std::shared_ptr<const Plan>& plan, const FrameContext& context);

  // Collective: run the schedule for one frame, put this rank's finished pixels into the memory returned by
  // `place`, and return the joined strings if the content keeps them. `place` is called once, after the ranks
  // of the node have met (Node::frame()), and returns memory for this rank's piece. Throws as run_frame()
  // does. Exceptions of the content are passed on, but ArgumentError and MismatchError as Error, because the
  // other ranks do not throw them.
  std::vector<LayerString> run(const StringCodec& content, const Format& format,
                               const std::function<PixelBuffer()>& place, const StringOptions& options,
                               const FrameContext& context);

  // Memory kept from frame to frame for strings that the ranks of the node read in place [bytes].
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
  const StringCodec* content_ = nullptr;
  const std::function<PixelBuffer()>* place_ = nullptr;
  Format format_;
};

}  // namespace sortlast
