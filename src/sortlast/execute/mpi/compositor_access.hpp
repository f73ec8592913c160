// For the interfaces to other languages, which find faults that C++ could not pass on: every rank has to hear
// of them, so that none waits.
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

// What tests set, and nobody else: no pixel depends on it. The same on every rank but for `sparse`.
struct Internals {
  std::int64_t chunk_bytes = 1 << 20;  // of pixels, that one message carries at most: 4096 to 2^30
  bool sparse = true;                  // leave out empty pixels of messages where that pays
  FrameLayout layout = FrameLayout::automatic;
};

}  // namespace sortlast

namespace sortlast::detail {

struct CompositorAccess {
  // A compositor, or the same error on every rank. `problem`: what is wrong with this rank's arguments beyond
  // what `options` shows; empty: nothing.
  static Compositor make(MPI_Comm comm, const Options& options, const std::string& problem,
                         const Internals& internals = {});

  // Take part in the next call of the others, whichever it is, with arguments that were found wrong before
  // they could be passed: throws on every rank, with `problem` in the message.
  [[noreturn]] static void refuse(Compositor& compositor, const std::string& call,
                                  const std::string& problem);

  // As Compositor::composite(), with the background of Op::closest at a depth nearer than +infinity: it shows
  // where no image has a depth below that. The same on every rank.
  static Tile composite(Compositor& compositor, const ImageView& image, const Composition& composition,
                        const PixelBuffer& out, float background_depth);

  // As Compositor::composite() of several images a rank, with what other languages find (box_frames.hpp).
  static Tile composite_boxes(Compositor& compositor, const BoxCall& call);

  // Composite a content of varying size of each rank (layer_frames.hpp), with the errors of
  // Compositor::composite(). The tile can be gathered as any other; where the content keeps joined strings,
  // gather_layers() collects those, too: at the root all tiles' pixel by pixel in the order of ranks, nothing
  // elsewhere. `problem`: what is wrong with this rank's arguments beyond the tile and the root.
  static Tile composite_layers(Compositor& compositor, const LayerCall& call, const PixelBuffer& out);
  static std::optional<std::vector<LayerString>> gather_layers(Compositor& compositor, const Tile& tile,
                                                               int root, const std::string& problem);

  // Check that all ranks brought the same values by the same names, and none a problem; else every rank
  // throws the same MismatchError or ArgumentError, and the compositor stays usable. Returns whether any rank
  // has set its flag. Collective.
  static bool agree(Compositor& compositor, const std::string& call,
                    const std::vector<std::pair<std::string, std::string>>& named, const std::string& problem,
                    bool flag = false);

  // Collectives of a call, with the compositor's limit of waits. The bytes of every rank, as many of each,
  // rank by rank; or those of every rank, any number of each, at rank 0 alone. ArgumentError, on every rank,
  // for more than 2 GiB at rank 0.
  static std::vector<std::byte> all_gather(Compositor& compositor, const std::string& call,
                                           std::span<const std::byte> mine);
  static std::vector<std::byte> gather_bytes(Compositor& compositor, const std::string& call,
                                             std::span<const std::byte> mine);

  // Look for `seconds` whether another rank has given up, and throw as a wait would: for a rank that may have
  // come too late for others and need not wait for them any more. Not collective.
  static void listen(Compositor& compositor, double seconds);

  // A copy of a communicator, on which all ranks have met; to be freed. Collective. Throws as a Compositor's
  // constructor does on a communicator whose ranks do not all come within `timeout` seconds; then it may be
  // tried again.
  static MPI_Comm duplicate(MPI_Comm comm, double timeout, const char* call);

  // As Compositor::gather(), of several images at once: each at a root of its own, no two at one. Returns
  // that of this rank.
  static std::optional<Frame> gather(Compositor& compositor, const std::vector<Tile>& tiles,
                                     const std::vector<int>& roots, bool with_depth);

  // Composite from now on by another algorithm than Options said, which was "auto". Every rank passes the
  // same; throws ArgumentError, on every rank, if there is no such algorithm.
  static void use(Compositor& compositor, const std::string& algorithm);

  // The timeout of all calls from now on [s], of this rank alone.
  static void set_timeout(Compositor& compositor, double seconds);

  // Whether all ranks share one machine, and read each other's images where they lie.
  static bool on_one_machine(const Compositor& compositor);

  // As visibility_order(), where every rank hears of what is wrong with the arguments of some, and
  // `interrupt` (may be empty) is called as Options has it.
  static std::vector<std::int32_t> visibility_order(MPI_Comm comm, const Box& box, const Viewpoint& viewpoint,
                                                    double timeout, const std::string& problem,
                                                    const std::function<void()>& interrupt);

  // As visibility_positions(), with the same two.
  static BoxPositions visibility_positions(MPI_Comm comm, std::span<const Box> boxes,
                                           const Viewpoint& viewpoint, const PositionOptions& options,
                                           const std::string& problem,
                                           const std::function<void()>& interrupt);

  // Tell the others that this rank's call has failed before it could be passed on, and why ("out of memory"):
  // they throw a RemoteError at once. The compositor cannot be used any more. Not while a call is under way.
  static void give_up(Compositor& compositor, const std::string& cause) noexcept;
};

}  // namespace sortlast::detail
