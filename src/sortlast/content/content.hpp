// Content: one rank's contribution to a frame, and how contributions are encoded, joined and finished.
//
// A frame is content x schedule x transport. The engine (execute/engine) knows which transfers and merges a
// schedule asks for; the content knows the bytes: how a range of pixels is encoded, how contributions to the
// same pixels are joined, and how joined contributions become finished pixels. There are two kinds:
//
// - Dense pixels have a fixed size. Both ends cut a transfer into the same chunks, and receives are posted
//   ahead (pixels/pixel_content.hpp).
// - Strings vary in size. A transfer is one chunk, and its sender announces the size
//   (strings/string_content.hpp).
//
// Neither the order nor the timing of these calls changes the bits of the result.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// The part of a transfer that one message carries: of program.sends[transfer] or program.receives[transfer].
struct Chunk {
  std::size_t transfer = 0;
  std::int64_t number = 0;

  auto operator<=>(const Chunk&) const = default;
};

// Encoding of a chunk. The receiver distinguishes absent, sparse and dense by the length alone: nothing (no
// rank that it stands for had an image), packed pixels (fewer bytes than the colours of all), or all pixels.
enum class Coding : std::uint8_t { absent, sparse, dense, string };

// A chunk to be sent, as one or two planes of bytes; each plane is a message.
struct Outgoing {
  Coding coding = Coding::absent;
  std::array<std::span<const std::byte>, 2> planes = {};
  int messages = 1;
  std::size_t room = 0;       // fixed size: bytes of the receiver's buffer for the first plane
  std::byte* head = nullptr;  // string: its first string_head_bytes
  std::shared_ptr<const void> memory = nullptr;  // owner of the planes, if not the content itself
  double search = 0;                             // time of the search for active pixels [s]
};

// Buffers for a chunk of fixed size.
struct Incoming {
  std::array<std::span<std::byte>, 2> planes = {};
  int messages = 1;
};

// A chunk that has arrived.
struct Arrived {
  std::size_t bytes = 0;                         // of its first plane
  std::span<const std::byte> string = {};        // varying size: the string, without its head
  std::shared_ptr<const void> memory = nullptr;  // owner of the string
};

// Bytes left free at the front of an outgoing string for a head, which announces its size.
constexpr std::size_t string_head_bytes = 16;

class Content {
 public:
  virtual ~Content() = default;

  // Whether these pixels of a value are complete.
  virtual bool ready(Value value, Range pixels) const = 0;
  // More of an input of a merge is available. Returns whether that completes the merge without any work().
  virtual bool offer(std::size_t merge) = 0;

  // Buffers for a chunk of a receive (fixed size only), and the chunk itself once it has arrived. Throws
  // Error if it is corrupt.
  virtual Incoming incoming(Chunk chunk) = 0;
  virtual void arrived(Chunk chunk, const Arrived& arrival) = 0;
  // A chunk of a send; its pixels are ready.
  virtual Outgoing outgoing(Chunk chunk) = 0;

  // A send no longer needs some pixels of a value. Returns how many received chunks that uses up, so that as
  // many others may be received.
  virtual std::int64_t use_up(Value value, Range pixels) = 0;
  // A send no longer needs a value.
  virtual void release(Value value) = 0;

  // Join a few of the available pixels. Calls used_up(value, pixels) for the pixels it consumed. Returns
  // nullopt if there is nothing to join at the moment.
  struct Work {
    std::int64_t bytes = 0;  // bytes read
    Value value = -1;        // the value that grew; -1: none
  };
  virtual std::optional<Work> work(const std::function<void(Value, Range)>& used_up) = 0;
  // Whether all merges are complete.
  virtual bool merged() const = 0;

  // The finished pixels of this rank's piece, once everything has been merged. Call once.
  virtual PixelBuffer take_result() = 0;
  // Release all memory of the frame.
  virtual void end_frame() = 0;
};

}  // namespace sortlast
