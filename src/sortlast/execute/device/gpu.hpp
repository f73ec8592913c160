// Gpu: one GPU as a rank uses it to composite: kernels, memory that is reused from frame to frame, and the
// images of the ranks of its node that lie in device memory.
//
// A rank publishes such an image as device memory that others open (node/node_image.hpp), with two events.
// The owner records `ready` on the caller's stream before the ranks meet: from there on the image may be
// read. Each reader makes its own stream wait for it, adds its copies and kernels, records `done`, and only
// then releases the image. The owner waits for the release on the host, which takes microseconds, and makes
// the caller's stream wait for the events. So nobody waits for a GPU, and no kernel waits for another rank.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/device/ipc.hpp"
#include "sortlast/device/memory.hpp"
#include "sortlast/device/module.hpp"
#include "sortlast/device/shared_event.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/device/launch.hpp"

namespace sortlast {

// How other ranks read an image in device memory: bytes that they receive as they are.
struct ExportedImage {
  device::Export colour = {};
  device::Export depth = {};
  device::IpcHandle ready = {};
  device::IpcHandle done = {};
  std::array<std::int32_t, 3> gpu = {};  // PCI domain, bus and device, which identify it on the machine
};

// Blocks of memory that are used again once nobody holds them.
class ReusedBlocks {
 public:
  explicit ReusedBlocks(std::function<Memory(std::size_t)> make) : make_(std::move(make)) {}

  // At least `bytes`, uninitialised; null for 0 bytes. Throws Error.
  Memory take(std::size_t bytes);
  // Start a frame: free the blocks that the last few frames did not need.
  void begin_frame();

 private:
  struct Block {
    Memory memory;
    std::size_t bytes;
    int unused;  // frames since it was last taken
  };

  std::function<Memory(std::size_t)> make_;
  std::vector<Block> blocks_;
};

class Gpu {
 public:
  // Waits for an event on the host. It throws after too long: on a stream may be work that waits for a rank
  // that has died, and CUDA does not say what becomes of it.
  using Wait = std::function<void(const device::Event&)>;

  // GPU `ordinal` of this process. Throws Error.
  Gpu(int ordinal, Wait wait);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  int ordinal() const { return context_.ordinal(); }
  std::string name() const { return "GPU " + std::to_string(ordinal()); }
  const std::array<std::int32_t, 3>& identity() const { return identity_; }

  // The caller's stream.
  device::Stream stream(void* handle) const { return {context_, static_cast<device::StreamHandle>(handle)}; }
  // A stream of this rank's own, for reads by the host.
  const device::Stream& own_stream() const { return own_stream_; }

  // Start a frame: free memory that the last few frames did not need.
  void begin_frame();
  // The work of a call is added to a stream between these two. It waits for the work of earlier calls on
  // other streams, because memory is used again.
  void begin_work(const device::Stream& stream);
  void end_work(const device::Stream& stream);
  // An event for this process.
  device::Event event() const { return {context_, device::Event::Use::here}; }
  // Hold memory until the stream has finished the work that was added so far.
  void keep(const device::Stream& stream, std::shared_ptr<const void> memory);
  // Wait until all that was added to the stream is complete. Throws what `wait` throws.
  void synchronize(const device::Stream& stream) const;
  // The same, for an event.
  void wait(const device::Event& event) const { wait_(event); }
  // Wait until nothing has to be held any more, and all work of this rank and on its memory is finished, for
  // at most the given number of seconds. Returns whether it is. Calls no MPI, which may have ended.
  bool finish(double seconds);
  // n uninitialised pixels in device memory that other ranks can open. They may be used again as soon as the
  // last copy is gone. Work on them that is then still under way must be on the stream of a frame, or on one
  // that the stream of the next frame waits for.
  PixelBuffer take(const Format& format, std::int64_t n);
  // The same in pinned memory of the host.
  PixelBuffer take_pinned(const Format& format, std::int64_t n);

  // Copy n pixels between any two kinds of memory.
  static void copy(const device::Stream& stream, const Format& format, ConstPixels from, Pixels to,
                   std::int64_t n);
  // Blend a chain of any length, as device_blend(). `partial`: scalar type of sums that must not be rounded.
  void blend(const device::Stream& stream, Op op, const Format& format, Scalar partial,
             std::span<const DeviceLink> chain, Pixels out, std::int64_t n,
             const DeviceBackground* background);

  // ---- Images that others read ----

  // Export an image of this process, and record that it may be read from here on. Throws ArgumentError if its
  // memory cannot be shared.
  ExportedImage publish(const ImageView& image);
  // Open the image of a rank. Throws Error.
  ConstPixels open(int rank, const ExportedImage& image, const Format& format);
  // Open its events, which may be too late once the rank has gone on. Throws Error.
  void open_events(int rank, const ExportedImage& image);
  // Work added to the stream from now on begins after a rank has recorded that its image is ready, or that it
  // has read those of others.
  void wait_until_ready(const device::Stream& stream, int rank, const ExportedImage& image);
  void wait_until_done(const device::Stream& stream, int rank, const ExportedImage& image);
  // Record that this rank has read the images of others.
  void record_done(const device::Stream& stream) { done_->record(stream); }
  // Close images that have not been used lately. No work that reads them may be under way.
  void close_unused() { opened_.close_unused(opened_images); }

 private:
  static constexpr std::size_t opened_images = 256;

  struct Kept {
    device::Event finished;
    std::shared_ptr<const void> memory;
  };
  struct OpenedEvent {
    device::IpcHandle handle;
    device::Event event;
  };

  device::FunctionHandle kernel(const std::string& name);
  const device::Event& event_of(std::pair<int, bool> whose, const device::IpcHandle& handle);

  device::Context context_;
  Wait wait_;
  device::Module module_;
  device::Stream own_stream_;
  device::SharedEvent ready_;
  device::SharedEvent done_;
  device::Event reached_;                // what synchronize() waits for
  device::Event ended_;                  // the work of the last call
  device::StreamHandle last_ = nullptr;  // its stream
  std::array<std::int32_t, 3> identity_;
  std::map<std::string, device::FunctionHandle> kernels_;
  std::vector<Kept> kept_;
  ReusedBlocks blocks_;
  ReusedBlocks pinned_;
  device::OpenedMemory opened_;
  std::map<std::pair<int, bool>, OpenedEvent> events_;  // by rank; `done` or not
};

}  // namespace sortlast
