// Compositor: composites one image a rank into one image, over MPI. The public face of the library.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sortlast/execute/run/encoding.hpp"
#include "sortlast/image.hpp"
#include "sortlast/tile.hpp"
#include "sortlast/timing.hpp"
#include "sortlast/trace.hpp"
#include "sortlast/visibility.hpp"

namespace sortlast {

struct Options {
  std::string algorithm = "auto";  // see schedule/registry.hpp
  // The ranks in the order in which they should talk (the fabric's routing order), apart from depth order;
  // empty: rank order. Shift and direct-send follow it whatever the view.
  std::vector<std::int32_t> ring = {};
  double timeout = 60;  // longest wait without any progress [s]
  // Ranks that share a machine read each other's images where they lie. 0: those that really do; 1: none, all
  // pixels travel as messages; k: at most k of them, as if the others were on other machines.
  int node_ranks = 0;
  // Check in every call, by a small reduction, that all ranks passed the same arguments. Without it
  // ranks that disagree hang or give wrong pixels. Ranks that all share a machine check at no cost anyway.
  bool check = true;
  // Threads that blend, the caller's own among them; 0: as many as this machine has cores for each of its
  // ranks. Ranks may differ in it.
  int threads = 0;
  bool sparse = true;  // leave out empty pixels of messages where that pays; the result has the same bits
  bool half = false;   // colours of float32 images travel as float16 (2^-11 relative error a transfer)
  std::int64_t chunk_bytes = WireOptions{}.chunk_bytes;  // most that one message carries
  // How the image is shared out. Interleaved: in blocks dealt out to the ranks, so that each gets as much to
  // do wherever the images are empty; a tile then covers many ranges of the image (Tile::ranges), and does
  // not lie in the frame of its node. Automatic: so for the frames for which it is predicted to be faster,
  // which takes `check` and ranks on several machines. Never for images of 2^32 pixels or more, or of next to
  // none.
  Partition partition = Partition::contiguous;
  // File with this machine's figures, as `sortlast tune` writes it, for what is automatic; read on rank 0
  // alone. Empty: the file that the environment variable SORTLAST_PROFILE names, or else a measurement of
  // about 30 ms.
  std::string profile = {};
  // What was found wrong with this rank's arguments before they could be passed; empty: nothing. It
  // becomes every rank's error. For language bindings.
  std::string problem = {};
  // Called about every 50 ms of waiting; what it throws ends the call, as a timeout would. For language
  // bindings that must see signals.
  std::function<void()> interrupt = {};
};

// One rank's image: size.height rows of size.width pixels of `format`, premultiplied, row-major, without
// gaps. A rank without an image leaves `pixels` null and gives the size and format that the others have.
// `bounds`, if known: all pixels outside are empty (see image/active.hpp), and need not be read. Ranks may
// differ in it.
struct Image {
  ConstPixels pixels;
  Size size;
  Format format;
  std::optional<Rectangle> bounds = {};
};

// How the images of one frame become one.
struct Composition {
  Op op = Op::over;
  std::vector<std::int32_t> order = {};  // ranks from front to back; empty: rank order
  std::vector<float> background = {};  // empty, or one value a channel, premultiplied (0..1 for uint8 images)
};

// All calls are collective over the ranks of the communicator, and every rank must make the same ones. If
// their arguments differ, or one is wrong on some rank, every rank throws the same MismatchError (or
// ArgumentError) before any pixel moves, and the compositor stays usable. If a rank does not come within
// the timeout, the others throw a TimeoutError that says so; then messages may be under way, so the images
// must stay where they are and the compositor cannot be used again. Not thread safe; two compositors on
// two threads are, with MPI_THREAD_MULTIPLE.
class Compositor {
 public:
  // `comm` is duplicated (twice) and may be freed at once. MPI must be initialised.
  explicit Compositor(MPI_Comm comm, const Options& options = {});
  Compositor(Compositor&&) noexcept;
  Compositor& operator=(Compositor&&) noexcept;
  ~Compositor();

  // Composite and return this rank's finished pixels. The image is only read, and free again on return.
  Tile composite(const Image& image, const Composition& composition = {});

  // `bytes` zeros, aligned to 64, in memory that the other ranks of the machine can read: images that lie
  // there are composited without a copy. Not collective. Null for 0 bytes.
  Memory allocate(std::size_t bytes);

  // Collect the tiles that composite() returned in one frame: the whole image at `root`, nothing elsewhere.
  // `with_depth`: the depth too, if the images had it. Tiles of ranks that share the root's machine are not
  // copied: they are parts of the frame, so who writes into it changes them.
  std::optional<Frame> gather(const Tile& tile, int root = 0, bool with_depth = false);

  // Take part in the next call of the others, whichever it is, with arguments that were found wrong before
  // they could be passed: throws on every rank, with `problem` in the message. For language bindings.
  [[noreturn]] void refuse(const std::string& call, const std::string& problem);

  // Of the last composite() and, if it followed, gather().
  const Timing& timing() const;
  // Full name of the algorithm of the last composite().
  std::string algorithm() const;

  // How the last composite() went about it, and why so: some lines of text.
  std::string explain() const;

  // Record events from now on (or no longer); events() returns those since, and clear_events() drops them.
  void trace(bool on);
  const std::vector<Event>& events() const;
  void clear_events();

  int rank() const;
  int size() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Front-to-back order of the ranks from the box that holds each rank's data (see execute/visibility.hpp).
// Collective over `comm`. Throws on every rank: MismatchError if the viewpoints differ, else ArgumentError.
std::vector<std::int32_t> visibility_order(MPI_Comm comm, const Box& box, const Viewpoint& viewpoint);

}  // namespace sortlast
