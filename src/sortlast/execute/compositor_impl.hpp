// What is behind a compositor: arguments, agreement and bookkeeping; exchange.cpp moves the pixels.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "sortlast/compositor.hpp"
#include "sortlast/cores.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/agreement.hpp"
#include "sortlast/execute/mpi/check.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/execute/mpi/exchange.hpp"
#include "sortlast/execute/mpi/layer_exchange.hpp"
#include "sortlast/execute/layer_frames.hpp"
#include "sortlast/execute/mpi/machine_profile.hpp"
#include "sortlast/execute/mpi/neighbours.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/plan/choice.hpp"
#include "sortlast/execute/run/tile.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

class Compositor::Impl {
 public:
  Impl(MPI_Comm comm, const Options& options, const std::string& found)
      : options_(options),
        data_(duplicate(comm, usable(options.timeout), "Compositor", options.interrupt)),
        alarm_(data_, usable(options.timeout), options.interrupt),
        rank_(data_.rank()),
        size_(data_.size()),
        tag_limit_(tag_limit(data_.get()) - 1) {
    guarded([&] { set_up(found); });
  }

  void set_up(const std::string& found) {
    options_.ring = normalised(options_.ring, size_);
    maker_ = std::make_shared<int>(0);
    Arguments arguments("Compositor");
    arguments.add("algorithm", options_.algorithm);
    arguments.add("ring", options_.ring);
    arguments.add("node_ranks", std::to_string(options_.node_ranks));
    arguments.add("check", options_.check ? "yes" : "no");
    arguments.add("wire", options_.wire == Wire::float16 ? "float16" : "image");
    arguments.add("chunk_bytes", std::to_string(options_.chunk_bytes));
    arguments.add("partition", std::string(partition_name(options_.partition)));
    arguments.add("machine", options_.machine ? to_json(*options_.machine) : "none");
    std::optional<MachineProfile> profile;
    const std::string problem = problem_of([&] {
      if (!found.empty()) throw ArgumentError(found);
      check_options(options_, size_);
      if (options_.machine) check_machine(*options_.machine);
      if (rank_ == 0 && uses_profile()) profile = find_profile(options_);
    });
    agree(data_, alarm_, arguments, problem, compare_by_reduction(data_, alarm_, "Compositor"));
    node_ = std::make_unique<Node>(make_node(data_, alarm_, options_.node_ranks));
    if (node_->everybody()) alarm_.mark_in(node_->given_up());
    if (*std::max_element(node_->nodes().begin(), node_->nodes().end()) + 1 < size_) nodes_ = node_->nodes();
    if (options_.algorithm != "auto") make_schedule(options_.algorithm, setting(0, {}, false));
    team_ = std::make_unique<Team>(options_.threads > 0 ? options_.threads : node_->cores());
    if (uses_profile()) profile_ = agree_on_profile(data_, alarm_, *node_, profile);
    if (options_.partition == Partition::automatic && !node_->everybody())
      networked_ = !compare_by_reduction(data_, alarm_, "Compositor")(own_identity().machine);
    algorithm_ = std::make_unique<AlgorithmChoice>(options_.algorithm, profile_.machine);
  }

  // `background_depth`: of the composition's background, for Op::closest.
  Tile composite(const ImageView& image, const Composition& composition, const PixelBuffer& out,
                 float background_depth = std::numeric_limits<float>::infinity()) {
    const Turn turn(busy_, "composite");
    check_mpi_is_there("composite");
    return guarded([&] { return composite_in_turn(image, composition, out, background_depth); });
  }

  std::optional<Frame> gather(const std::vector<Gathering>& images, bool with_channels = false) {
    const Turn turn(busy_, "gather");
    check_mpi_is_there("gather");
    return guarded([&] { return gather_in_turn(images, with_channels); });
  }

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

  [[noreturn]] void refuse(const std::string& call, const std::string& problem) {
    const Turn turn(busy_, call);
    check_mpi_is_there(call.c_str());
    guarded([&] { meet(Arguments(call), problem, {}); });
    throw ArgumentError(problem);
  }

  bool agree_by_name(const std::string& call, const std::vector<std::pair<std::string, std::string>>& named,
                     const std::string& problem, bool flag) {
    const Turn turn(busy_, call);
    check_mpi_is_there(call.c_str());
    return guarded([&] {
      Arguments arguments(call);
      for (const auto& [name, value] : named) arguments.add(name, value);
      Offer offer;
      offer.flag = flag;
      survey_ = {};
      survey_.emptiness = flag ? 0 : 1;  // of all ranks the least
      meet(arguments, problem, offer);
      return node_->everybody() ? node_->flagged() : survey_.emptiness == 0;
    });
  }

  // A collective of `collect(comm, alarm, waits_for)` for the call.
  template <typename Collect>
  auto collect(const std::string& call, const Collect& collect_from_all) {
    const Turn turn(busy_, call);
    check_mpi_is_there(call.c_str());
    return guarded([&] { return collect_from_all(data_, alarm_, all_ranks_to_call(call)); });
  }

  void listen(double seconds) {
    const Turn turn(busy_, "listen");
    guarded([&] {
      constexpr auto nap = std::chrono::milliseconds(10);
      for (const double end = trace_clock() + seconds; trace_clock() < end; std::this_thread::sleep_for(nap))
        alarm_.join_if_raised([] { return std::string("nobody, it has done its part"); });
    });
  }

  void use(const std::string& algorithm, Partition partition) {
    options_.partition = partition;
    if (algorithm == options_.algorithm) return;
    if (algorithm != "auto") make_schedule(algorithm, setting(0, {}, false));
    algorithm_ = std::make_unique<AlgorithmChoice>(algorithm, profile_.machine);
    options_.algorithm = algorithm;
  }

  // This rank's call was given up; the others hear why, unless they know (empty). Nothing more can be done
  // with the communicator.
  void give_up(const std::string& cause) noexcept {
    if (broken_) return;
    if (!cause.empty()) alarm_.tell_failure(cause);
    broken_ = true;
    data_.abandon();
    straight_.keep_for_ever();
  }

  // The way of an image: check and agree, plan, run, hand out the tile.
  Tile composite_in_turn(ImageView image, Composition composition, const PixelBuffer& out,
                         float background_depth) {
    const double begin = trace_clock();
    timing_ = {};
    traffic_ = {};
    layered_ = false;
    pool_.begin_frame();
    composition.order = normalised(composition.order, size_);
    agree_on("composite", image, composition, out.view());
    const double agreed = trace_clock();
    record({Activity::agree, begin, agreed, -1, -1, 0});
    timing_.agree = agreed - begin;
    if (node_->everybody()) timing_.late = node_->late();

    const Plan& plan = plan_for(image, composition);
    partition_ = choose_partition(options_.partition, image.size.pixels(), size_,
                                  chooses_partition() ? &survey_.coverage : nullptr, profile_.machine);
    std::optional<Background> background;
    if (!composition.background.empty())
      background.emplace(composition.op, image.format, composition.background, background_depth);
    const std::size_t before = pool_.taken();
    detail::TileData tile{
        plan.schedule->piece(rank_),
        image.size,
        image.format,
        {},
        partition_.interleaving.none() && out.view().colour == nullptr ? node_->frame() : Memory(),
        plan.schedule,
        maker_,
        ++frame_,
        partition_.interleaving};
    const Contribution contribution{{image.pixels, image.size, image.format, survey_.bounds},
                                    background ? &*background : nullptr,
                                    place_in(tile, out),
                                    partition_.interleaving};
    if (!exchange_) exchange_ = std::make_unique<Exchange>(plan_, context());
    tile.pixels = exchange_->run(contribution, context());
    if (out.view().colour != nullptr)
      detail::put_pixels(tile.interleaving, tile.format, tile.range, tile.pixels.view(), out.view());
    const std::size_t result = contribution.result.view().colour != nullptr
                                   ? 0
                                   : static_cast<std::size_t>(tile.range.size()) * image.format.pixel_bytes();
    timing_.peak_bytes = std::max<std::int64_t>(
        0, static_cast<std::int64_t>(pool_.peak() - before) - static_cast<std::int64_t>(result));
    timing_.total = trace_clock() - begin;
    return detail::TileAccess::make(std::move(tile));
  }

  std::optional<Frame> gather_in_turn(const std::vector<Gathering>& images, bool with_channels) {
    const double begin = trace_clock();
    Arguments arguments("gather");
    arguments.add("channels", with_channels ? "yes" : "no");
    std::string problem;
    for (const Gathering& image : images) {
      arguments.add("root", std::to_string(image.root));
      arguments.add("depth", image.with_depth ? "yes" : "no");
      arguments.add("frame", std::to_string(image.tile.frame));
      if (problem.empty()) problem = problem_of([&] { check_gathering(image, with_channels); });
    }
    meet(arguments, problem, {});
    std::optional<Frame> frame = gather_tiles(images, context());
    if (with_channels) gather_channels(images.front(), frame);
    const double end = trace_clock();
    record({Activity::gather, begin, end, images.empty() ? -1 : images.front().root, -1, 0});
    timing_.gather = end - begin;
    timing_.total += timing_.gather;
    return frame;
  }

  void record(const Event& event) {
    if (recording_) events_.push_back(event);
  }

  Options options_;
  Communicator data_;
  Alarm alarm_;
  std::unique_ptr<Node> node_;
  std::vector<std::int32_t> nodes_;  // node of each rank; empty: every rank is one
  int rank_;
  int size_;
  int tag_limit_;
  std::atomic<bool> busy_ = false;
  bool broken_ = false;  // messages may be under way for ever
  Pool pool_;
  std::unique_ptr<Team> team_;
  std::shared_ptr<const void> maker_;  // marks this compositor's tiles
  std::int64_t frame_ = 0;             // number of the last frame
  std::unique_ptr<AlgorithmChoice> algorithm_;
  MachineProfile profile_;
  bool networked_ = false;     // there are ranks on several machines; known if it matters
  Survey survey_;              // of this frame's image, and after the agreement of all
  PartitionChoice partition_;  // of the last frame
  StraightImages straight_;
  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<Exchange> exchange_;  // of plan_, once there was a frame
  Setting planned_;                     // what plan_ is for
  std::string planned_name_;
  Format planned_format_;
  std::shared_ptr<const Schedule> layer_schedule_;  // of the last frame of contents of varying size
  std::string layer_name_;
  std::unique_ptr<LayerExchange> layer_exchange_;  // of layer_schedule_, once there was a frame
  bool layered_ = false;                           // the last frame was one
  std::int32_t layer_calls_ = 0;                   // counted round the tags that they use
  Traffic traffic_;
  Timing timing_;
  bool recording_ = false;
  std::vector<Event> events_;

 private:
  void check_gathering(const Gathering& image, bool with_channels = false) const {
    if (image.root < 0 || image.root >= size_) {
      throw ArgumentError("root is " + std::to_string(image.root) + "; expected a rank, 0.." +
                          std::to_string(size_ - 1));
    }
    if (image.tile.maker != maker_)
      throw ArgumentError("the tile is not one that composite() of this compositor returned");
    if (image.with_depth && !image.tile.format.depth)
      throw ArgumentError("depth was asked for; the images had none");
    if (with_channels && image.tile.channels.empty())
      throw ArgumentError("channels were asked for; the images had none");
    const Pixels out = image.out.view();
    if (rank_ == image.root && out.colour != nullptr && image.with_depth && out.depth == nullptr)
      throw ArgumentError("out has no depth plane; expected one, as the depth is gathered too");
  }

  Setting setting(std::int64_t n, const std::vector<std::int32_t>& order, bool commuting) const {
    return {size_, n, order, options_.ring, commuting, nodes_};
  }

  FrameContext context() {
    return {data_, alarm_, *node_, pool_, *team_, timing_, traffic_, recording_ ? &events_ : nullptr};
  }

  // Whether anything is chosen from the profile of the machine.
  bool uses_profile() const {
    return options_.algorithm == "auto" || options_.partition == Partition::automatic;
  }

  // Whether the partition depends on the coverage of a frame: on every rank or on none.
  bool chooses_partition() const {
    return options_.partition == Partition::automatic && networked_ && options_.check;
  }

  // All ranks come to the call; throws on all of them if their arguments differ. Ranks of a node then see
  // each other's offers.
  void meet(const Arguments& arguments, const std::string& problem, Offer offer) {
    const auto in_node = [&](std::uint64_t hash) {
      offer.hash = hash;
      return node_->meet(offer, arguments.call());
    };
    if (node_->everybody()) {
      agree(data_, alarm_, arguments, problem, in_node);
      return;
    }
    if (options_.check) {
      const Compare compare =
          options_.partition == Partition::automatic
              ? compare_with_coverage(data_, alarm_, arguments.call(), survey_.emptiness, survey_.coverage)
              : compare_by_reduction(data_, alarm_, arguments.call(), &survey_.emptiness);
      agree(data_, alarm_, arguments, problem, compare);
    } else if (!problem.empty()) {
      throw ArgumentError(problem);
    }
    if (!node_->alone()) in_node(0);
  }

  // Where the tile's pixels belong: in the caller's memory or in the frame of the node; nothing if anywhere.
  static PixelBuffer place_in(const detail::TileData& tile, const PixelBuffer& out) {
    if (tile.range.empty() || !tile.interleaving.none()) return {};
    const bool given = out.view().colour != nullptr;
    if (!given && !tile.shared) return {};
    const PixelBuffer whole = given ? out : PixelBuffer(tile.shared, tile.format, tile.size.pixels());
    return {whole.memory(), advance(whole.view(), tile.format, tile.range.begin)};
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
    } catch (...) {
      if (!alarm_.every_rank_throws()) give_up(cause_of_failure());
      throw;
    }
  }

  // `image` becomes what is composited.
  void agree_on(const std::string& call, ImageView& image, const Composition& composition, Pixels out) {
    Arguments arguments(call);
    arguments.add("size", text(image.size));
    const std::string unknown =
        problem_of([&] { arguments.add("format", format_name(image.format)); }) +
        problem_of([&] { arguments.add("op", std::string(op_name(composition.op))); });
    arguments.add("order", composition.order);
    arguments.add("background", text(composition.background));
    arguments.add("out", out.colour == nullptr ? "no" : "yes");
    std::string problem = unknown;
    if (problem.empty()) {
      problem = problem_of([&] {
        check_frame(image, composition, size_);
        detail::check_output(image, out);
        if (options_.check_premultiplied) check_premultiplied(image, composition);
      });
    }
    Offer offer;
    survey_ = {};
    if (problem.empty()) {
      if (!composition.premultiplied) image = straight_.premultiplied(image, *node_);
      survey_.bounds = find_bounds(image, options_.sparse, *node_);
      const bool matters = algorithm_->chooses() && options_.sparse && options_.check && !node_->everybody();
      if (matters) survey_.emptiness = emptiness_of(image, survey_.bounds);
      if (chooses_partition()) survey_.coverage = own_coverage(image, survey_.bounds, options_.sparse);
      offer.image = image;
      offer.image.bounds = survey_.bounds;
      offer.frame_bytes = PixelBuffer::bytes(image.format, image.size.pixels());
    }
    meet(arguments, problem, offer);
  }

  // Add the channels of an image to its frame, at its root.
  void gather_channels(const Gathering& image, std::optional<Frame>& frame);

  Tile composite_layers_in_turn(const LayerCall& call, const PixelBuffer& out);
  void agree_on_layers(const LayerCall& call, Pixels out);
  const std::shared_ptr<const Schedule>& schedule_of_layers(const LayerCall& call);
  StringOptions string_options();
  std::optional<std::vector<LayerString>> gather_layers_in_turn(const detail::TileData& tile, int root,
                                                                const std::string& problem);

  const Plan& plan_for(const ImageView& image, const Composition& composition) {
    Setting wanted = setting(image.size.pixels(), composition.order, commutes(composition.op));
    const std::string& name =
        algorithm_->name(wanted, image.format, std::ldexp(1.0, -static_cast<int>(survey_.emptiness)));
    const bool same = plan_ && name == planned_name_ && wanted.n == planned_.n &&
                      wanted.order == planned_.order && wanted.commutes == planned_.commutes &&
                      image.format == planned_format_ && composition.op == plan_->indexed.op;
    if (!same) {
      auto schedule = std::make_shared<const Schedule>(make_schedule(name, wanted));
      exchange_.reset();
      plan_ = std::make_shared<const Plan>(
          std::move(schedule), rank_, image.format, composition.op,
          WireOptions{options_.chunk_bytes, options_.sparse, options_.wire == Wire::float16}, tag_limit_);
      planned_ = std::move(wanted);
      planned_name_ = name;
      planned_format_ = image.format;
    }
    return *plan_;
  }
};

}  // namespace sortlast
