// Node: the ranks that share a machine, and what they let each other see.
//
// Ranks of a node do not send each other their images. Each offers its image, all meet, and then each blends
// its piece straight from the images of all: those in segments (execute/node/segment.hpp) where they lie,
// others through the kernel (process_vm_readv), a block of a few pages at a time into a buffer that stays in
// the cache. Where the kernel forbids that, the owner copies its image into a segment of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sortlast/execute/mpi/alarm.hpp"
#include "sortlast/execute/node/segment.hpp"
#include "sortlast/execute/run/pool.hpp"
#include "sortlast/tile.hpp"
#include "sortlast/image/active.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// What a rank brings to a meeting.
struct Offer {
  std::uint64_t hash = 0;  // of the call's arguments
  ConstPixels pixels;      // its image, in any memory of this process; null: none
  std::int64_t count = 0;  // pixels of it
  Format format;
  std::int64_t box[4] = {};  // pixel rectangle x0, y0, x1, y1 (half open) outside which its pixels are empty
  bool boxed = false;
  std::size_t frame_bytes = 0;  // bytes of the frame in which the node's ranks put their results; 0: none
  std::int64_t width = 0;  // pixels a row, so that no more than the box's rows need a copy; 0: not in rows
};

class Node {
 public:
  // Collective. `ranks`: 0: the ranks that really share this machine; 1: each by itself; k: at most k of
  // those, counted in rank order, as if they were on different machines. Ranks that cannot map each other's
  // segments are not put together.
  Node(const Communicator& all, const Alarm& alarm, int ranks);
  ~Node();

  // Node of every rank, numbered from 0 in the order of their lowest ranks.
  const std::vector<std::int32_t>& nodes() const;
  bool everybody() const;     // all ranks of the communicator are on this node
  bool alone() const;         // no other rank is
  bool mate(int rank) const;  // another rank of this node
  int size() const;
  int cores() const;  // of the machine, for each rank that may use the same ones; at least 1

  // Memory for an image, or for a plane of one, in a segment that the mates can map: `bytes` zeros (empty
  // pixels but for the depth), aligned to 64; null for 0 bytes. Pixels in it are recognised by their address
  // when they are offered. Given back when the last copy is gone. Not collective, and for any thread.
  Memory allocate(std::size_t bytes);

  // Whether an image lies in memory of allocate().
  bool holds(ConstPixels pixels, const Format& format, std::int64_t count) const;

  // Wait until all ranks of the node have come to their next meeting; returns whether all brought the same
  // hash and frame_bytes. If so, offers can be read from then on until wait_until_read(), which has to be
  // called before the next meeting if there was a frame. Throws TimeoutError, which names the `call`.
  bool meet(const Offer& mine, const std::string& call);
  // How long [s] this rank has waited in its last meeting for ranks of the node that came later.
  double late() const;

  // The image of a rank of this node as it was offered, if it lies where this process can read it.
  struct Image {
    bool present = false;
    bool direct = false;  // `pixels` can be read here; else use pull()
    ConstPixels pixels;
    bool boxed = false;
    std::int64_t box[4] = {};
  };
  Image image(int rank);
  // Copy runs of pixels of the image of `rank` (not direct), counted from its pixel `origin`, to where each
  // is stored in `to`. Throws Error.
  void pull(int rank, std::int64_t origin, std::span<const ActiveRun> runs, Pixels to);

  // This rank will not read the image of `rank` any more in this frame. Call once for each mate in each frame
  // (after a meeting with frame_bytes > 0).
  void release(int rank);
  // Wait until every mate has released this rank's image. Throws TimeoutError.
  void wait_until_read(const std::string& call);

  // Memory for the frame, the same for all ranks of the node since the last meeting that asked for it, which
  // stays theirs for as long as one of them holds a copy, in any thread and after the node is gone; null if
  // there is none (no mates, ranks that disagree, or no memory to be had: then for all of them).
  Memory frame() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sortlast
