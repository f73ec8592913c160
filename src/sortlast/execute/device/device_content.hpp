// DeviceContent: executes one rank's program on dense pixels in the memory of a GPU.
//
// All calls only add work to the caller's stream, so that a frame within one node ends before its pixels
// exist. Each merge is one launch, which reads the images of the ranks of the node where they lie. Images of
// ranks that keep theirs in host memory are copied to the device first. Chunks of messages pass through
// pinned memory: the host waits for those it sends, while the next one is copied.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sortlast/content/content.hpp"
#include "sortlast/content/indexed_program.hpp"
#include "sortlast/content/pixels/encoding.hpp"
#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/execute/device/gpu.hpp"

namespace sortlast {

// One rank's contribution to a frame, in device memory.
struct DeviceContribution {
  ImageView image;
  std::optional<DeviceBackground> background = {};  // blended behind the result
  Pixels result = {};  // device memory for the finished pixels; colour null: anywhere
};

class DeviceContent final : public Content {
 public:
  // The program, the pool and the GPU must outlive it.
  DeviceContent(const IndexedProgram& program, Pool& pool, Gpu& gpu);

  // Start a frame. The contribution must stay valid until end_frame().
  void begin_frame(const DeviceContribution& contribution);
  // Take program.receives[receive], of which all n pixels of the peer's image can be read in device memory.
  void refer(std::size_t receive, const ImageView& image);
  const device::Stream& stream() const { return *stream_; }

  bool ready(Value value, Range pixels) const override;
  bool offer(std::size_t merge) override;
  Incoming incoming(Chunk chunk) override;
  void arrived(Chunk chunk, const Arrived& arrival) override;
  Outgoing outgoing(Chunk chunk) override;
  std::int64_t use_up(Value value, Range pixels) override;
  void release(Value value) override;
  std::optional<Work> work(const std::function<void(Value, Range)>& used_up) override;
  bool merged() const override { return merges_left_ == 0; }
  PixelBuffer take_result() override;
  void end_frame() override;

 private:
  struct State {  // of a value
    bool absent = false;
    bool referred = false;
    int uses = 0;
    ConstPixels pixels;  // from pixel 0 of the value on
    Range drawn;         // the program's pixels that may not be empty
    PixelBuffer memory;  // of the value, if it is received or merged
  };
  struct Part {  // of a received value
    PixelBuffer room;
    bool there = false;
    std::int64_t uses = 0;
  };
  struct Download {  // of a chunk to send
    std::int64_t chunk;
    PixelBuffer pixels;
    device::Event complete;
  };

  const State& state(Value value) const { return states_[static_cast<std::size_t>(value)]; }
  State& state(Value value) { return states_[static_cast<std::size_t>(value)]; }
  void refer_to(Value value, const ImageView& image);
  ConstPixels at(Value value, std::int64_t pixel) const;
  Pixels target(Value value);
  Download download_of(Chunk chunk);
  Download downloaded(Chunk chunk);
  void merge(std::size_t number);

  const IndexedProgram& index_;
  const Program& program_;
  Pool& pool_;
  Gpu& gpu_;
  const Scalar partial_;  // of sums that must not be rounded
  std::optional<device::Stream> stream_;
  const DeviceContribution* own_ = nullptr;
  std::vector<State> states_;
  std::vector<Part> parts_;
  std::vector<bool> complete_;           // of each merge
  std::vector<std::size_t> candidates_;  // merges that may be able to proceed
  std::vector<std::optional<Download>>
      downloads_;                                 // of each send: the chunk after the one that was sent last
  std::vector<std::pair<Value, Range>> arrived_;  // chunks that have just arrived on the device
  std::size_t merges_left_ = 0;
};

}  // namespace sortlast
