// Compositor: composites one or more images per rank into one image over MPI. The main entry point of the
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

// Encoding of colours in messages between machines: as in the image, or float32 as float16, which adds a
// relative error of at most 2^-11 per transfer.
enum class Wire : std::uint8_t { image, float16 };

// All ranks pass the same values, except for timeout, threads, interrupt, and the file name of the profile.
struct Options {
  std::string algorithm = "auto";  // or a name from algorithms(), with parameters: "radix-k:4,3"
  // The ranks in the preferred communication order (the routing order of the fabric), independent of the
  // depth order; empty: rank order. Shift and direct-send follow it for every view.
  std::vector<std::int32_t> ring = {};
  double timeout = 60;  // longest wait without any progress [s]
  // How many ranks of a machine may read each other's images in place. 0: all ranks that share a machine; 1:
  // none, all pixels travel as messages; k: groups of at most k ranks, as if the others were on other
  // machines.
  int node_ranks = 0;
  // Check in every call, with a small reduction, that all ranks passed the same arguments. Without the check,
  // ranks that disagree deadlock or produce wrong pixels. The check is always on, at no cost, when all ranks
  // share a machine.
  bool check = true;
  // Threads that blend, including the calling thread; 0: the cores of this machine divided by its ranks.
  int threads = 0;
  Wire wire = Wire::image;  // encoding of the colours of float32 images
  // The machine for which "auto" selects an algorithm (see tune.hpp): its figures, or the name of a file
  // written by `sortlast tune`, which only rank 0 reads. An empty name selects, in this order: the file named
  // by the environment variable SORTLAST_PROFILE, the file that `sortlast tune --keep` saved for this machine
  // and MPI library, and the defaults of Machine. Nothing is measured.
  std::variant<std::string, Machine> profile = {};
  // Without a deadline, every frame waits for all ranks. With one, late ranks are left out: the frame is
  // composited from the ranks that arrived before the deadline, and its tiles name the other ranks. A rank
  // that arrives later takes part in the next frame. The deadline is the time [s] that a frame stays open
  // after the first call of a rank that took part in the previous frame. With several nodes it counts from
  // the call of rank 0, for which all ranks wait. It is at most `timeout`, and applies only to frames with
  // one image per rank.
  std::optional<double> deadline = {};
  // Called about every 50 ms while waiting. An exception that it throws ends the call like a timeout. Meant
  // for signals, for example.
  std::function<void()> interrupt = {};
};

// How the images of one frame become one.
struct Composition {
  Op op = Op::over;
  std::vector<std::int32_t> order = {};  // ranks from front to back; empty: rank order
  std::vector<float> background = {};    // empty, or one premultiplied value per channel (0..1 for uint8
                                         // images)
  // Whether the colours of this rank's image are already multiplied by alpha. Straight colours are multiplied
  // as they are read, into memory of the compositor. The result is always premultiplied. Ranks may differ.
  bool premultiplied = true;
  // The rank at which the tiles will be gathered; -1: unknown. The same on every rank. It changes
  // pixels at most by rounding, but it changes which pixels the tiles hold:
  //   - With several images per rank, the algorithm "auto" lets this rank finish the whole frame if all
  //     images together have no more pixels than the frame and no two ranks share a machine. Its tile then
  //     holds all pixels, and the other tiles are empty.
  //   - Between nodes, if no rank's image has more than 1/p active pixels, "auto" sends them all straight to
  //     this rank, whose tile is then the frame; the other tiles are empty.
  //   - Else, if at least half of the pixels of every rank's image are empty, the image is divided
  //     into interleaved blocks (Tile::ranges), which balances the work wherever the empty pixels are. This
  //     needs Options::check, a frame that waits for all ranks, and an image of fewer than 2^32 pixels.
  int root = -1;
  // Replaces Options::deadline [s] for this frame, if late ranks are left out. The value of the first caller
  // applies; with several nodes, the value of rank 0. Ranks may differ. Infinity: the frame waits for all
  // ranks, which the last frame should do.
  std::optional<double> deadline = {};
};

// All calls are collective over the ranks of the communicator, and every rank must make the same calls. If
// the arguments differ, or are wrong on some rank, every rank throws the same MismatchError or ArgumentError
// once all have arrived. The compositor remains usable unless some rank had begun to exchange the frame, in
// which case the message says so. This never happens if all ranks share a machine.
//
// If a rank does not arrive within the timeout, the other ranks throw a TimeoutError that names it. If a call
// fails on one rank (out of memory, an MPI error, an interrupt), the other ranks throw a RemoteError with its
// cause. After either error the compositor cannot be used, and messages may still be in flight, so the memory
// of the images must stay valid. A new compositor can be made on the same communicator. Pixels may already
// have been written to `out`.
//
// Only one call at a time: a second call, from another thread or from the interrupt callback, throws a
// UsageError, and so does a call after MPI_Finalize. Two threads may use two compositors under
// MPI_THREAD_MULTIPLE.
class SORTLAST_API Compositor {
 public:
  // `comm` is duplicated and may be freed at once. MPI must be initialised. A second attempt after a
  // TimeoutError continues the unfinished duplication, so that the caller's own collectives on `comm` still
  // match. Errors are as above. In addition, each rank checks by itself: ArgumentError for MPI_COMM_NULL, for
  // an intercommunicator and before MPI_Init; UsageError after MPI_Finalize.
  explicit Compositor(MPI_Comm comm, const Options& options = {});
  Compositor(Compositor&&) noexcept;
  Compositor& operator=(Compositor&&) noexcept;
  ~Compositor();

  // Composite the images and return this rank's finished pixels. The image is only read, and may be changed
  // after the call.
  //
  // `out`, passed by every rank or by none, is memory of a whole image of the same size and format. The
  // rank's pixels are written to their places in it, and the rest is left unchanged. A contiguous tile refers
  // to this memory, so it must outlive the tile; the tile of an image that is divided into blocks has its own
  // copy. `out` must not overlap any rank's image: ArgumentError if it overlaps this rank's.
  //
  // If late ranks are left out, a call joins the frame that is open when it arrives, which may be a later
  // frame than the rank's next one: see Tile::frame(), and Tile::left_out() for the missing ranks. The result
  // is the composite of the images that are in the frame; the same ranks give the same bits.
  Tile composite(const ImageView& image, const Composition& composition = {}, const PixelBuffer& out = {});

  // Composite several images per rank, or none on some ranks. The images of all ranks are joined front to
  // back by position; the positions of one rank's images need not be consecutive. `size` is the size of the
  // frame. An image contributes nothing outside its box: min and max cover the images that hold a pixel. For
  // closest, an empty pixel may count as missing, so that a pixel at infinite depth behind it shows. Pixels
  // held by no image are empty. `composition.order` must be empty, because the positions give the order. All
  // images have the same format, which ranks without images need not pass; if no rank has an image, the frame
  // is RGBA float32, with a depth for closest. Errors are as above; a position shared by two images is an
  // ArgumentError that names their ranks.
  //
  // The cost of images much smaller than the frame depends on the pixels in their boxes. Each image is sent
  // to the ranks that finish its pixels. If no rank's images lie in depth between the images of another rank,
  // each rank first merges its own images into one where this loses nothing, and the result is composited
  // like one image per rank.
  Tile composite(std::span<const BoxImage> images, Size size, const Composition& composition = {},
                 const PixelBuffer& out = {});

  // Composite lists of fragments (see fragments.hpp) and return this rank's finished pixels: RGBA with the
  // scalar type of the fragments' colours. All algorithms give the same bits. Ranks without fragments pass
  // only the size and the scalar type. `out` is as above.
  Tile composite_fragments(const FragmentsView& fragments, const FragmentComposition& composition = {},
                           const PixelBuffer& out = {});

  // Collect the merged lists that the tiles of one composite_fragments() keep: the lists of the whole image
  // at `root`, nothing elsewhere. ArgumentError: a tile without lists, and as gather().
  std::optional<Fragments> gather_fragments(const Tile& tile, int root = 0);

  // Composite images with further channels, which follow the operator (see channels.hpp); the tile holds them
  // too. All ranks pass the same channels, in any order; ranks without an image pass them without values.
  // Only drawn pixels travel, as float32 if they are blended. The bits of the result do not depend on the
  // algorithm. The image must have fewer than 2^32 pixels.
  Tile composite(const ImageView& image, const Composition& composition, std::span<const Channel> channels,
                 const PixelBuffer& out = {});

  // Allocate `bytes` zeros, aligned to 64 bytes, in memory that the other ranks of the machine can read.
  // Images in this memory are composited without a copy. Not collective. Returns null for 0 bytes. Throws
  // Error if the system has no shared memory of that size left.
  Memory allocate(std::size_t bytes);
  // The same in the memory of GPU `gpu` of this process, aligned to 256 bytes, which the other ranks of the
  // machine can open. Throws Error without a CUDA driver or such a GPU.
  Memory allocate_on_device(std::size_t bytes, int gpu = 0);

  // Collect the tiles that composite() returned in one frame: the whole image at `root`, nothing elsewhere.
  // If ranks were left out, the ranks of the frame take part with their last tile, and `root` must be one of
  // them. `with_depth` collects the depth too, if the images had one; `with_channels` collects the channels,
  // in memory owned by the frame.
  //
  // Tiles of ranks on the root's machine are not copied, nor is a tile of the root that holds the whole
  // frame. They are parts of the frame: writing to the frame changes them.
  //
  // `out`, read only on the root, is memory of a whole image to which the frame is written, including a copy
  // of these tiles. The caller keeps it alive. It may be the memory that this rank passed to composite().
  // ArgumentError: an invalid root, a depth that the images do not have, a tile of another compositor, `out`
  // without memory for the depth.
  std::optional<Frame> gather(const Tile& tile, int root = 0, bool with_depth = false,
                              const PixelBuffer& out = {}, bool with_channels = false);

  // Times of the last composite() and, if it followed, of gather().
  const Timing& timing() const;
  // Full name of the algorithm of the last composite().
  std::string algorithm() const;

  // How and why the last composite() chose its method: a few lines of text.
  std::string explain() const;

  // Start or stop recording events. events() returns those recorded since the start; clear_events() drops
  // them.
  void trace(bool on);
  const std::vector<Event>& events() const;
  void clear_events();

  int rank() const;
  int size() const;
  // Whether further calls can be made: false after close(), and after an error whose message says so.
  bool usable() const;

  // Make a compositor of the surviving ranks, in the same order and with the same options, after ranks have
  // died or a call has failed. Algorithm parameters that do not fit the number of ranks are dropped. This
  // compositor can then only be closed. Collective over the surviving ranks, within the timeout; ranks in
  // another call of this compositor throw a RemoteError. This needs an MPI in which ranks survive the death
  // of others (Open MPI 5 started with `mpiexec --with-ft ulfm`); with any other MPI it throws a UsageError,
  // and this compositor is unchanged. A TimeoutError, thrown if a survivor does not arrive, is final.
  Compositor shrink();

  // For each rank, its rank in the communicator of the first compositor, before any shrink().
  std::vector<std::int32_t> ranks() const;

  // Release everything but tiles, frames and allocated memory, as the destructor does. Every later call
  // except close() throws a UsageError. All ranks should close; none waits for the others.
  void close();

 private:
  friend struct detail::CompositorAccess;
  class Impl;

  explicit Compositor(std::unique_ptr<Impl> impl);
  Impl& impl() const;

  std::unique_ptr<Impl> impl_;
};

// Front-to-back order of the ranks, from the box that holds each rank's data (see visibility.hpp). Collective
// over `comm`; the first call makes a duplicate that stays attached to it. Throws on every rank:
// MismatchError if the viewpoints differ, otherwise ArgumentError; TimeoutError if a rank does not arrive
// within `timeout` seconds.
SORTLAST_API std::vector<std::int32_t> visibility_order(MPI_Comm comm, const Box& box,
                                                        const Viewpoint& viewpoint, double timeout = 60);

// How visibility_positions() orders the boxes; the same on every rank.
struct PositionOptions {
  bool split = false;  // split boxes that overlap or cover each other in cycles; if false, they are an error
  // A tree with the boxes at its leaves, numbered over all ranks starting with rank 0. Empty: the order is
  // searched for.
  std::span<const SplitNode> tree;
  double timeout = 60;  // the longest wait without any progress [s]
};

// The boxes or parts of boxes that a rank renders, and their positions. Sorted by source; the parts of a
// source are front to back.
struct BoxPositions {
  std::vector<std::int64_t> positions;  // front to back over all ranks, from 0, unique
  std::vector<Box> boxes;               // a box or a part of one, by position
  std::vector<std::int32_t> sources;    // index, among this rank's boxes, of the box that it is a part of
};

// Front-to-back positions of the boxes of all ranks (see visibility.hpp), with any number of boxes per rank,
// including none. Without `split`, positions[i] belongs to box i of this rank. Uses Ties::planes. Collective
// over `comm`: every rank receives all boxes and sorts them. Every rank throws the same error: MismatchError
// if the viewpoints or options differ, ArgumentError as in visibility.hpp, for more than 33 million boxes, or
// for a tree combined with `split`; TimeoutError if a rank does not arrive in time.
SORTLAST_API BoxPositions visibility_positions(MPI_Comm comm, std::span<const Box> boxes,
                                               const Viewpoint& viewpoint,
                                               const PositionOptions& options = {});

}  // namespace sortlast
