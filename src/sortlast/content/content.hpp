// Content: what one rank contributes to a frame, and what becomes of it and of what others contribute.
//
// A frame is content x schedule x transport. The engine (execute/engine) knows which transfers and merges a
// schedule asks for; the content knows the bytes: how a range of pixels is encoded, how contributions to the
// same pixels join, and how joined ones become finished pixels. There are two kinds:
//
// - Dense pixels have a fixed size. Both ends cut a transfer into the same chunks, and receives are posted
//   ahead (run/pixel_content.hpp).
// - Strings vary in size. A transfer is one chunk, whose size its sender announces
// (layers/string_content.hpp).
//
// Neither the order nor the moment of these calls changes the bits of the result.
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

// The part of a transfer that travels at once: of program.sends[transfer] or program.receives[transfer].
struct Chunk {
  std::size_t transfer = 0;
  std::int64_t number = 0;

  auto operator<=>(const Chunk&) const = default;
};

// What a chunk holds. The receiver tells absent, sparse and dense apart by the length alone: nothing (no rank
// that it stands for had an image), packed pixels (fewer bytes than the colours of all), or all pixels.
enum class Coding : std::uint8_t { absent, sparse, dense, string };

// A chunk to be sent, as one or two planes of bytes, each of which is a message.
struct Outgoing {
  Coding coding = Coding::absent;
  std::array<std::span<const std::byte>, 2> planes = {};
  int messages = 1;
  std::size_t room = 0;                          // bytes that the receiver of a fixed size has for the first
  std::byte* head = nullptr;                     // of a string: its first string_head_bytes
  std::shared_ptr<const void> memory = nullptr;  // keeps the planes, if they are not the content's
  double search = 0;                             // time that the search for active pixels took [s]
};

// Room for a chunk of fixed size.
struct Incoming {
  std::array<std::span<std::byte>, 2> planes = {};
  int messages = 1;
};

// A chunk that is there.
struct Arrived {
  std::size_t bytes = 0;                         // of its first plane
  std::span<const std::byte> string = {};        // varying size: the string, without its head
  std::shared_ptr<const void> memory = nullptr;  // keeps it
};

// Bytes at the front of an outgoing string that are left free for a head, which announces its size.
constexpr std::size_t string_head_bytes = 16;

class Content {
 public:
  virtual ~Content() = default;

  // Whether these pixels of a value are complete.
  virtual bool ready(Value value, Range pixels) const = 0;
  // More of an input of a merge is there. Returns whether that completes the merge without any work().
  virtual bool offer(std::size_t merge) = 0;

  // Room for a chunk of a receive, of fixed size alone; and the chunk, once it is there. Throws Error if it
  // is damaged.
  virtual Incoming incoming(Chunk chunk) = 0;
  virtual void arrived(Chunk chunk, const Arrived& arrival) = 0;
  // A chunk of a send, whose pixels are ready.
  virtual Outgoing outgoing(Chunk chunk) = 0;

  // A send is done with some pixels of a value. Returns how many received chunks are used up by that, so that
  // as many others may be received.
  virtual std::int64_t use_up(Value value, Range pixels) = 0;
  // A send is done with a value.
  virtual void release(Value value) = 0;

  // Join a little of what is there. Calls used_up(value, pixels) for what it took. Nothing: there is nothing
  // to join now.
  struct Work {
    std::int64_t bytes = 0;  // that were read
    Value value = -1;        // of which more is there; none: -1
  };
  virtual std::optional<Work> work(const std::function<void(Value, Range)>& used_up) = 0;
  // Whether all merges are complete.
  virtual bool merged() const = 0;

  // The finished pixels of this rank's piece, once all is there. Call once.
  virtual PixelBuffer take_result() = 0;
  // Release all memory of the frame.
  virtual void end_frame() = 0;
};

}  // namespace sortlast
