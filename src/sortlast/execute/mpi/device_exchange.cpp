// Device exchange.
#include "sortlast/execute/mpi/device_exchange.hpp"

#include "sortlast/execute/node/node_image.hpp"

namespace sortlast {

DeviceExchange::DeviceExchange(const std::shared_ptr<const Plan>& plan, const FrameContext& with)
    : Exchange(plan, pixels_, with), pixels_(plan->indexed, with.pool, *with.gpu) {}

PixelBuffer DeviceExchange::run(const DeviceContribution& contribution, const FrameContext& with,
                                CallArrival* arrival) {
  contribution_ = contribution;
  pixels_.begin_frame(contribution_);
  PixelBuffer result = run_frame(with, arrival);
  contribution_ = {};
  copies_.clear();
  return result;
}

void DeviceExchange::share() {
  reads_ = true;
  for (std::size_t i = 0; i < plan().indexed.receives.size(); ++i) {
    if (!plan().indexed.receives[i].spared) continue;
    pixels_.refer(i, image_of(plan().indexed.program.receives[i].peer));
    engine().in_place(i);
  }
}

// The image of a rank of this node, in memory that the GPU reads.
ImageView DeviceExchange::image_of(int rank) {
  Gpu& gpu = *context().gpu;
  NodeImage image(context().node, rank);
  ImageView view = image.view();
  if (view.is_none()) return view;
  if (image.exported() != nullptr) {
    gpu.wait_until_ready(pixels_.stream(), rank, *image.exported());
    view.pixels = gpu.open(rank, *image.exported(), view.format);
    ++context().traffic.direct;
    return view;
  }
  const std::int64_t n = view.size.pixels();
  PixelBuffer host;
  if (!image.in_place()) {
    host = gpu.take_pinned(view.format, n);
    const ActiveRun all{0, static_cast<std::uint32_t>(n), 0};
    image.pull(0, {&all, 1}, host.view());
    view.pixels = host.view();
  }
  copies_.push_back(gpu.take(view.format, n));
  Gpu::copy(pixels_.stream(), view.format, view.pixels, copies_.back().view(), n);
  gpu.synchronize(pixels_.stream());  // the image is released later than that
  view.pixels = copies_.back().view();
  view.memory = MemoryKind::device;
  ++context().traffic.pulled;
  return view;
}

void DeviceExchange::end_reading() {
  if (!reads_) return;
  reads_ = false;
  context().gpu->record_done(pixels_.stream());
  for (const Plan::Mate& mate : plan().mates) context().node.release(mate.rank);
}

// The caller's stream goes on when all have read this rank's image.
void DeviceExchange::end_sharing() {
  end_reading();
  context().node.wait_until_read("composite");
  for (const Plan::Mate& mate : plan().mates) {
    const NodeImage image(context().node, mate.rank);
    if (image.exported() != nullptr)
      context().gpu->wait_until_done(pixels_.stream(), mate.rank, *image.exported());
  }
}

}  // namespace sortlast
