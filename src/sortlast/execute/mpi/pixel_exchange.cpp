// Pixel exchange.
#include "sortlast/execute/mpi/pixel_exchange.hpp"

#include <utility>

namespace sortlast {

PixelExchange::PixelExchange(const std::shared_ptr<const Plan>& plan, const FrameContext& with)
    : Exchange(plan, pixels_, with), pixels_(plan->indexed, with.pool, with.team) {}

PixelBuffer PixelExchange::run(const Contribution& contribution, const FrameContext& with,
                               CallArrival* arrival) {
  contribution_ = contribution;
  pixels_.begin_frame(contribution_);
  PixelBuffer result = run_frame(with, arrival);
  contribution_ = {};
  copies_.clear();
  return result;
}

// Read the images of this node's ranks in place, and release the images that this rank does not need.
void PixelExchange::share() {
  reads_.clear();
  for (const Plan::Mate& mate : plan().mates) {
    reads_.push_back(mate.reads);
    if (mate.reads == 0) context().node.release(mate.rank);
  }
  for (std::size_t i = 0; i < plan().indexed.receives.size(); ++i) {
    if (!plan().indexed.receives[i].spared) continue;
    pixels_.refer(i, reference(i));
    engine().in_place(i);
  }
}

void PixelExchange::release_all() {
  for (std::size_t i = 0; i < reads_.size(); ++i)
    if (reads_[i] > 0) context().node.release(plan().mates[i].rank);
}

Reference PixelExchange::reference(std::size_t receive) {
  const std::int32_t peer = plan().indexed.program.receives[receive].peer;
  NodeImage image(context().node, peer);
  Reference reference{image.view()};
  if (image.exported() != nullptr) reference.image = copy_of(image, receive);
  ++(image.in_place() ? context().traffic.direct : context().traffic.pulled);
  if (!image.view().is_none() && !image.in_place() && image.exported() == nullptr) {
    reference.pull = [image = std::move(image)](std::int64_t origin, std::span<const ActiveRun> runs,
                                                Pixels to) mutable { image.pull(origin, runs, to); };
  }
  reference.released = [this, mate = static_cast<std::uint32_t>(plan().mate_of[receive])] {
    if (--reads_[mate] == 0) context().node.release(plan().mates[mate].rank);
  };
  return reference;
}

// A copy of what a receive needs of an image in the memory of a GPU.
ImageView PixelExchange::copy_of(const NodeImage& image, std::size_t receive) {
  Gpu& gpu = *context().gpu;
  const Receive& step = plan().indexed.program.receives[receive];
  const Range pixels = plan().indexed.value(step.value).pixels;
  ImageView view = image.view();
  gpu.wait_until_ready(gpu.own_stream(), step.peer, *image.exported());
  const ConstPixels from = gpu.open(step.peer, *image.exported(), view.format);
  copies_.push_back(gpu.take_pinned(view.format, view.size.pixels()));
  Gpu::copy(gpu.own_stream(), view.format, sortlast::advance(from, view.format, pixels.begin),
            sortlast::advance(copies_.back().view(), view.format, pixels.begin), pixels.size());
  gpu.synchronize(gpu.own_stream());
  view.pixels = copies_.back().view();
  view.memory = MemoryKind::host;
  return view;
}

}  // namespace sortlast
