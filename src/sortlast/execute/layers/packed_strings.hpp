// Packed strings: the strings of neighbouring pixels as one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sortlast/execute/layers/bytes.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// A string, the pixels to which it contributes, and what keeps its bytes, which begin at a multiple of
// `alignment`.
struct LayerString {
  static constexpr std::size_t alignment = 8;

  Range pixels;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> memory;
  bool of_mate = false;  // as LayerContent::encode_for_mates() has it
};

// Appends a message for `count` strings, which are written one after the other: begin(), then the string
// itself is appended to `out`, then end(). The message has to begin at a multiple of LayerString::alignment.
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
  std::size_t list_;       // where the next entry of the list belongs
  std::size_t begin_ = 0;  // of the string that is being written
};

// The strings of a message, the empty ones among them; `memory` keeps it. Throws Error with the reason if it
// is damaged: the strings lie inside the message, and are of pixel ranges that follow each other without
// overlap.
std::vector<LayerString> unpacked(std::span<const std::byte> message,
                                  const std::shared_ptr<const void>& memory);

}  // namespace sortlast
