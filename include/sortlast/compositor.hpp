// Compositor: composites one image a rank, or several, into one image, over MPI. The public face of the
// library.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sortlast/channels.hpp"
#include "sortlast/export.hpp"
#include "sortlast/fragments.hpp"
#include "sortlast/image.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/tile.hpp"
#include "sortlast/timing.hpp"
#include "sortlast/visibility.hpp"

namespace sortlast {

namespace detail {
struct CompositorAccess;
}  // namespace detail

// What colours travel as between machines: as the image holds them, or float32 as float16, which rounds each
// by at most 2^-11 of itself a transfer.
enum class Wire : std::uint8_t { image, float16 };

// All ranks pass the same but for timeout, threads, the file of the profile, and interrupt.
struct Options {
  std::string algorithm = "auto";  // or a name of algorithms(), parameters behind it: "radix-k:4,3"
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
  // ranks.
  int threads = 0;
  Wire wire = Wire::image;  // what colours of float32 images travel as
  // The machine for which "auto" chooses (see tune.hpp): its figures, or a file of them, as `sortlast tune`
  // writes it, which rank 0 alone reads. An empty name: the file that the environment variable
  // SORTLAST_PROFILE names, or else the one that `sortlast tune --keep` has kept for this machine and MPI
  // library, or else the defaults of Machine. Nothing is measured.
  std::variant<std::string, Machine> profile = {};
  // None: every frame waits for all ranks. Otherwise late ranks are left out: a frame is composited by the
  // ranks that have arrived when its deadline is over, or when all have, and the tile names the others. A
  // rank that arrives later takes part in the next frame. The deadline is how long a frame stays open after
  // the first call of a rank that took part in the one before; where ranks are on several nodes, after the
  // call of rank 0, for which all wait [s]. At most timeout. Frames of one image per rank only.
  std::optional<double> deadline = {};
  // Called about every 50 ms of waiting; what it throws ends the call, as a timeout would: for signals, say.
  std::function<void()> interrupt = {};
};

// How the images of one frame become one.
struct Composition {
  Op op = Op::over;
  std::vector<std::int32_t> order = {};  // ranks from front to back; empty: rank order
  std::vector<float> background = {};  // empty, or one value a channel, premultiplied (0..1 for uint8 images)
  // Whether the colours of this rank's image are multiplied by its alpha. If not, they are while they are
  // read, into memory that the compositor keeps; the result is premultiplied. Ranks may differ in it.
  bool premultiplied = true;
  // The rank at which the tiles will be gathered, if that is known; -1: it is not. The same on every rank. It
  // changes no pixel, but what the tiles hold:
  //   - With several images per rank, algorithm "auto" lets that rank finish all of the frame if all images
  //     together have no more pixels than the frame and no ranks share a machine. Its tile then holds all
  //     pixels, and the others are empty.
  //   - Between nodes, if every rank's image is empty in at least half of its pixels, the image is dealt out
  //     in blocks (Tile::ranges), so that each rank has as much to do wherever the images are empty. This
  //     takes Options::check, a frame that waits for all ranks, and an image of fewer than 2^32 pixels.
  int root = -1;
  // Where late ranks are left out, instead of Options::deadline [s]. The first caller's applies, or that of
  // rank 0 where ranks are on several nodes; ranks may differ in it. Infinity: the frame waits for all, as
  // the last one should.
  std::optional<double> deadline = {};
};

// All calls are collective over the ranks of the communicator, and every rank must make the same ones. If
// their arguments differ, or one is wrong on some rank, every rank throws the same MismatchError (or
// ArgumentError) once all have arrived. The compositor stays usable if no rank had begun to exchange the
// frame, which ranks of one machine never have; otherwise the message says that it cannot be used any more.
// If a rank does not arrive within the timeout, the others throw a TimeoutError that says so, and if the call
// of a rank fails on the way (no memory, an error of MPI, an interrupt), the others throw a RemoteError with
// its cause; the compositor cannot be used after either. Messages may then be under way, so the images must
// stay where they are; a new compositor can be made on the same communicator. Pixels may have been written to
// what was passed as `out`. One call at a time: a second one, of another thread or of the interrupt
// callback, is a UsageError, and so is a call after MPI_Finalize. Two compositors on two threads are fine,
// with MPI_THREAD_MULTIPLE.
class SORTLAST_API Compositor {
 public:
  // `comm` is duplicated and may be freed at once. MPI must be initialised. Tried again after a TimeoutError,
  // it takes up the duplicate that was begun, so that the caller's own collectives on `comm` still match.
  // Errors are as above, and of each rank by itself: ArgumentError for MPI_COMM_NULL, for an
  // intercommunicator and before MPI_Init; UsageError after MPI_Finalize.
  explicit Compositor(MPI_Comm comm, const Options& options = {});
  Compositor(Compositor&&) noexcept;
  Compositor& operator=(Compositor&&) noexcept;
  ~Compositor();

  // Composite and return this rank's finished pixels. The image is only read, and free again on return.
  // `out`, on every rank or on none: memory of a whole image of the same size and format, in which the rank's
  // pixels are put where they belong; the rest is left as it is. A contiguous tile then refers to them there,
  // so who keeps the tile keeps that memory (of an image that is dealt out, the tile has a copy of its own).
  // It must not be memory of any rank's image: ArgumentError if it overlaps this rank's.
  //   Where late ranks are left out, a call is part of the frame that is open when it arrives, which need not
  // be the one after the rank's last: see Tile::frame(), and Tile::left_out() for the ranks that are not in
  // it. The result is that of the images that are; the same ranks give the same bits.
  Tile composite(const ImageView& image, const Composition& composition = {}, const PixelBuffer& out = {});

  // The same of several images a rank, in any number, none included: those of all ranks are composited front
  // to back by their positions, and those of a rank need not be neighbours. `size` is that of the frame.
  // Outside its box an image contributes nothing: min and max are those of the images that hold a pixel. For
  // closest an empty pixel may count as none, so that one at infinite depth behind it shows. A pixel that no
  // image holds is empty. `composition.order` is empty: the positions are the order. All images are of one
  // format, which ranks without any need not tell; if no rank has any, the frame is RGBA float32, with a
  // depth for closest. Errors are as above; positions that two images share are an ArgumentError that names
  // their ranks.
  //   Images far smaller than the frame cost what their boxes have. Each travels to the ranks that finish its
  // pixels; where no rank's images lie between those of another, each rank makes its own into one first, if
  // that loses nothing, and they are composited as one image a rank is.
  Tile composite(std::span<const BoxImage> images, Size size, const Composition& composition = {},
                 const PixelBuffer& out = {});

  // Composite lists of fragments (see fragments.hpp) and return this rank's finished pixels, RGBA of the
  // scalar of their colours. They are the same bits by every algorithm. Ranks without fragments pass the size
  // and the scalar alone. `out` as above.
  Tile composite_fragments(const FragmentsView& fragments, const FragmentComposition& composition = {},
                           const PixelBuffer& out = {});

  // Collect the merged lists that the tiles of one composite_fragments() keep: those of the whole image at
  // `root`, nothing elsewhere. ArgumentError: a tile without lists, and as gather().
  std::optional<Fragments> gather_fragments(const Tile& tile, int root = 0);

  // Composite images whose pixels hold further channels, which follow the operator (see channels.hpp): the
  // tile has them too. All ranks pass the same channels, whatever their order; ranks without an image pass
  // them without values. Only drawn pixels travel, as float32 where they are blended, and the result does not
  // depend on the algorithm, in no bit. The image holds fewer than 2^32 pixels.
  Tile composite(const ImageView& image, const Composition& composition, std::span<const Channel> channels,
                 const PixelBuffer& out = {});

  // `bytes` zeros, aligned to 64, in memory that the other ranks of the machine can read: images that lie
  // there are composited without a copy. Not collective. Null for 0 bytes. Throws Error where the system has
  // no shared memory of that size left.
  Memory allocate(std::size_t bytes);

  // Collect the tiles that composite() returned in one frame: the whole image at `root`, nothing elsewhere.
  // Where ranks were left out, those of the frame take part, with their last tile, and `root` is one of them.
  // `with_depth`: the depth too, if the images had it. Tiles of ranks that share the root's machine are not
  // copied: they are parts of the frame, so who writes into it changes them; nor is a tile of the root that
  // holds all of it. `out`, looked at on the root
  // alone: memory of a whole image in which the frame is put, with a copy of those tiles too; the caller
  // keeps it. It may be what this rank passed to composite(). ArgumentError: a root that is no rank, depth
  // that the images do not have, a tile that is not of this compositor, `out` without a place for the depth.
  // `with_channels`: the channels too, in memory of the frame's own.
  std::optional<Frame> gather(const Tile& tile, int root = 0, bool with_depth = false,
                              const PixelBuffer& out = {}, bool with_channels = false);

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
  // Whether further calls can be made: not once it is closed, or an error of a call has ended it, as that
  // error's message says.
  bool usable() const;

  // A compositor of the ranks that live, in the same order and with the same options: once ranks have died,
  // or a call was given up. Parameters of an algorithm that do not fit the number of ranks are left out. Then
  // this compositor can only be closed. Collective over the ranks that live, within the timeout: those in
  // another call of this compositor throw a RemoteError. It takes an MPI in which ranks outlive others (Open
  // MPI 5 by `mpiexec --with-ft ulfm`); elsewhere it is a UsageError, and this compositor is as it was. A
  // TimeoutError, if one of them does not come, is final.
  Compositor shrink();

  // Of each rank the one that it was in the communicator that the first compositor was made on, before any
  // shrink().
  std::vector<std::int32_t> ranks() const;

  // Give back everything but tiles, frames and allocated memory, as the destructor does; then every call but
  // this one is a UsageError. All ranks should; none waits for the others.
  void close();

 private:
  friend struct detail::CompositorAccess;
  class Impl;

  explicit Compositor(std::unique_ptr<Impl> impl);
  Impl& impl() const;

  std::unique_ptr<Impl> impl_;
};

// Front-to-back order of the ranks from the box that holds each rank's data (see visibility.hpp). Collective
// over `comm`, of which the first call makes a duplicate that stays with it. Throws on every rank:
// MismatchError if the viewpoints differ, else ArgumentError; TimeoutError if a rank does not come within
// `timeout` seconds.
SORTLAST_API std::vector<std::int32_t> visibility_order(MPI_Comm comm, const Box& box,
                                                        const Viewpoint& viewpoint, double timeout = 60);

// How visibility_positions() orders the boxes; the same on every rank.
struct PositionOptions {
  bool split = false;  // split boxes that overlap or cover each other in cycles; else they are an error
  // A tree whose leaves name the boxes, numbered over all ranks: rank 0's first. Empty: the order is found.
  std::span<const SplitNode> tree;
  double timeout = 60;  // the longest wait without any progress [s]
};

// What a rank renders of its boxes, and where each stands. Sorted by source, and front to back among its
// parts.
struct BoxPositions {
  std::vector<std::int64_t> positions;  // front to back over all ranks, from 0; no two are the same
  std::vector<Box> boxes;               // the box at each, or a part of one
  std::vector<std::int32_t> sources;    // index among this rank's boxes of the one that it is a part of
};

// Places of the boxes of all ranks from front to back (see visibility.hpp): any number of boxes a rank, also
// none. Without `split` box i of this rank stands at positions[i]. Ties::planes. Collective over comm: every
// rank learns all boxes and sorts them. Every rank throws the same: MismatchError if the viewpoints or
// options differ, ArgumentError as the functions of visibility.hpp do, for more than 33 million boxes, or for
// a tree beside `split`; TimeoutError if a rank does not come within the limit.
SORTLAST_API BoxPositions visibility_positions(MPI_Comm comm, std::span<const Box> boxes,
                                               const Viewpoint& viewpoint,
                                               const PositionOptions& options = {});

}  // namespace sortlast
