// Pixel exchange: the exchange of dense pixels. Ranks of a node read each other's images in place.
#pragma once

#include <memory>
#include <vector>

#include "sortlast/content/pixels/pixel_content.hpp"
#include "sortlast/execute/mpi/exchange.hpp"
#include "sortlast/execute/node/node_image.hpp"

namespace sortlast {

class PixelExchange final : public Exchange {
 public:
  // The communicator, pool and team of the context must outlive it at the same addresses.
  PixelExchange(const std::shared_ptr<const Plan>& plan, const FrameContext& context);

  // Collective over the ranks of the communicator, after the ranks of each node have met: run the plan for
  // one frame and return this rank's finished pixels. Throws as run_frame() does.
  PixelBuffer run(const Contribution& contribution, const FrameContext& context,
                  CallArrival* arrival = nullptr);

 private:
  void share() override;
  void end_sharing() override { context().node.wait_until_read("composite"); }
  void release_all() override;
  Reference reference(std::size_t receive);
  ImageView copy_of(const NodeImage& image, std::size_t receive);

  PixelContent pixels_;
  Contribution contribution_;
  std::vector<std::int32_t> reads_;  // of each mate: number of receives that have yet to read its image
  std::vector<PixelBuffer> copies_;  // of images in the memory of a GPU
};

}  // namespace sortlast
