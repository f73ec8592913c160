// Layer sharing: strings that ranks of a node read from each other where they lie.
//
// Each rank writes the strings for its peers one behind the other into memory that they can map, which it
// keeps from frame to frame. Then the ranks of the node meet, and each reads the strings that are for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sortlast/execute/layers/bytes.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/run/pool.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

class LayerSharing {
 public:
  LayerSharing(Node& node, Pool& pool);

  // Start a frame with `count` strings for peers: nobody reads the strings of the last frame any more.
  void begin(std::size_t count);
  // Append the `number`-th string of this rank for a peer, which `write` appends.
  void add(int peer, std::uint32_t number, const std::function<void(Bytes&)>& write);

  // Collective over the node: let the peers read. `frame_bytes`, at least one: see Offer. Throws
  // TimeoutError.
  void meet(std::size_t frame_bytes);

  // A string of a peer for this rank. It can be read until end().
  struct String {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> memory;
    bool direct = false;  // where it lies, not copied
  };
  // Throws Error if the peer has none of that number for this rank.
  String find(int peer, std::uint32_t number);

  // This rank needs no more strings of its peers; wait until they need no more of its own. Throws
  // TimeoutError.
  void end();

  // Memory that is kept for the strings [bytes].
  std::size_t bytes() const { return strings_.capacity(); }

 private:
  // For whom a string is, and which it is.
  struct Label {
    std::int32_t peer = 0;
    std::uint32_t number = 0;
  };
  Memory take(std::size_t bytes);

  Node& node_;
  Pool& pool_;
  Bytes strings_;
  std::vector<Label> labels_;
  std::vector<Range> ranges_;  // of each string among the bytes of all
};

}  // namespace sortlast
