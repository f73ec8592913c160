// Device exchange: the exchange of dense pixels in the memory of a GPU. Ranks of a node read each other's
// images where they lie.
#pragma once

#include <memory>

#include "sortlast/execute/device/device_content.hpp"
#include "sortlast/execute/mpi/exchange.hpp"

namespace sortlast {

class DeviceExchange final : public Exchange {
 public:
  // The communicator, pool and GPU of the context must outlive it at the same addresses.
  DeviceExchange(const std::shared_ptr<const Plan>& plan, const FrameContext& context);

  // Collective over the ranks of the communicator, after the ranks of each node have met: run the plan for
  // one frame, and return this rank's pixels, which are finished once the image's stream has come so far.
  // Throws as run_frame() does.
  PixelBuffer run(const DeviceContribution& contribution, const FrameContext& context,
                  CallArrival* arrival = nullptr);

 private:
  void share() override;
  void end_sharing() override;
  void release_all() override { end_reading(); }
  void end_reading();
  ImageView image_of(int rank);

  DeviceContent pixels_;
  DeviceContribution contribution_;
  bool reads_ = false;                    // the images of the other ranks have yet to be released
  std::vector<PixelBuffer> copies_ = {};  // of images in host memory
};

}  // namespace sortlast
