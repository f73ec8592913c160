// Access for the interfaces to other languages. They find errors in arguments that could not be passed to
// C++; every rank must learn of these, so that none waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/execute/plan/choice.hpp"

namespace sortlast {
struct BoxCall;
struct LayerCall;
struct LayerString;
}  // namespace sortlast

namespace sortlast {

// Settings for tests only; no pixel depends on them. The same on every rank, except for `sparse`.
struct Internals {
  std::int64_t chunk_bytes = 1 << 20;  // maximum of pixels in one message: 4096 to 2^30
  bool sparse = true;                  // leave out empty pixels of messages where that pays
  FrameLayout layout = FrameLayout::automatic;
};

}  // namespace sortlast

namespace sortlast::detail {

struct CompositorAccess {
  // A compositor, or the same error on every rank. `problem`: an error in this rank's arguments that is not
  // visible in `options`; empty: none.
  static Compositor make(MPI_Comm comm, const Options& options, const std::string& problem,
                         const Internals& internals = {});

  // Take part in the next call of the other ranks, whichever it is, with arguments found to be wrong before
  // they could be passed: throws on every rank, with `problem` in the message.
  [[noreturn]] static void refuse(Compositor& compositor, const std::string& call,
                                  const std::string& problem);

  // Like Compositor::composite(), with the background of Op::closest at a depth nearer than +infinity: it
  // shows where no image has a smaller depth. The same on every rank.
  static Tile composite(Compositor& compositor, const ImageView& image, const Composition& composition,
                        const PixelBuffer& out, float background_depth);

  // Like Compositor::composite() of several images per rank, with the arguments of other languages
  // (box_frames.hpp).
  static Tile composite_boxes(Compositor& compositor, const BoxCall& call);

  // Composite a content of varying size of each rank (layer_frames.hpp), with the errors of
  // Compositor::composite(). The tile can be gathered like any other. If the content keeps joined strings,
  // gather_layers() collects them: at the root, the strings of all tiles, pixel by pixel in the order of
  // ranks; nothing elsewhere. `problem`: an error in this rank's arguments other than the tile and the root.
  static Tile composite_layers(Compositor& compositor, const LayerCall& call, const PixelBuffer& out);
  static std::optional<std::vector<LayerString>> gather_layers(Compositor& compositor, const Tile& tile,
                                                               int root, const std::string& problem);

  // Check that all ranks passed the same values by the same names, and that none has a problem; otherwise
  // every rank throws the same MismatchError or ArgumentError, and the compositor stays usable. Returns
  // whether any rank has set its flag. Collective.
  static bool agree(Compositor& compositor, const std::string& call,
                    const std::vector<std::pair<std::string, std::string>>& named, const std::string& problem,
                    bool flag = false);

  // Collectives of a call, with the compositor's timeout. all_gather: the bytes of every rank, the same
  // number on each, rank by rank. gather_bytes: the bytes of every rank, any number of each, at rank 0 only.
  // ArgumentError, on every rank, for more than 2 GiB at rank 0.
  static std::vector<std::byte> all_gather(Compositor& compositor, const std::string& call,
                                           std::span<const std::byte> mine);
  static std::vector<std::byte> gather_bytes(Compositor& compositor, const std::string& call,
                                             std::span<const std::byte> mine);

  // For `seconds`, watch whether another rank has given up, and throw as a wait would: for a rank that may
  // have arrived too late for others and need not wait for them any more. Not collective.
  static void listen(Compositor& compositor, double seconds);

  // A copy of a communicator, on which all ranks have met; the caller frees it. Collective. Throws like a
  // Compositor's constructor if not all ranks arrive within `timeout` seconds; it may then be tried again.
  static MPI_Comm duplicate(MPI_Comm comm, double timeout, const char* call);

  // Like Compositor::gather(), for several images at once, each at a different root. Returns the image of
  // which this rank is the root.
  static std::optional<Frame> gather(Compositor& compositor, const std::vector<Tile>& tiles,
                                     const std::vector<int>& roots, bool with_depth);

  // From now on, composite by another algorithm than in Options, which was "auto". Every rank passes the
  // same; throws ArgumentError, on every rank, if there is no such algorithm.
  static void use(Compositor& compositor, const std::string& algorithm);

  // Hold the memory of an image on a GPU until its last composite() has been finished there.
  static void keep(Compositor& compositor, const ImageView& image, std::shared_ptr<const void> memory);

  // Set this rank's timeout for all further calls [s].
  static void set_timeout(Compositor& compositor, double seconds);

  // Whether all ranks share one machine and read each other's images in place.
  static bool on_one_machine(const Compositor& compositor);

  // Like visibility_order(). Every rank learns of invalid arguments on any rank; `interrupt` (may be empty)
  // is called as described in Options.
  static std::vector<std::int32_t> visibility_order(MPI_Comm comm, const Box& box, const Viewpoint& viewpoint,
                                                    double timeout, const std::string& problem,
                                                    const std::function<void()>& interrupt);

  // Like visibility_positions(), with the same two additions.
  static BoxPositions visibility_positions(MPI_Comm comm, std::span<const Box> boxes,
                                           const Viewpoint& viewpoint, const PositionOptions& options,
                                           const std::string& problem,
                                           const std::function<void()>& interrupt);

  // Notify the others that this rank's call has failed before it could be passed on, and why ("out of
  // memory"): they throw a RemoteError at once. The compositor cannot be used any more. Not while a call is
  // under way.
  static void give_up(Compositor& compositor, const std::string& cause) noexcept;
};

}  // namespace sortlast::detail
