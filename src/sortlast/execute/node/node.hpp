// Node: the ranks that share a machine, and what they let each other see.
//
// Ranks of a node do not send each other their images. Each offers its image, all meet, and then each blends
// its piece straight from the images of all: those in segments (execute/node/segment.hpp) where they lie,
// others through the kernel (process_vm_readv), a block of a few pages at a time into a buffer that stays in
// the cache. Where the kernel forbids that, the owner copies its image into a segment of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/roll.hpp"
#include "sortlast/execute/node/segment.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/active.hpp"

namespace sortlast {

// Who shares a machine, as it was found out before there is a node.
struct Neighbours {
  int rank = 0;                     // this one
  std::vector<std::int32_t> nodes;  // of every rank, numbered from 0 in the order of their lowest ranks
  std::vector<int> members;         // the ranks of this node, this one among them, ascending
  std::optional<Segment> control;   // theirs, with a Control in it; none if there is one member
  int cores = 1;                    // of the machine, for each rank that may use the same ones; at least 1
  bool crowded = false;             // more ranks than cores: a rank that waits keeps another from its core
  bool remote_reads = false;        // each can read the memory of the others through the kernel
};

struct RemoteSpan;  // process_memory.hpp
struct Place;       // shared_images.hpp

// Watch: who ends a wait that has lasted too long, or that others have given up.
class Watch {
 public:
  virtual ~Watch() = default;
  // Asked about every 50 ms of a wait; ends it by throwing. `waits_for` completes "rank r waits for ..." and
  // is called only if the wait has failed.
  virtual void check(double seconds_without_progress,
                     const std::function<std::string()>& waits_for) const = 0;
};

// Another rank of the node has ended in the middle of a call, which not every rank need have noticed.
class RankEnded : public RemoteError {
 public:
  using RemoteError::RemoteError;
};

// What a rank brings to a meeting.
struct Offer {
  std::uint64_t hash = 0;       // of the call's arguments
  ImageView image;              // in any memory of this process; or none
  std::size_t frame_bytes = 0;  // bytes of the frame in which the node's ranks put their results; 0: none
  bool flag = false;            // for flagged()
};

// Who composites a frame that does not wait for all ranks.
struct Attendance {
  std::int64_t frame = 0;  // from 1
  std::vector<int> ranks;  // that came, ascending
};

// When a rank joins a frame, and for how long that stays open.
struct Joining {
  std::int64_t last = 0;   // the last frame that this rank knows of
  bool only_next = false;  // join the one behind it or none
  double deadline = 0;     // after the first call of a rank of the frame before [s]
};

class Node {
 public:
  Node(Neighbours neighbours, std::unique_ptr<const Watch> watch);
  Node(Node&&) noexcept;
  ~Node();

  const Neighbours& neighbours() const;
  // Node of every rank, numbered from 0 in the order of their lowest ranks.
  const std::vector<std::int32_t>& nodes() const { return neighbours().nodes; }
  bool everybody() const;     // all ranks of the communicator are on this node
  bool alone() const;         // no other rank is
  bool mate(int rank) const;  // another rank of this node
  int size() const { return static_cast<int>(neighbours().members.size()); }
  int cores() const { return neighbours().cores; }
  bool crowded() const { return neighbours().crowded; }

  // Memory for an image, or for a plane of one, in a segment that the mates can map: `bytes` zeros (empty
  // pixels but for the depth), aligned to 64; null for 0 bytes. Pixels in it are recognised by their address
  // when they are offered. Given back when the last copy is gone. Not collective, and for any thread.
  Memory allocate(std::size_t bytes);

  // Whether the mates can read an image where it lies, as all of it is in memory of the two.
  bool holds(const ImageView& image) const;

  // Wait until all ranks of the node have come to their next meeting; returns whether all brought the same
  // hash and frame_bytes. If so, offers can be read from then on until wait_until_read(), which has to be
  // called before the next meeting if there was a frame. Throws TimeoutError, which names the `call`.
  bool meet(const Offer& mine, const std::string& call);

  // ---- Frames that do not wait for all ranks (roll.hpp); instead of meet(), by all of a node's ranks ----

  // Offer an image to the next frame that this rank joins.
  void offer(const Offer& mine);
  // All ranks are on this node: join the frame that is open and wait until it is closed. Returns the frame,
  // and by how many; by none if this rank came too late for the only one that it would join. Throws
  // TimeoutError, which names the `call`.
  Roll::Count join(const Joining& joining, const std::string& call);
  // Wait until those `ranks` (how many, this one among them) of the node that are part of a frame have
  // offered their images to it; which. They can be read as after meet().
  std::vector<int> attend(std::int64_t frame, int ranks, const std::string& call);
  // Whether all of them brought the same hash.
  bool agree_in(const std::vector<int>& ranks) const;

  // What the node's ranks share to say that one of them has given up: who does so sets it. Null if there are
  // no mates.
  std::shared_ptr<std::atomic<bool>> given_up() const;
  // Whether any rank had set its flag in the last meeting.
  bool flagged() const;
  // How long [s] this rank has waited in its last meeting for ranks of the node that came later.
  double late() const;

  // The image of a rank of this node as it was offered.
  struct Image {
    ImageView view;       // none, if it brought none
    bool direct = false;  // view.pixels can be read here; else they are addresses of its process, use pull()
  };
  Image image(int rank);
  // Copy runs of pixels of the image of `rank` (not direct), counted from its pixel `origin`, to where each
  // is stored in `to`. Throws Error.
  void pull(int rank, std::int64_t origin, std::span<const ActiveRun> runs, Pixels to);

  // Copy memory of the process of `rank`, which must have offered it; uses `spans` up. For any thread. Throws
  // Error.
  void read(int rank, std::span<RemoteSpan> spans) const;

  // The place in a segment of memory of this process that the mates may read besides its image, once they
  // have met after this call; none if it is in no segment.
  Place place_of(const void* data, std::size_t bytes) const;
  // Where such memory of `rank` lies in this process; null if it cannot be had. Not for several threads.
  const std::byte* mapped(int rank, const Place& place);

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
