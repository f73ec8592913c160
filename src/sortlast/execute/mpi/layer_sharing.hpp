// Layer sharing: strings that ranks of a node read from each other where they lie.
//
// Each rank writes all that it spares its mates as messages, one behind the other, into memory that they can
// map, which it keeps from frame to frame. Then the ranks of the node meet, and each reads what is for it.
// Where there is no shared memory to be had, the strings are copied through the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "sortlast/execute/layers/bytes.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/run/pool.hpp"

namespace sortlast {

class LayerSharing {
 public:
  LayerSharing(Node& node, Pool& pool);

  // Start a frame with `count` strings for mates: nobody reads those of the last frame any more.
  void begin(std::size_t count);
  // Append the `number`-th string of this rank for a mate, which `write` appends.
  void add(int mate, std::uint32_t number, const std::function<void(Bytes&)>& write);

  // Collective over the node: let the mates read. `frame_bytes`, at least one: see Offer. Throws
  // TimeoutError.
  void meet(std::size_t frame_bytes);

  // A string of a mate for this rank. It can be read until end().
  struct String {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> memory;
    bool direct = false;  // where it lies, not copied
  };
  // Throws Error if the mate has none of that number for this rank.
  String find(int mate, std::uint32_t number);

  // This rank needs no more of what mates have; wait until it is so for all of them. Throws TimeoutError.
  void end();

  // Memory that is kept for the strings [bytes].
  std::size_t bytes() const { return strings_.capacity(); }

 private:
  Memory take(std::size_t bytes);

  Node& node_;
  Pool& pool_;
  int rank_;
  Bytes strings_;  // a list of them, then the strings
  std::size_t listed_ = 0;
};

}  // namespace sortlast
