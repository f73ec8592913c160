// Implementation of Compositor, for all kinds of frames; mpi/exchange.cpp moves the pixels.
//
// Each kind has a file: image_frames.cpp for one image per rank, box_frames.cpp for several,
// channel_frames.cpp for images with extra channels, fragment_frames.cpp for lists of fragments. The last
// three make a StringCodec, which layer_frames.cpp composites, unless boxes can be merged into one image per
// rank first. compositor_impl.cpp holds their common code, late_frames.cpp the code for frames that leave
// late ranks out.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "sortlast/compositor.hpp"
#include "sortlast/content/layers/box_list.hpp"
#include "sortlast/content/layers/image_codec.hpp"
#include "sortlast/content/pixels/tile.hpp"
#include "sortlast/cores.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/box_frames.hpp"
#include "sortlast/execute/layer_frames.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/execute/mpi/gather.hpp"
#include "sortlast/execute/mpi/survivors.hpp"
#include "sortlast/execute/plans.hpp"
#include "sortlast/execute/session.hpp"
#include "sortlast/execute/statistics.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

class Compositor::Impl {
 public:
  Impl(MPI_Comm comm, const Options& options, const std::string& found, const Internals& internals = {})
      : session_(comm, options), internals_(internals) {
    session_.guarded([&] { set_up(found); });
  }
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // ---- One image per rank (image_frames.cpp) ----

  // `background_depth`: depth of the composition's background, for Op::closest.
  Tile composite(const ImageView& image, const Composition& composition, const PixelBuffer& out,
                 float background_depth = std::numeric_limits<float>::infinity());

  std::optional<Frame> gather(const std::vector<Gathering>& images, bool with_channels = false);

  // ---- Several images per rank (box_frames.cpp) ----

  Tile composite_boxes(const BoxCall& call);

  // ---- Contents of varying size (layer_frames.cpp) ----

  // Composite a content of each rank and return this rank's finished pixels. `out` as in composite().
  Tile composite_layers(const LayerCall& call, const PixelBuffer& out);

  // At the root, the joined strings of all tiles, pixel by pixel in the order of ranks; nothing elsewhere.
  // `problem`: an error in this rank's own arguments; empty: none.
  std::optional<std::vector<LayerString>> gather_layers(const detail::TileData& tile, int root,
                                                        const std::string& problem);

  std::string explain_layers() const;
  std::string explain_devices() const;

  // Composite images with extra channels per pixel (channel_frames.cpp).
  Tile composite_channels(const ImageView& image, Composition composition, std::span<const Channel> channels,
                          const PixelBuffer& out);

  // ---- Calls of the interfaces to other languages (compositor_impl.cpp) ----

  [[noreturn]] void refuse(const std::string& call, const std::string& problem);
  bool agree_by_name(const std::string& call, const std::vector<std::pair<std::string, std::string>>& named,
                     const std::string& problem, bool flag);

  // Run the collective `collect_from_all(comm, alarm, waits_for)` on behalf of `call`.
  template <typename Collect>
  auto collect(const std::string& call, const Collect& collect_from_all) {
    return session_.call(
        call, [&] { return collect_from_all(session_.comm, session_.alarm, all_ranks_to_call(call)); });
  }

  void listen(double seconds);
  void use(const std::string& algorithm);

  // A compositor of the surviving ranks, with the same options as far as they fit fewer ranks.
  std::unique_ptr<Impl> shrink();

  Session session_;
  Internals internals_;
  Statistics statistics_;
  ImagePlans images_;
  DevicePlans devices_;
  LayerPlans layers_;
  Attendees attendees_;
  std::int64_t frame_ = 0;  // number of the last frame
  std::optional<Background> background_;
  ReusedMemory own_image_;  // the image to composite, if not the caller's own

 private:
  // ---- For all frames (compositor_impl.cpp) ----

  void set_up(const std::string& found);

  // Wait until all ranks have arrived at the call; throws on all of them if their arguments differ. Ranks of
  // a node then see each other's offers. `check`: compare the arguments; ranks that all share a node always
  // do.
  void meet(Arguments arguments, const std::string& problem, const Offer& offer) {
    meet(std::move(arguments), problem, offer, session_.options.check);
  }
  void meet(Arguments arguments, const std::string& problem, const Offer& offer, bool check);
  // The same in two steps. First, arrive and wait for the ranks of this node or, if frames leave late ranks
  // out, for the ranks of the frame.
  std::unique_ptr<CallArrival> arrive(Arguments arguments, const std::string& problem, const Offer& offer,
                                      bool check);
  // Then, wait for the others.
  void conclude(CallArrival& arrival);

  // ---- Frames that leave late ranks out (late_frames.cpp) ----

  bool leaves_out() const { return session_.options.deadline.has_value(); }
  // Throws ArgumentError, on every rank that makes the call, if frames leave late ranks out.
  void refuse_if_leaving_out(const char* what) const;
  // Record which ranks are in the frame and which were left out.
  void take_attendance(const CallArrival& arrival);
  // The setting for the ranks of the frame, renumbered without the others.
  Setting setting_without_late(Setting of_all) const;
  // This rank's number among the ranks of the frame.
  std::int32_t participant() const;
  // Arrive at the gathering of a tile's frame; throws as meet() does, on the ranks of the frame.
  void meet_to_gather(const Arguments& arguments, const std::string& problem, const detail::TileData& tile);
  // `name` if it works for the ranks of the frame, else an algorithm that works for any number.
  std::string fitting_algorithm(const std::string& name, const Setting& wanted) const;

  FrameContext context() {
    return {session_.comm,       session_.alarm,     *session_.node,
            session_.pool,       *session_.team,     statistics_.timing,
            statistics_.traffic, devices_.gpu.get(), statistics_.recording ? &statistics_.events : nullptr};
  }

  // Whether the algorithm is chosen from the profile of the machine.
  bool uses_profile() const { return session_.options.algorithm == "auto"; }

  // Whether the layout of a frame depends on the emptiness of all images. The same on every rank.
  bool chooses_layout(const Composition& composition) const {
    return internals_.layout == FrameLayout::automatic && composition.root >= 0 && session_.options.check &&
           !session_.node->everybody() && !leaves_out();
  }

  // Whether every rank sends its image straight to the root. The same on every rank.
  bool collects(const Composition& composition) const;

  // A compositor for the ranks of `rest`.
  std::unique_ptr<Impl> make_for(const Survivors& rest) const;

  // ---- One image per rank (image_frames.cpp) ----

  Tile composite_in_turn(ImageView image, Composition composition, const PixelBuffer& out,
                         float background_depth);
  double begin_frame(Composition& composition);
  void record_agreement(double begin);
  void record_memory(std::size_t before, const detail::TileData& result);
  detail::TileData tile_of(const Plan& plan, const ImageView& image, const PixelBuffer& out);
  // Arrive at the frame; `image` becomes the image to composite.
  std::unique_ptr<CallArrival> arrive_with(ImageView& image, const Composition& composition,
                                           const PixelBuffer& out);
  void survey(const ImageView& image, const Composition& composition);
  // Whether the frame begins before all ranks have arrived. It is then planned with the numbers of the last
  // frame, which was of the same kind.
  bool begins_early(const CallArrival& arrival, const ImageView& image, const Composition& composition) const;
  WireOptions wire_options() const;
  const Plan& plan_for(const ImageView& image, const Composition& composition);
  // This rank's input to the frame, without the place of its result.
  Contribution contribution_of(const ImageView& image, const Composition& composition,
                               float background_depth);
  // `arrival`: an arrival at which not all ranks have met yet; null: all have.
  PixelBuffer run_frame(const Contribution& contribution, CallArrival* arrival);
  // Where the tile's pixels belong: in the caller's memory or in the frame of the node; empty if anywhere.
  static PixelBuffer place_in(const detail::TileData& tile, const PixelBuffer& out);
  std::optional<Frame> gather_in_turn(const std::vector<Gathering>& images, bool with_channels);
  void check_gathering(const Gathering& image, bool with_channels = false) const;

  // ---- Images in the memory of GPUs (device_frames.cpp) ----

  ImageView taken_from_device(const ImageView& image, const Composition& composition, const PixelBuffer& out);
  void use_gpu(int ordinal);
  ImageView offered_device_image(const ImageView& image, const Composition& composition);
  ImageView on_host(const ImageView& image, const std::string& cause);
  void settle_devices(ImageView& image);
  PixelBuffer run_on_device(const Contribution& contribution, const Composition& composition,
                            float background_depth, const PixelBuffer& result, CallArrival* arrival);
  void finish_on_device(detail::TileData& tile, const PixelBuffer& out);
  Offer offer_of_tile(const detail::TileData& tile);
  detail::TileData tile_on_host(const detail::TileData& tile);
  bool gathers_devices(const Gathering& image) const {
    return session_.node->on_device() || image.tile.pixels.kind() == MemoryKind::device ||
           image.out.kind() == MemoryKind::device;
  }
  std::optional<Frame> gather_devices(const Gathering& image);
  std::vector<bool> take_tiles(const Gathering& image, const PixelBuffer& frame,
                               const std::optional<device::Stream>& stream);

  // ---- Several images per rank (box_frames.cpp) ----

  Tile composite_boxes_in_turn(const BoxCall& call);
  Tile composite_as_one(const BoxCall& call, const ImageFrame& frame, const std::vector<ConstPixels>& pixels);
  void blend_own(const ImageCodec& images, const Rectangle& bounds, const ImageView& image);
  Tile composite_all(const BoxCall& call, ImageFrame frame, const std::vector<ConstPixels>& pixels,
                     const std::vector<Publication>& published, int root);

  // ---- Extra channels (channel_frames.cpp) ----

  // Add the channels of an image to its frame at the root.
  void gather_channels(const Gathering& image, std::optional<Frame>& frame);

  // ---- Contents of varying size (layer_frames.cpp) ----

  Tile composite_layers_in_turn(const LayerCall& call, const PixelBuffer& out);
  // Run the frame once all ranks have agreed on the call.
  Tile run_layers(const LayerCall& call, const PixelBuffer& out);
  void agree_on_layers(const LayerCall& call, const PixelBuffer& out);
  void begin_layers();
  const std::shared_ptr<const Schedule>& schedule_of_layers(const LayerCall& call);
  StringOptions string_options();
  std::optional<std::vector<LayerString>> gather_layers_in_turn(const detail::TileData& tile, int root,
                                                                const std::string& problem);
};

}  // namespace sortlast
