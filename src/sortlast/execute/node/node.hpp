// Node: the ranks that share a machine, and the memory they make accessible to each other.
//
// Ranks of a node do not send each other their images. Each publishes the spans of its memory that hold them
// (execute/node/publishing.hpp), all meet, and then each blends its piece directly from the images of all:
// images in segments are read in place, others through the kernel, a block of a few pages at a time into a
// buffer that stays in the cache.
#pragma once

#include <algorithm>
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

// The ranks that share a machine, as determined before a Node is made.
struct Neighbours {
  int rank = 0;                     // this rank
  std::vector<std::int32_t> nodes;  // of every rank, numbered from 0 in the order of their lowest ranks
  std::vector<int> members;         // the ranks of this node including this one, ascending
  std::optional<Segment> control;   // shared by the members, holds a Control; none if there is one member
  int cores = 1;                    // of the machine, per rank that may use the same ones; at least 1
  bool crowded = false;             // more ranks than cores: a waiting rank would keep another from its core
  bool remote_reads = false;        // each rank can read the memory of the others through the kernel
};

// Watch: ends waits that last too long or that other ranks have abandoned.
class Watch {
 public:
  virtual ~Watch() = default;
  // Called about every 50 ms of a wait; ends it by throwing. `waits_for` completes "rank r waits for ..." and
  // is called only if the wait has failed.
  virtual void check(double seconds_without_progress,
                     const std::function<std::string()>& waits_for) const = 0;
};

// Another rank of the node has ended during a call. Not every rank need have noticed.
class RankEnded : public RemoteError {
 public:
  using RemoteError::RemoteError;
};

// A rank's offer to a meeting.
struct Offer {
  std::uint64_t hash = 0;         // of the call's arguments
  std::size_t frame_bytes = 0;    // of the frame that holds the results of the node's ranks; 0: none
  bool flag = false;              // for flagged()
  std::vector<std::byte> header;  // describes the contents of the spans
  std::vector<Span> spans;        // memory of this process, which must stay valid while others read it

  bool on_device() const {
    return std::any_of(spans.begin(), spans.end(), [](const Span& span) { return span.on_device; });
  }
};

// The ranks that composite a frame that does not wait for all ranks.
struct Attendance {
  std::int64_t frame = 0;  // from 1
  std::vector<int> ranks;  // that arrived, ascending
};

// How a rank joins a frame, and how long the frame then stays open.
struct Joining {
  std::int64_t last = 0;  // the last frame known to this rank
  double deadline = 0;    // after the first call of a rank of the previous frame [s]
};

class Node {
 public:
  Node(Neighbours neighbours, std::unique_ptr<const Watch> watch);
  Node(Node&&) noexcept;
  ~Node();

  const Neighbours& neighbours() const;
  // Node of every rank, numbered from 0 in the order of their lowest ranks.
  const std::vector<std::int32_t>& nodes() const { return neighbours().nodes; }
  bool everybody() const;     // whether all ranks of the communicator are on this node
  bool alone() const;         // whether no other rank is on this node
  bool mate(int rank) const;  // whether it is another rank of this node
  int size() const { return static_cast<int>(neighbours().members.size()); }
  int cores() const { return neighbours().cores; }
  bool crowded() const { return neighbours().crowded; }

  // Memory for an image, or for a plane of one, in a segment that its peers can map: `bytes` zeros (empty
  // pixels except for the depth), aligned to 64; null for 0 bytes. When pixels in it are offered, they are
  // recognised by their address. Released with the last copy. Not collective; callable from any thread.
  Memory allocate(std::size_t bytes);

  // Whether a span lies in memory that the other ranks can map.
  bool shares(const Span& span) const;
  // Whether the other ranks can read a span without a copy by this rank.
  bool readable(const Span& span) const;

  // Wait until all ranks of the node have arrived at their next meeting; returns whether all offered the same
  // hash and, those that asked for a frame, the same size of it. If so, spans can be read from then until
  // wait_until_read(), which has to be called before the next meeting if there was a frame. Throws
  // TimeoutError, which names the `call`.
  bool meet(const Offer& mine, const std::string& call);

  // ---- Frames that do not wait for all ranks (roll.hpp); all ranks of a node use these instead of meet()
  // ----

  // Offer an image to the next frame that this rank joins.
  void offer(const Offer& mine);
  // If all ranks are on this node: join the open frame and wait until it is closed. Returns the frame and the
  // number of ranks in it. Throws TimeoutError, which names the `call`.
  Roll::Count join(const Joining& joining, const std::string& call);
  // Wait until the node's ranks that take part in a frame (`ranks`: their number, including this one) have
  // offered their images to it; returns them. The images can then be read as after meet().
  std::vector<int> attend(std::int64_t frame, int ranks, const std::string& call);
  // Whether all of them offered the same hash.
  bool agree_in(const std::vector<int>& ranks) const;

  // The shared flag by which the node's ranks signal that one of them has given up. Null if there are no
  // peers.
  std::shared_ptr<std::atomic<bool>> given_up() const;
  // Whether any rank had set its flag in the last meeting.
  bool flagged() const;
  // Whether any rank offered memory of a GPU to the last meeting.
  bool on_device() const;
  // Time [s] that this rank spent in its last meeting waiting for later ranks of the node.
  double late() const;

  // The spans that a rank of this node, possibly this one, published with its offer to the last meeting;
  // empty if there is no other rank. Throws Error.
  Publication publication(int rank);
  // Address of a span of `rank` in this process, which maps it if necessary; null if it has to be read. Not
  // thread-safe. Throws Error.
  const std::byte* in_place(int rank, const SpanRecord& span);
  // Copy memory of the process of `rank`; `from` are addresses within spans that it published. Overwrites
  // `copies`. Callable from any thread. Throws Error.
  void read(int rank, std::span<RemoteCopy> copies) const;

  // Declare that this rank will not read the spans of `rank` any more in this frame. Call once per peer and
  // frame (after a meeting with frame_bytes > 0).
  void release(int rank);
  // Wait until every peer has released this rank's spans. Throws TimeoutError.
  void wait_until_read(const std::string& call);

  // Memory for the frame, the same for all ranks of the node since the last meeting that asked for it. It
  // stays theirs as long as one of them holds a copy, in any thread and even after the node is destroyed.
  // Null on all ranks if there is none: no peers, ranks that disagree, or not enough memory.
  Memory frame() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sortlast
