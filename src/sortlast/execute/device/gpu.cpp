// Gpu.
#include "sortlast/execute/device/gpu.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace sortlast {
namespace {

constexpr int frames_kept = 8;  // frames for which an unused block is kept

constexpr int attribute_pci_bus = 33;  // CUdevice_attribute
constexpr int attribute_pci_device = 34;
constexpr int attribute_pci_domain = 50;

}  // namespace

// ---- Memory ---------------------------------------------------------------------------------------

Memory ReusedBlocks::take(std::size_t bytes) {
  if (bytes == 0) return {};
  Block* best = nullptr;
  for (Block& block : blocks_) {
    const bool fits = block.memory.use_count() == 1 && block.bytes >= bytes && block.bytes / 4 <= bytes;
    if (fits && (best == nullptr || block.bytes < best->bytes)) best = &block;
  }
  if (best == nullptr) best = &blocks_.emplace_back(Block{make_(bytes), bytes, 0});
  best->unused = 0;
  return best->memory;
}

void ReusedBlocks::begin_frame() {
  std::erase_if(blocks_, [](Block& block) {
    if (block.memory.use_count() > 1) return false;
    return ++block.unused > frames_kept;
  });
}

Gpu::Gpu(int ordinal, Wait wait)
    : context_(ordinal),
      wait_(std::move(wait)),
      module_(context_, device_kernels_text()),
      own_stream_(context_),
      ready_(context_),
      done_(context_),
      reached_(context_, device::Event::Use::here),
      ended_(context_, device::Event::Use::here),
      identity_{context_.attribute(attribute_pci_domain), context_.attribute(attribute_pci_bus),
                context_.attribute(attribute_pci_device)},
      blocks_([this](std::size_t bytes) { return device::allocate(context_, bytes); }),
      pinned_([this](std::size_t bytes) { return device::allocate_pinned(context_, bytes); }),
      opened_(context_) {}

void Gpu::keep(const device::Stream& stream, std::shared_ptr<const void> memory) {
  std::erase_if(kept_, [](const Kept& each) { return each.finished.done(); });
  const device::Event finished(context_, device::Event::Use::here);
  finished.record(stream);
  kept_.push_back({finished, std::move(memory)});
}

bool Gpu::finish(double seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const auto within = [&](const device::Event& event) {
    while (!event.done()) {
      if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return true;
  };
  for (const Kept& each : kept_)
    if (!within(each.finished)) return false;
  if (!within(ended_)) return false;
  kept_.clear();
  return true;
}

void Gpu::synchronize(const device::Stream& stream) const {
  reached_.record(stream);
  wait_(reached_);
}

void Gpu::begin_frame() {
  std::erase_if(kept_, [](const Kept& each) { return each.finished.done(); });
  blocks_.begin_frame();
  pinned_.begin_frame();
}

void Gpu::begin_work(const device::Stream& stream) {
  if (stream.handle() != last_) stream.wait(ended_);
}

void Gpu::end_work(const device::Stream& stream) {
  last_ = stream.handle();
  ended_.record(stream);
}

PixelBuffer Gpu::take(const Format& format, std::int64_t n) {
  return {blocks_.take(PixelBuffer::bytes(format, n)), format, n, MemoryKind::device};
}

PixelBuffer Gpu::take_pinned(const Format& format, std::int64_t n) {
  return {pinned_.take(PixelBuffer::bytes(format, n)), format, n};
}

void Gpu::copy(const device::Stream& stream, const Format& format, ConstPixels from, Pixels to,
               std::int64_t n) {
  const auto count = static_cast<std::size_t>(n);
  if (from.colour != to.colour) device::copy(stream, to.colour, from.colour, count * format.colour_bytes());
  if (format.depth && from.depth != to.depth)
    device::copy(stream, to.depth, from.depth, count * sizeof(float));
}

// ---- Kernels --------------------------------------------------------------------------------------

device::FunctionHandle Gpu::kernel(const std::string& name) {
  const auto known = kernels_.find(name);
  if (known != kernels_.end()) return known->second;
  return kernels_[name] = module_.function(name);
}

void Gpu::blend(const device::Stream& stream, Op op, const Format& format, Scalar partial,
                std::span<const DeviceLink> chain, Pixels out, std::int64_t n,
                const DeviceBackground* background) {
  const auto add = [&](std::span<const DeviceLink> part, Pixels to, Scalar scalar,
                       const DeviceBackground* behind) {
    for (const DeviceLaunch& launch :
         device_blend(op, format.channels, format.depth, part, to, scalar, n, behind))
      device::launch(stream, kernel(launch.kernel), launch.blocks, DeviceLaunch::threads, &launch.arguments);
  };

  // A chain that is too long for one launch continues from the sum of its first links.
  std::vector<DeviceLink> rest(chain.begin(), chain.end());
  std::array<PixelBuffer, 2> sums;  // the one read and the one written
  while (rest.size() > device_kernels::max_links) {
    const Format wide{partial, format.channels, format.depth};
    sums[1] = take(wide, n);
    add(std::span(rest).first(device_kernels::max_links), sums[1].view(), partial, nullptr);
    rest.erase(rest.begin(), rest.begin() + device_kernels::max_links - 1);
    rest.front() = {sums[1].view(), partial};
    std::swap(sums[0], sums[1]);
  }
  add(rest, out, format.scalar, background);
}

// ---- Images that others read ----------------------------------------------------------------------

ExportedImage Gpu::publish(const ImageView& image) {
  ExportedImage exported;
  exported.gpu = identity_;
  exported.ready = ready_->ipc_handle();
  exported.done = done_->ipc_handle();
  exported.colour = device::export_memory(context_, image.pixels.colour);
  if (image.format.depth) exported.depth = device::export_memory(context_, image.pixels.depth);
  ready_->record(stream(image.stream));
  return exported;
}

ConstPixels Gpu::open(int rank, const ExportedImage& image, const Format& format) {
  ConstPixels pixels;
  pixels.colour = static_cast<const std::byte*>(opened_.open(rank, image.colour));
  if (format.depth) pixels.depth = static_cast<const float*>(opened_.open(rank, image.depth));
  return pixels;
}

const device::Event& Gpu::event_of(std::pair<int, bool> whose, const device::IpcHandle& handle) {
  auto known = events_.find(whose);
  if (known != events_.end() && std::memcmp(&known->second.handle, &handle, sizeof handle) != 0) {
    events_.erase(known);
    known = events_.end();
  }
  if (known == events_.end())
    known = events_.emplace(whose, OpenedEvent{handle, device::Event::open(context_, handle)}).first;
  return known->second.event;
}

void Gpu::open_events(int rank, const ExportedImage& image) {
  event_of({rank, false}, image.ready);
  event_of({rank, true}, image.done);
}

void Gpu::wait_until_ready(const device::Stream& stream, int rank, const ExportedImage& image) {
  stream.wait(event_of({rank, false}, image.ready));
}

void Gpu::wait_until_done(const device::Stream& stream, int rank, const ExportedImage& image) {
  stream.wait(event_of({rank, true}, image.done));
}

}  // namespace sortlast
