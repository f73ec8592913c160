// An image in the memory of a GPU.
#pragma once

#include <chrono>
#include <thread>

#include "sortlast/device/memory.hpp"
#include "sortlast/image.hpp"

namespace sortlast::testing {

// An image in the memory of a GPU, which other processes can open, and a stream.
class DeviceImage {
 public:
  DeviceImage(int ordinal, const Format& format, Size extent)
      : context_(ordinal),
        stream_(context_),
        format_(format),
        size_(extent),
        buffer_(device::allocate(context_, PixelBuffer::bytes(format, extent.pixels())), format,
                extent.pixels(), MemoryKind::device) {}

  DeviceImage(const DeviceImage&) = delete;
  DeviceImage& operator=(const DeviceImage&) = delete;
  ~DeviceImage() { stream_.synchronize(); }  // others may still read it

  // Drawn by the stream, which may come to it late.
  void draw(ConstPixels pixels) { copy(pixels, buffer_.view()); }
  ImageView view() const {
    return {buffer_.view(), size_, format_, {}, MemoryKind::device, stream_.handle()};
  }
  const PixelBuffer& buffer() const { return buffer_; }

  // Whether the stream comes to its end so soon.
  bool ends_within(std::chrono::duration<double> seconds) const {
    const device::Event end(context_, device::Event::Use::here);
    end.record(stream_);
    for (const auto begin = std::chrono::steady_clock::now(); !end.done();) {
      if (std::chrono::steady_clock::now() - begin > seconds) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  // The pixels of a buffer of any kind, once the stream has finished them.
  PixelBuffer read(const PixelBuffer& from, std::int64_t n) const {
    const Memory memory(new std::byte[PixelBuffer::bytes(format_, n)], std::default_delete<std::byte[]>());
    PixelBuffer to(memory, format_, n);
    copy(from.view(), to.view(), n);
    stream_.synchronize();
    return to;
  }

 private:
  void copy(ConstPixels from, Pixels to) const { copy(from, to, size_.pixels()); }
  void copy(ConstPixels from, Pixels to, std::int64_t n) const {
    const auto count = static_cast<std::size_t>(n);
    device::copy(stream_, to.colour, from.colour, count * format_.colour_bytes());
    if (from.depth != nullptr && to.depth != nullptr)
      device::copy(stream_, to.depth, from.depth, count * sizeof(float));
  }

  device::Context context_;
  device::Stream stream_;
  Format format_;
  Size size_;
  PixelBuffer buffer_;
};

}  // namespace sortlast::testing
