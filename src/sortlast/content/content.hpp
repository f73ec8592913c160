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
// A content says nothing about what a pixel is: it is one of the n elements that a schedule divides. Only
// take_result() returns images, and a content without images returns an empty buffer there. A content has its
// own function that starts a frame, which the executor calls before Engine::begin_frame(), and its own
// function that takes a value in place if the program spares the receive (IndexedTransfer::spared). Such a
// value is part of the peer's value 0; with a fixed size, the memory passed is that of all n pixels.
//
// Neither the order nor the timing of these calls changes the bits of the result. The engine passes no empty
// ranges.
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

// Encoding of a chunk. Chunks of fixed size are absent, sparse or dense, which only the counts of
// Compositor::explain() distinguish; others are strings. The receiver of dense pixels distinguishes them by
// the length alone: nothing (no rank that it stands for had an image), packed pixels (fewer bytes than the
// colours of all), or all pixels.
enum class Coding : std::uint8_t { absent, sparse, dense, string };

// A chunk to be sent, as one or two planes of bytes; each plane is a message. The bytes must stay unchanged
// until Engine::sent(), which calls use_up() with the chunk's pixels.
struct Outgoing {
  Coding coding = Coding::absent;
  std::array<std::span<const std::byte>, 2> planes = {};
  int messages = 1;
  std::size_t room = 0;       // fixed size: bytes of the first plane of the receiver's incoming()
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

  // Whether these pixels of a value are complete. Value 0 always is; any other is received, taken in place,
  // or written by merges.
  virtual bool ready(Value value, Range pixels) const = 0;
  // More of an input of program.merges[merge] is available; also called if the merge is complete already.
  // Returns whether that completes the merge without any work(): the sends and merges that need its value are
  // then offered, as they are after work() has returned the value.
  virtual bool offer(std::size_t merge) = 0;

  // Buffers for a chunk of a receive (fixed size only), and the chunk itself once it has arrived. Throws
  // Error if it is corrupt.
  virtual Incoming incoming(Chunk chunk) = 0;
  virtual void arrived(Chunk chunk, const Arrived& arrival) = 0;
  // A chunk of a send; its pixels are ready.
  virtual Outgoing outgoing(Chunk chunk) = 0;

  // A send or, after used_up() in work(), a merge no longer needs some pixels of a value. Returns how many
  // received chunks of the value no other send or merge needs (IndexedProgram::part_uses): as many others may
  // then be received. No more than a window of chunks is received until some are used up, so a content of
  // fixed size that always returns 0 causes a deadlock. Strings have one chunk, and return 0.
  virtual std::int64_t use_up(Value value, Range pixels) = 0;
  // A send has sent all its chunks of a value; called once per send. A merge that no longer needs a value
  // does not cause a call.
  virtual void release(Value value) = 0;

  // Join a few of the available pixels. Calls used_up(value, pixels) for the pixels of each input that it
  // consumed, on which the engine calls use_up(). Returns nullopt if there is nothing to join at the moment.
  //
  // A merge must proceed chunk by chunk. It may join its inputs in their order, beginning once the first two
  // have begun to arrive, but must not wait for all of them: later inputs may belong to a stage that opens
  // only when all chunks of the first ones have been received.
  struct Work {
    std::int64_t bytes = 0;  // bytes read, for the timing
    Value value = -1;        // a value of which more is complete than before; -1: none
  };
  virtual std::optional<Work> work(const std::function<void(Value, Range)>& used_up) = 0;
  // Whether all merges are complete.
  virtual bool merged() const = 0;

  // The finished pixels of this rank's piece, once everything has been merged; empty if the program has no
  // result. Call once.
  virtual PixelBuffer take_result() = 0;
  // Release all memory of the frame.
  virtual void end_frame() = 0;
};

}  // namespace sortlast
