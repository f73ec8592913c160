// Node: the ranks that share a machine, and what they let each other see.
//
// Ranks of a node do not send each other their images. Each publishes the spans of its memory that hold them
// (execute/node/publishing.hpp), all meet, and then each blends its piece straight from the images of all:
// those in segments where they lie, others through the kernel, a block of a few pages at a time into a buffer
// that stays in the cache.
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
#include "sortlast/execute/node/process_memory.hpp"
#include "sortlast/execute/node/publishing.hpp"
#include "sortlast/execute/node/roll.hpp"
#include "sortlast/execute/node/segment.hpp"
#include "sortlast/image.hpp"

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
  std::uint64_t hash = 0;         // of the call's arguments
  std::size_t frame_bytes = 0;    // bytes of the frame in which the node's ranks put their results; 0: none
  bool flag = false;              // for flagged()
  std::vector<std::byte> header;  // tells the others what the spans hold
  std::vector<Span> spans;        // memory of this process, which has to stay while others read it
};

// Who composites a frame that does not wait for all ranks.
struct Attendance {
  std::int64_t frame = 0;  // from 1
  std::vector<int> ranks;  // that came, ascending
};

// When a rank joins a frame, and for how long that stays open.
struct Joining {
  std::int64_t last = 0;  // the last frame that this rank knows of
  double deadline = 0;    // after the first call of a rank of the frame before [s]
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

  // Memory for an image, or for a plane of one, in a segment that its peers can map: `bytes` zeros (empty
  // pixels but for the depth), aligned to 64; null for 0 bytes. Pixels in it are recognised by their address
  // when they are offered. Given back when the last copy is gone. Not collective, and for any thread.
  Memory allocate(std::size_t bytes);

  // Whether a span lies in memory that the others can map.
  bool shares(const Span& span) const;
  // Whether others can read a span without a copy by this rank.
  bool readable(const Span& span) const;

  // Wait until all ranks of the node have come to their next meeting; returns whether all brought the same
  // hash and frame_bytes. If so, spans can be read from then on until wait_until_read(), which has to be
  // called before the next meeting if there was a frame. Throws TimeoutError, which names the `call`.
  bool meet(const Offer& mine, const std::string& call);

  // ---- Frames that do not wait for all ranks (roll.hpp); instead of meet(), by all of a node's ranks ----

  // Offer an image to the next frame that this rank joins.
  void offer(const Offer& mine);
  // All ranks are on this node: join the frame that is open and wait until it is closed. Returns the frame,
  // and by how many. Throws TimeoutError, which names the `call`.
  Roll::Count join(const Joining& joining, const std::string& call);
  // Wait until those `ranks` (how many, this one among them) of the node that are part of a frame have
  // offered their images to it; which. They can be read as after meet().
  std::vector<int> attend(std::int64_t frame, int ranks, const std::string& call);
  // Whether all of them brought the same hash.
  bool agree_in(const std::vector<int>& ranks) const;

  // What the node's ranks share to say that one of them has given up: who does so sets it. Null if there are
  // no peers.
  std::shared_ptr<std::atomic<bool>> given_up() const;
  // Whether any rank had set its flag in the last meeting.
  bool flagged() const;
  // How long [s] this rank has waited in its last meeting for ranks of the node that came later.
  double late() const;

  // What a rank of this node, this one too, published with its offer to the last meeting; nothing where no
  // other rank is. Throws Error.
  Publication publication(int rank);
  // Where a span of `rank` lies in this process, which maps it if need be; null if it has to be read. Not for
  // several threads. Throws Error.
  const std::byte* in_place(int rank, const SpanRecord& span);
  // Copy memory of the process of `rank`; `from` are addresses of spans that it published. Overwrites
  // `copies`. For any thread. Throws Error.
  void read(int rank, std::span<RemoteCopy> copies) const;

  // This rank will not read the spans of `rank` any more in this frame. Call once for each peer in each frame
  // (after a meeting with frame_bytes > 0).
  void release(int rank);
  // Wait until every peer has released this rank's spans. Throws TimeoutError.
  void wait_until_read(const std::string& call);

  // Memory for the frame, the same for all ranks of the node since the last meeting that asked for it, which
  // stays theirs for as long as one of them holds a copy, in any thread and after the node is gone; null if
  // there is none (no peers, ranks that disagree, or no memory to be had: then for all of them).
  Memory frame() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sortlast
