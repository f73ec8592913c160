// Packed strings: the strings of consecutive pixels as one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sortlast/content/content.hpp"
#include "sortlast/content/strings/bytes.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// A string, the pixels it contributes to, and the owner of its bytes, which begin at a multiple of
// `alignment`.
struct LayerString {
  static constexpr std::size_t alignment = 8;

  Range pixels;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> memory;
  bool of_mate = false;  // made by StringCodec::encode_for_mates()
};

// Appends a message of `count` strings, which are written one after another: begin(), then append the string
// itself to `out`, then end(). The message must begin at a multiple of LayerString::alignment.
class StringPacker {
 public:
  StringPacker(Bytes& out, std::size_t count);

  void begin() {
    out_.align(LayerString::alignment);
    begin_ = out_.size();
  }
  void end(Range pixels);

 private:
  Bytes& out_;
  std::size_t list_;       // position of the next list entry
  std::size_t begin_ = 0;  // of the string being written
};

// A message of strings, to be sent; `message` begins with string_head_bytes for its head.
Outgoing outgoing_strings(Bytes& message);

// The strings of a message, including empty ones; `memory` owns it. Throws Error with the reason if it is
// corrupt: the strings must lie inside the message, and have ascending, disjoint pixel ranges.
std::vector<LayerString> unpacked(std::span<const std::byte> message,
                                  const std::shared_ptr<const void>& memory);

}  // namespace sortlast
