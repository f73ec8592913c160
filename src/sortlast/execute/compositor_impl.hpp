// What is behind a compositor, for all kinds of frames; exchange.cpp moves the pixels.
//
// Each kind has a file: image_frames.cpp one image per rank, box_frames.cpp several, layer_frames.cpp
// contents of varying size, channel_frames.cpp images with further channels. compositor_impl.cpp has what
// they share, late_frames.cpp what differs where frames leave late ranks out.
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
#include "sortlast/cores.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/box_frames.hpp"
#include "sortlast/execute/layer_frames.hpp"
#include "sortlast/execute/layers/images/box_list.hpp"
#include "sortlast/execute/layers/images/image_content.hpp"
#include "sortlast/execute/mpi/check.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/execute/mpi/gather.hpp"
#include "sortlast/execute/mpi/machine_profile.hpp"
#include "sortlast/execute/mpi/neighbours.hpp"
#include "sortlast/execute/mpi/pixel_exchange.hpp"
#include "sortlast/execute/mpi/rendezvous.hpp"
#include "sortlast/execute/mpi/string_exchange.hpp"
#include "sortlast/execute/mpi/survivors.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/plan/choice.hpp"
#include "sortlast/execute/run/tile.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

class Compositor::Impl {
 public:
  Impl(MPI_Comm comm, const Options& options, const std::string& found, const Internals& internals = {})
      : options_(options),
        internals_(internals),
        data_(duplicate(comm, positive_timeout(options.timeout), "Compositor", options.interrupt)),
        alarm_(data_, positive_timeout(options.timeout), options.interrupt),
        rank_(data_.rank()),
        size_(data_.size()),
        origin_(static_cast<std::size_t>(size_)),
        tag_limit_(tag_limit(data_.get())) {
    std::iota(origin_.begin(), origin_.end(), 0);
    guarded([&] { set_up(found); });
  }

  // ---- One image a rank (image_frames.cpp) ----

  // `background_depth`: of the composition's background, for Op::closest.
  Tile composite(const ImageView& image, const Composition& composition, const PixelBuffer& out,
                 float background_depth = std::numeric_limits<float>::infinity());

  std::optional<Frame> gather(const std::vector<Gathering>& images, bool with_channels = false);

  // ---- Several images a rank (box_frames.cpp) ----

  Tile composite_boxes(const BoxCall& call);

  // ---- Contents of varying size (layer_frames.cpp) ----

  // Composite a content of each rank and return this rank's finished pixels. `out` as of composite().
  Tile composite_layers(const LayerCall& call, const PixelBuffer& out);

  // At the root the joined strings of all tiles, pixel by pixel in the order of ranks; nothing elsewhere.
  // `problem`: what is wrong with this rank's own arguments.
  std::optional<std::vector<LayerString>> gather_layers(const detail::TileData& tile, int root,
                                                        const std::string& problem);

  std::string explain_layers() const;

  // Composite images whose pixels hold further channels (channel_frames.cpp).
  Tile composite_channels(const ImageView& image, Composition composition, std::span<const Channel> channels,
                          const PixelBuffer& out);

  // ---- Calls of the interfaces to other languages (compositor_impl.cpp) ----

  [[noreturn]] void refuse(const std::string& call, const std::string& problem);
  bool agree_by_name(const std::string& call, const std::vector<std::pair<std::string, std::string>>& named,
                     const std::string& problem, bool flag);

  // A collective of `collect(comm, alarm, waits_for)` for the call.
  template <typename Collect>
  auto collect(const std::string& call, const Collect& collect_from_all) {
    const Turn turn(busy_, call);
    check_mpi_is_there(call.c_str());
    return guarded([&] { return collect_from_all(data_, alarm_, all_ranks_to_call(call)); });
  }

  void listen(double seconds);
  void use(const std::string& algorithm);

  // A compositor of the ranks that live, with the same options as far as they fit fewer ranks.
  std::unique_ptr<Impl> shrink();

  // This rank's call was given up; the others hear why, unless they know (empty). Nothing more can be done
  // with the communicator.
  void give_up(const std::string& cause) noexcept;

  void record(const Event& event) {
    if (recording_) events_.push_back(event);
  }

  Options options_;
  Internals internals_;
  Communicator data_;
  Alarm alarm_;
  std::unique_ptr<Node> node_;
  std::vector<std::int32_t> nodes_;  // node of each rank; empty: every rank is one
  int rank_;
  int size_;
  std::vector<std::int32_t> origin_;  // of each rank, what it was in the communicator of the first compositor
  int tag_limit_;
  std::atomic<bool> busy_ = false;
  bool broken_ = false;                   // messages may be under way for ever
  MPI_Comm broken_comm_ = MPI_COMM_NULL;  // on this one
  Pool pool_;
  std::unique_ptr<Team> team_;
  std::shared_ptr<const void> maker_;  // marks this compositor's tiles
  std::int64_t frame_ = 0;             // number of the last frame
  std::unique_ptr<AlgorithmChoice> algorithm_;
  MachineProfile profile_;
  std::int32_t cores_ = 0;     // of the machine, if all ranks are on one and send each other messages
  double agreeing_since_ = 0;  // [s of trace_clock()]
  Survey survey_;              // of this frame's image, and then of all
  // What all ranks know of the last frame of one image a rank by the same options, if they compared by
  // messages.
  struct Known {
    Size size;
    Format format;
    Op op;
    int root;
    Numbers numbers;
  };
  std::optional<Known> known_;
  Interleaving interleaving_;  // of the last frame
  std::optional<Background> background_;
  ReusedMemory own_image_;  // what this rank composites, where that is not the image that was passed
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<PixelExchange> exchange_;  // of plan_, once there was a frame
  std::vector<int> planned_ranks_;           // of plan_; empty: all
  std::string planned_name_;                 // what plan_ is for, beside its setting
  Format planned_format_;
  std::shared_ptr<const Schedule> layer_schedule_;  // of the last frame of contents of varying size
  std::string layer_name_;
  bool layers_in_place_ = false;                    // no rank sends any of it as a message
  std::shared_ptr<StringExchange> layer_exchange_;  // of layer_schedule_, once there was a frame
  bool layered_ = false;                            // the last frame was one
  std::unique_ptr<Rendezvous> rendezvous_;
  Attendance attendance_;  // of the last frame that left late ranks out
  std::vector<std::int32_t> left_out_;
  double deadline_ = 0;          // of this rank's call [s]
  std::string boxes_explained_;  // how several images a rank were composited; empty: none
  // Of tags, the last up to tag_limit_ are those of the heads of strings (mpi/messages.hpp).
  static constexpr std::int32_t head_tags = 4096;
  std::int32_t layer_calls_ = 0;  // counted round these tags
  Traffic traffic_;
  Timing timing_;
  bool recording_ = false;
  std::vector<Event> events_;

 private:
  // ---- Of all frames (compositor_impl.cpp) ----

  void set_up(const std::string& found);

  // All ranks come to the call; throws on all of them if their arguments differ. Ranks of a node then see
  // each other's offers. `check`: compare the arguments, which ranks that all share a node do anyway.
  void meet(Arguments arguments, const std::string& problem, const Offer& offer) {
    meet(std::move(arguments), problem, offer, options_.check);
  }
  void meet(Arguments arguments, const std::string& problem, const Offer& offer, bool check);
  // The same in two steps. First arrive, and wait for the ranks of this one's node; where frames leave late
  // ranks out, for those of the frame.
  std::unique_ptr<CallArrival> arrive(Arguments arguments, const std::string& problem, const Offer& offer,
                                      bool check);
  // Then wait for the others.
  void conclude(CallArrival& arrival);
  void take_numbers(const Numbers& of_all);
  // The ranks disagreed, and not all have begun a frame. What is chosen next may not depend on what came
  // before.
  void forget_frames();

  Setting setting(std::int64_t n, const std::vector<std::int32_t>& order, bool commuting) const {
    return {size_, n, order, options_.ring, commuting, nodes_};
  }

  // ---- Where frames leave late ranks out (late_frames.cpp) ----

  bool leaves_out() const { return options_.deadline.has_value(); }
  // Throws ArgumentError, on every rank that makes the call, where frames leave late ranks out.
  void refuse_if_leaving_out(const char* what) const;
  // Who is in the frame, and who is not.
  void take_attendance(const CallArrival& arrival);
  // The setting for the ranks of the frame, numbered without the others.
  Setting setting_without_late(Setting of_all) const;
  // This rank's number among the ranks of the frame.
  std::int32_t participant() const;
  // Come to the gathering of a tile's frame; throws as meet() does, on the ranks of the frame.
  void meet_to_gather(const Arguments& arguments, const std::string& problem, const detail::TileData& tile);
  // An algorithm of p ranks, or one that any number can use.
  std::string fitting_algorithm(const std::string& name, const Setting& wanted) const;

  FrameContext context() {
    return {data_, alarm_, *node_, pool_, *team_, timing_, traffic_, recording_ ? &events_ : nullptr};
  }

  // Whether the algorithm is chosen from the profile of the machine.
  bool uses_profile() const { return options_.algorithm == "auto"; }

  // Whether the layout of a frame depends on the emptiness of all images: on every rank or on none.
  bool chooses_layout(const Composition& composition) const {
    return internals_.layout == FrameLayout::automatic && composition.root >= 0 && options_.check &&
           !node_->everybody() && !leaves_out();
  }

  // Run an action that communicates. If it fails on this rank alone, the others must not wait for it; and
  // whenever it was given up on the way, nothing more can be done with the communicator.
  template <typename Action>
  std::invoke_result_t<Action> guarded(Action action) {
    if (broken_)
      throw TimeoutError(
          "an earlier call of this compositor was given up on the way, so it cannot be used any more; make a "
          "new one");
    try {
      return action();
    } catch (const MpiError&) {
      give_up_after_mpi_error();
    } catch (const Settled& error) {
      if (error.closes) give_up("");
      throw;
    } catch (...) {
      give_up(cause_of_failure());
      throw;
    }
  }

  // In its handler: throws it anew, or says which ranks have died, if that is why.
  [[noreturn]] void give_up_after_mpi_error();

  // A compositor of the ranks of `rest`.
  std::unique_ptr<Impl> make_for(const Survivors& rest) const;

  // ---- One image a rank (image_frames.cpp) ----

  Tile composite_in_turn(ImageView image, Composition composition, const PixelBuffer& out,
                         float background_depth);
  // Come to the frame; `image` becomes what is composited.
  std::unique_ptr<CallArrival> arrive_with(ImageView& image, const Composition& composition, Pixels out);
  void survey(const ImageView& image, const Composition& composition);
  // Whether the frame begins before all ranks have come to it: then it is planned with the numbers of the
  // last one, which was of the same kind.
  bool begins_early(const CallArrival& arrival, const ImageView& image, const Composition& composition) const;
  WireOptions wire_options() const;
  const Plan& plan_for(const ImageView& image, const Composition& composition);
  // Whether plan_ is what it would make.
  bool planned(const Setting& wanted, const std::string& name, const Format& format, Op op) const;
  // What this rank brings to the frame, but for where its result is put.
  Contribution contribution_of(const ImageView& image, const Composition& composition,
                               float background_depth);
  // `arrival`: at which not all ranks have arrived; null: all have.
  PixelBuffer run_frame(const Contribution& contribution, CallArrival* arrival);
  // Where the tile's pixels belong: in the caller's memory or in the frame of the node; nothing if anywhere.
  static PixelBuffer place_in(const detail::TileData& tile, const PixelBuffer& out);
  std::optional<Frame> gather_in_turn(const std::vector<Gathering>& images, bool with_channels);
  void check_gathering(const Gathering& image, bool with_channels = false) const;

  // ---- Several images a rank (box_frames.cpp) ----

  Tile composite_boxes_in_turn(const BoxCall& call);
  Tile composite_as_one(const BoxCall& call, const ImageFrame& frame, const std::vector<ConstPixels>& pixels);
  void blend_own(const ImageContent& images, const Rectangle& bounds, const ImageView& image);
  Tile composite_all(const BoxCall& call, ImageFrame frame, const std::vector<ConstPixels>& pixels,
                     const std::vector<Publication>& published, int root);

  // ---- Further channels (channel_frames.cpp) ----

  // Add the channels of an image to its frame, at its root.
  void gather_channels(const Gathering& image, std::optional<Frame>& frame);

  // ---- Contents of varying size (layer_frames.cpp) ----

  Tile composite_layers_in_turn(const LayerCall& call, const PixelBuffer& out);
  // Once all ranks have agreed on the call.
  Tile run_layers(const LayerCall& call, const PixelBuffer& out);
  void agree_on_layers(const LayerCall& call, Pixels out);
  void begin_layers();
  const std::shared_ptr<const Schedule>& schedule_of_layers(const LayerCall& call);
  StringOptions string_options();
  std::optional<std::vector<LayerString>> gather_layers_in_turn(const detail::TileData& tile, int root,
                                                                const std::string& problem);
};

}  // namespace sortlast
