// Compositor: arguments, agreement and bookkeeping; exchange.cpp moves the pixels.
#include "sortlast/compositor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sortlast/cores.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/compositor_access.hpp"
#include "sortlast/execute/mpi/agreement.hpp"
#include "sortlast/execute/mpi/check.hpp"
#include "sortlast/execute/mpi/duplicate.hpp"
#include "sortlast/execute/mpi/exchange.hpp"
#include "sortlast/execute/mpi/gather.hpp"
#include "sortlast/execute/mpi/machine_profile.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/plan/choice.hpp"
#include "sortlast/execute/plan/coverage.hpp"
#include "sortlast/execute/plan/explain.hpp"
#include "sortlast/execute/plan/partition.hpp"
#include "sortlast/execute/tile_data.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/registry.hpp"

namespace sortlast {
namespace {

constexpr double most_bounded = 0.9;  // share of the image that bounds worth a look may hold
// Share of active pixels of images worth a look for bounds, where all ranks share a machine. Measured with
// boxes of 1/p of 2048x1024 RGBA float32, processor time of all p ranks in ms, with the look and without: in
// place 13.9 and 13.4 at p = 8, 21.9 and 25.0 at p = 16; pulled 8.5 and 8.7 at p = 4, 14.8 and 17.5 at p = 8.
constexpr double most_active_in_place = 0.1;
constexpr double most_active_pulled = 0.2;
constexpr double most_emptiness = 6;  // images with less active pixels are composited alike

// The limit to work with, even if what was passed is wrong: that becomes every rank's error once there is a
// communicator to agree over.
double usable(double timeout) { return timeout > 0 ? timeout : Options{}.timeout; }

// An order that is the identity is none: both mean the same.
std::vector<std::int32_t> normalised(const std::vector<std::int32_t>& order, int p) {
  if (order.size() != static_cast<std::size_t>(p)) return order;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<std::int32_t>(i)) return order;
  }
  return {};
}

}  // namespace

class Compositor::Impl {
 public:
  Impl(MPI_Comm comm, const Options& options, const std::string& found)
      : options_(options),
        data_(duplicate(comm, usable(options.timeout))),
        control_(duplicate(comm, usable(options.timeout))),
        alarm_(control_, usable(options.timeout), options.interrupt),
        rank_(data_.rank()),
        size_(data_.size()),
        tag_limit_(tag_limit(data_.get())),
        maker_(std::make_shared<int>(0)) {
    options_.ring = normalised(options.ring, size_);
    Arguments arguments("Compositor");
    arguments.add("algorithm", options.algorithm);
    arguments.add("ring", options_.ring);
    arguments.add("node ranks", std::to_string(options.node_ranks));
    arguments.add("check", options.check ? "yes" : "no");
    arguments.add("wire", options.wire == Wire::float16 ? "float16" : "image");
    arguments.add("chunk bytes", std::to_string(options.chunk_bytes));
    arguments.add("partition", std::string(partition_name(options.partition)));
    arguments.add("machine", options.machine ? to_json(*options.machine) : "none");
    std::optional<MachineProfile> profile;
    const std::string problem = problem_of([&] {
      if (!found.empty()) throw ArgumentError(found);
      check_options(options_, size_);
      if (options.machine) check_machine(*options.machine);
      if (rank_ == 0 && uses_profile()) profile = find_profile(options);
    });
    guarded([&] {
      agree(data_, alarm_, arguments, problem, compare_by_reduction(data_, alarm_, "Compositor"));
      node_ = std::make_unique<Node>(data_, alarm_, options.node_ranks);
      if (*std::max_element(node_->nodes().begin(), node_->nodes().end()) + 1 < size_)
        nodes_ = node_->nodes();
      if (options.algorithm != "auto") make_schedule(options.algorithm, setting(0, {}, false));
      team_ = std::make_unique<Team>(options.threads > 0 ? options.threads : node_->cores());
      if (uses_profile()) profile_ = agree_on_profile(data_, alarm_, *node_, profile);
      if (options.partition == Partition::automatic && !node_->everybody())
        networked_ = !compare_by_reduction(data_, alarm_, "Compositor")(own_identity().machine);
      selection_ = std::make_unique<Selection>(options.algorithm, profile_.machine);
    });
  }

  Tile composite(const ImageView& image, Composition composition) {
    const double begin = trace_clock();
    timing_ = {};
    traffic_ = {};
    pool_.begin_frame();
    composition.order = normalised(composition.order, size_);
    agree_on("composite", image, composition);
    const double agreed = trace_clock();
    record({Activity::agree, begin, agreed, -1, -1, 0});
    timing_.agree = agreed - begin;

    const Plan& plan = plan_for(image, composition);
    sharing_ = share_out(options_.partition, image.size.pixels(), size_,
                         chooses_partition() ? &coverage_ : nullptr, profile_.machine);
    const bool background = !composition.background.empty();
    const std::size_t before = pool_.taken();
    detail::TileData tile{plan.schedule->piece(rank_),
                          image.size,
                          image.format,
                          {},
                          sharing_.interleaving.none() ? node_->frame() : Memory(),
                          plan.schedule,
                          maker_,
                          ++frame_,
                          sharing_.interleaving};
    const auto contribution = std::make_shared<Contribution>(Contribution{{image.pixels, bounds_},
                                                                          image.size,
                                                                          image.format,
                                                                          composition.op,
                                                                          background,
                                                                          place_in(tile),
                                                                          sharing_.interleaving});
    guarded([&] { tile.pixels = exchange(plan, contribution, context()); });
    if (background) {
      apply_background(composition.op, image.format, composition.background, tile.pixels.view(),
                       tile.range.size());
    }
    const std::size_t result =
        tile.shared ? 0 : static_cast<std::size_t>(tile.range.size()) * image.format.pixel_bytes();
    timing_.peak_bytes = std::max<std::int64_t>(
        0, static_cast<std::int64_t>(pool_.peak() - before) - static_cast<std::int64_t>(result));
    timing_.total = trace_clock() - begin;
    return detail::TileAccess::make(std::move(tile));
  }

  std::optional<Frame> gather(const detail::TileData& tile, int root, bool with_depth) {
    const double begin = trace_clock();
    Arguments arguments("gather");
    arguments.add("root", std::to_string(root));
    arguments.add("depth", with_depth ? "yes" : "no");
    arguments.add("frame", std::to_string(tile.frame));
    const std::string problem = problem_of([&] {
      if (root < 0 || root >= size_) {
        throw ArgumentError("root is " + std::to_string(root) + "; expected a rank, 0.." +
                            std::to_string(size_ - 1));
      }
      if (tile.maker != maker_)
        throw ArgumentError("the tile is not one that composite() of this compositor returned");
      if (with_depth && !tile.format.depth) throw ArgumentError("depth was asked for; the images had none");
    });
    std::optional<Frame> frame;
    guarded([&] {
      meet(arguments, problem, {});
      frame = gather_tiles(tile, root, with_depth, context());
    });
    const double end = trace_clock();
    record({Activity::gather, begin, end, root, -1, 0});
    timing_.gather = end - begin;
    timing_.total += timing_.gather;
    return frame;
  }

  [[noreturn]] void refuse(const std::string& call, const std::string& problem) {
    guarded([&] { meet(Arguments(call), problem, {}); });
    throw ArgumentError(problem);
  }

  void record(const Event& event) {
    if (recording_) events_.push_back(event);
  }

  Options options_;
  Communicator data_;
  Communicator control_;
  Alarm alarm_;
  std::unique_ptr<Node> node_;
  std::vector<std::int32_t> nodes_;  // node of each rank; empty: every rank is one
  int rank_;
  int size_;
  int tag_limit_;
  bool broken_ = false;  // messages may be under way for ever
  Pool pool_;
  std::unique_ptr<Team> team_;
  std::shared_ptr<const void> maker_;  // marks this compositor's tiles
  std::int64_t frame_ = 0;             // number of the last frame
  std::unique_ptr<Selection> selection_;
  MachineProfile profile_;
  std::optional<Rectangle> bounds_;  // of the frame's image
  std::uint64_t emptiness_ = 0;      // log2 of all pixels to active ones, of the rank that has most of these
  bool networked_ = false;           // there are ranks on several machines; known if it matters
  Coverage coverage_ = {};           // of this rank's image, and after the agreement of all
  Sharing sharing_;                  // of the last frame
  std::unique_ptr<Plan> plan_;
  Setting planned_;  // what plan_ is for
  std::string planned_name_;
  Format planned_format_;
  Traffic traffic_;
  Timing timing_;
  bool recording_ = false;
  std::vector<Event> events_;

 private:
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

  // What this rank will have to send of its image; all of it if empty pixels are not left out.
  Coverage own_coverage(const ImageView& image) const {
    if (image.pixels.colour == nullptr) return {};
    if (!options_.sparse) return coverage_of({}, image.size, 1);
    const std::int64_t n = image.size.pixels();
    return coverage_of(bounds_, image.size, bounds_ ? 1 : sample_active(image.format, image.pixels, 0, n));
  }

  // How many times as many pixels as active ones an image has, as a power of 2 that all ranks can agree on.
  std::uint64_t emptiness_of(const ImageView& image) const {
    const std::int64_t n = image.size.pixels();
    double active = 0;
    if (bounds_) {
      active = static_cast<double>((bounds_->x1 - bounds_->x0) * (bounds_->y1 - bounds_->y0)) /
               static_cast<double>(std::max<std::int64_t>(n, 1));
    } else if (image.pixels.colour != nullptr) {
      active = sample_active(image.format, image.pixels, 0, n);
    }
    return static_cast<std::uint64_t>(std::clamp(-std::log2(active), 0.0, most_emptiness));
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
              ? compare_with_coverage(data_, alarm_, arguments.call(), emptiness_, coverage_)
              : compare_by_reduction(data_, alarm_, arguments.call(), &emptiness_);
      agree(data_, alarm_, arguments, problem, compare);
    } else if (!problem.empty()) {
      throw ArgumentError(problem);
    }
    if (!node_->alone()) in_node(0);
  }

  // Where the tile's pixels belong in the frame of the node; nothing if there is none.
  PixelBuffer place_in(const detail::TileData& tile) const {
    if (!tile.shared || tile.range.empty()) return {};
    const PixelBuffer whole(tile.shared, tile.format, tile.size.pixels());
    return {tile.shared, advance(whole.view(), tile.format, tile.range.begin)};
  }

  // Bounds that can be made use of: those that were given or, looking for them, those of the active pixels if
  // they leave out enough. Mates read an image nearly as fast as it can be looked through, so where they all
  // do, one is not unless few of its pixels seem to be active. Pixels are counted in 32 bits there.
  std::optional<Rectangle> find_bounds(const ImageView& image) const {
    const std::int64_t n = image.size.pixels();
    if (n > most_counted) return std::nullopt;
    if (image.bounds || image.pixels.colour == nullptr || !options_.sparse) return image.bounds;
    if (node_->everybody()) {
      const double most =
          node_->holds(image.pixels, image.format, n) ? most_active_in_place : most_active_pulled;
      if (sample_active(image.format, image.pixels, 0, n) > most) return std::nullopt;
    }
    const Rectangle box = active_box(image.format, image.pixels, image.size.width, image.size.height);
    const std::int64_t inside = (box.x1 - box.x0) * (box.y1 - box.y0);
    if (static_cast<double>(inside) > most_bounded * static_cast<double>(n)) return std::nullopt;
    return box;
  }

  // Run an action that communicates. After a TimeoutError nothing more can be done with the communicators.
  template <typename Action>
  void guarded(Action action) {
    if (broken_)
      throw TimeoutError(
          "an earlier call of this compositor was given up on the way, so it cannot be used any more; make a "
          "new one");
    try {
      action();
    } catch (const MismatchError&) {
      throw;
    } catch (const ArgumentError&) {
      throw;
    } catch (...) {
      broken_ = true;
      data_.abandon();
      control_.abandon();
      throw;
    }
  }

  void agree_on(const std::string& call, const ImageView& image, const Composition& composition) {
    Arguments arguments(call);
    arguments.add("size", text(image.size));
    const std::string unknown =
        problem_of([&] { arguments.add("format", format_name(image.format)); }) +
        problem_of([&] { arguments.add("op", std::string(op_name(composition.op))); });
    arguments.add("order", composition.order);
    arguments.add("background", text(composition.background));
    const std::string problem =
        unknown.empty() ? problem_of([&] { check_frame(image, composition, size_); }) : unknown;
    Offer offer;
    emptiness_ = 0;
    coverage_ = {};
    bounds_.reset();
    if (problem.empty()) {
      bounds_ = find_bounds(image);
      const bool matters = selection_->chooses() && options_.sparse && options_.check && !node_->everybody();
      if (matters) emptiness_ = emptiness_of(image);
      if (chooses_partition()) coverage_ = own_coverage(image);
      offer.pixels = image.pixels;
      offer.count = image.size.pixels();
      offer.format = image.format;
      offer.frame_bytes = PixelBuffer::bytes(image.format, offer.count);
      offer.width = image.size.width;
      if (bounds_) {
        offer.boxed = true;
        offer.box[0] = bounds_->x0;
        offer.box[1] = bounds_->y0;
        offer.box[2] = bounds_->x1;
        offer.box[3] = bounds_->y1;
      }
    }
    guarded([&] { meet(arguments, problem, offer); });
  }

  const Plan& plan_for(const ImageView& image, const Composition& composition) {
    Setting wanted = setting(image.size.pixels(), composition.order, commutes(composition.op));
    const std::string& name =
        selection_->name(wanted, image.format, std::ldexp(1.0, -static_cast<int>(emptiness_)));
    const bool same = plan_ && name == planned_name_ && wanted.n == planned_.n &&
                      wanted.order == planned_.order && wanted.commutes == planned_.commutes &&
                      image.format == planned_format_;
    if (!same) {
      auto schedule = std::make_shared<const Schedule>(make_schedule(name, wanted));
      plan_ = std::make_unique<Plan>(
          std::move(schedule), rank_,
          WireOptions{options_.chunk_bytes, options_.sparse, options_.wire == Wire::float16}, *node_,
          tag_limit_);
      planned_ = std::move(wanted);
      planned_name_ = name;
      planned_format_ = image.format;
    }
    return *plan_;
  }
};

Compositor::Compositor(MPI_Comm comm, const Options& options)
    : impl_(std::make_unique<Impl>(comm, options, "")) {}
Compositor::Compositor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Compositor::Compositor(Compositor&&) noexcept = default;
Compositor& Compositor::operator=(Compositor&&) noexcept = default;
Compositor::~Compositor() = default;

Tile Compositor::composite(const ImageView& image, const Composition& composition) {
  return impl_->composite(image, composition);
}
std::optional<Frame> Compositor::gather(const Tile& tile, int root, bool with_depth) {
  return impl_->gather(detail::TileAccess::data(tile), root, with_depth);
}
Memory Compositor::allocate(std::size_t bytes) { return impl_->node_->allocate(bytes); }
const Timing& Compositor::timing() const { return impl_->timing_; }
std::string Compositor::algorithm() const {
  return impl_->plan_ ? impl_->plan_->schedule->name() : impl_->options_.algorithm;
}
std::string Compositor::explain() const {
  if (!impl_->plan_) return "Nothing has been composited yet.\n";
  return sortlast::explain(*impl_->plan_->schedule, impl_->planned_format_, *impl_->selection_,
                           impl_->profile_.source, impl_->sharing_, impl_->traffic_, impl_->timing_);
}
void Compositor::trace(bool on) { impl_->recording_ = on; }
const std::vector<Event>& Compositor::events() const { return impl_->events_; }
void Compositor::clear_events() { impl_->events_.clear(); }
int Compositor::rank() const { return impl_->rank_; }
int Compositor::size() const { return impl_->size_; }

Compositor detail::CompositorAccess::make(MPI_Comm comm, const Options& options, const std::string& problem) {
  return Compositor(std::make_unique<Compositor::Impl>(comm, options, problem));
}

void detail::CompositorAccess::refuse(Compositor& compositor, const std::string& call,
                                      const std::string& problem) {
  compositor.impl_->refuse(call, problem);
}

}  // namespace sortlast
