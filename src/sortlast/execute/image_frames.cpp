// Image frames: how a compositor's calls composite and gather one image a rank.
#include "sortlast/execute/compositor_impl.hpp"
#include "sortlast/execute/node/node_image.hpp"

namespace sortlast {
namespace {

// An image that is gathered is dealt out in blocks if no rank's has more active pixels than 2^-this.
constexpr std::uint64_t least_dealt = 1;

}  // namespace

Tile Compositor::Impl::composite(const ImageView& image, const Composition& composition,
                                 const PixelBuffer& out, float background_depth) {
  const Turn turn(busy_, "composite");
  check_mpi_is_there("composite");
  return guarded([&] { return composite_in_turn(image, composition, out, background_depth); });
}

std::optional<Frame> Compositor::Impl::gather(const std::vector<Gathering>& images, bool with_channels) {
  const Turn turn(busy_, "gather");
  check_mpi_is_there("gather");
  return guarded([&] { return gather_in_turn(images, with_channels); });
}

// The way of an image: check and come to the frame, plan, run, hand out the tile.
Tile Compositor::Impl::composite_in_turn(ImageView image, Composition composition, const PixelBuffer& out,
                                         float background_depth) {
  const double begin = trace_clock();
  timing_ = {};
  traffic_ = {};
  layered_ = false;
  boxes_explained_.clear();
  pool_.begin_frame();
  composition.order = normalised(composition.order, size_);
  deadline_ = composition.deadline.value_or(options_.deadline.value_or(0));
  // A wrong one is an error, of which the others shall hear.
  if (!(deadline_ >= 0)) deadline_ = options_.deadline.value_or(0);
  const std::size_t before = pool_.taken();
  agreeing_since_ = begin;
  const std::unique_ptr<CallArrival> arrival = arrive_with(image, composition, out.view());
  const bool early = begins_early(*arrival, image, composition);
  if (early) {
    take_numbers(known_->numbers);
  } else {
    conclude(*arrival);
  }
  const double agreed = trace_clock();
  record({Activity::agree, agreeing_since_, agreed, -1, -1, 0});
  timing_.agree = agreed - begin - timing_.search;
  if (node_->everybody() && !leaves_out()) timing_.late = std::min(node_->late(), timing_.agree);

  const Plan& plan = plan_for(image, composition);
  Contribution contribution = contribution_of(image, composition, background_depth);
  detail::TileData tile{plan.schedule->piece(participant()),
                        image.size,
                        image.format,
                        {},
                        interleaving_.none() && out.view().colour == nullptr ? node_->frame() : Memory(),
                        plan.schedule,
                        maker_,
                        leaves_out() ? attendance_.frame : frame_ + 1,
                        interleaving_};
  if (!left_out_.empty()) {
    tile.ranks = attendance_.ranks;
    tile.left_out = left_out_;
  }
  contribution.result = place_in(tile, out);
  tile.pixels = run_frame(contribution, early ? arrival.get() : nullptr);
  if (arrival->numbers())
    known_ = {image.size, image.format, composition.op, composition.root, *arrival->numbers()};
  frame_ = tile.frame;
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

Contribution Compositor::Impl::contribution_of(const ImageView& image, const Composition& composition,
                                               float background_depth) {
  const std::int64_t n = image.size.pixels();
  const bool dealt = internals_.layout == FrameLayout::interleaved ||
                     (chooses_layout(composition) && survey_.emptiness >= least_dealt);
  interleaving_ = dealt && n <= most_counted ? Interleaving(n, plan_->schedule->p()) : Interleaving();
  background_.reset();
  if (!composition.background.empty())
    background_.emplace(composition.op, image.format, composition.background, background_depth);
  return {{image.pixels, image.size, image.format, survey_.bounds},
          background_ ? &*background_ : nullptr,
          {},
          interleaving_};
}

std::unique_ptr<CallArrival> Compositor::Impl::arrive_with(ImageView& image, const Composition& composition,
                                                           Pixels out) {
  Arguments arguments("composite");
  arguments.add("size", text(image.size));
  const std::string unknown = problem_of([&] { arguments.add("format", format_name(image.format)); }) +
                              problem_of([&] { arguments.add("op", std::string(op_name(composition.op))); });
  arguments.add("order", composition.order);
  arguments.add("background", text(composition.background));
  arguments.add("out", out.colour == nullptr ? "no" : "yes");
  arguments.add("root", std::to_string(composition.root));
  std::string problem = unknown;
  if (problem.empty()) {
    problem = problem_of([&] {
      check_frame(image, composition, size_);
      detail::check_output(image, out);
      if (leaves_out() && image.size.pixels() == 0)
        throw ArgumentError("the image has no pixels; expected some, as late ranks are left out");
    });
  }
  Offer offer;
  survey_ = {};
  if (problem.empty()) {
    if (!composition.premultiplied) image = premultiplied(image, own_image_, *node_);
    survey(image, composition);
    ImageView offered = image;
    offered.bounds = survey_.bounds;
    offer = offer_of(offered);
    offer.frame_bytes = PixelBuffer::bytes(image.format, image.size.pixels());
  }
  return arrive(std::move(arguments), problem, offer, options_.check);
}

// Look at the image as far as the frame's choices depend on it.
void Compositor::Impl::survey(const ImageView& image, const Composition& composition) {
  const double begin = trace_clock();
  const bool compares = options_.check && !node_->everybody();
  const bool matters =
      internals_.sparse && ((algorithm_->chooses() && compares) || chooses_layout(composition));
  survey_ = survey_of(image, {internals_.sparse, matters}, *node_);
  if (!internals_.sparse) return;
  const double end = trace_clock();
  record({Activity::agree, agreeing_since_, begin, -1, -1, 0});
  record({Activity::search, begin, end, -1, -1, 0});
  agreeing_since_ = end;
  timing_.search += end - begin;
}

// Every rank comes to the same answer, unless they disagree. To plan the frame cannot fail, as the last one
// was planned, from which it differs in its order at most.
bool Compositor::Impl::begins_early(const CallArrival& arrival, const ImageView& image,
                                    const Composition& composition) const {
  return arrival.may_begin() && known_ && known_->size == image.size && known_->format == image.format &&
         known_->op == composition.op && known_->root == composition.root;
}

PixelBuffer Compositor::Impl::run_frame(const Contribution& contribution, CallArrival* arrival) {
  if (!exchange_) exchange_ = std::make_shared<PixelExchange>(plan_, context());
  return exchange_->run(contribution, context(), arrival);
}

// Between machines a byte that is left out spares the network. On one machine a message is little more than a
// copy. There a chunk with the share s of active pixels is worth a search only if reading it, and packing,
// sending and opening the active pixels, takes less than to send all of it: read + s (2 copy + beta) < beta.
WireOptions Compositor::Impl::wire_options() const {
  WireOptions wire{internals_.chunk_bytes, internals_.sparse, options_.wire == Wire::float16};
  if (cores_ == 0) return wire;
  const Machine& machine = profile_.machine;
  const double saved = machine.node_beta - machine.gamma_read;
  const double pays = saved > 0 ? saved / (2 * machine.copy + machine.node_beta) : 0;
  wire.most_active = std::min(wire.most_active, pays);
  return wire;
}

const Plan& Compositor::Impl::plan_for(const ImageView& image, const Composition& composition) {
  Setting wanted = setting(image.size.pixels(), composition.order, commutes(composition.op));
  if (leaves_out()) {
    wanted = setting_without_late(std::move(wanted));
    const bool known = plan_ && attendance_.ranks == planned_ranks_;
    if (!known || wanted.order != plan_->schedule->setting().order) algorithm_->forget();
  }
  const std::string name = fitting_algorithm(
      algorithm_->name(wanted, image.format, std::ldexp(1.0, -static_cast<int>(survey_.emptiness))), wanted);
  if (!planned(wanted, name, image.format, composition.op)) {
    auto schedule = settled([&] { return std::make_shared<const Schedule>(make_schedule(name, wanted)); });
    exchange_.reset();
    plan_ = std::make_shared<const Plan>(std::move(schedule), participant(), image.format, composition.op,
                                         wire_options(), tag_limit_ - head_tags, attendance_.ranks);
    planned_ranks_ = attendance_.ranks;
    planned_name_ = name;
    planned_format_ = image.format;
  }
  return *plan_;
}

bool Compositor::Impl::planned(const Setting& wanted, const std::string& name, const Format& format,
                               Op op) const {
  if (!plan_) return false;
  const Setting& known = plan_->schedule->setting();
  return name == planned_name_ && wanted.n == known.n && wanted.order == known.order &&
         wanted.commutes == known.commutes && attendance_.ranks == planned_ranks_ &&
         format == planned_format_ && op == plan_->indexed.op;
}

PixelBuffer Compositor::Impl::place_in(const detail::TileData& tile, const PixelBuffer& out) {
  if (tile.range.empty() || !tile.interleaving.none()) return {};
  const bool given = out.view().colour != nullptr;
  if (!given && !tile.shared) return {};
  const PixelBuffer whole = given ? out : PixelBuffer(tile.shared, tile.format, tile.size.pixels());
  return {whole.memory(), advance(whole.view(), tile.format, tile.range.begin)};
}

// ---- Gathering --------------------------------------------------------------------------------------

std::optional<Frame> Compositor::Impl::gather_in_turn(const std::vector<Gathering>& images,
                                                      bool with_channels) {
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
  if (leaves_out()) {
    meet_to_gather(arguments, problem, images.front().tile);
  } else {
    meet(arguments, problem, {});
  }
  std::optional<Frame> frame = gather_tiles(images, wire_options(), context());
  if (with_channels) gather_channels(images.front(), frame);
  const double end = trace_clock();
  record({Activity::gather, begin, end, images.empty() ? -1 : images.front().root, -1, 0});
  timing_.gather = end - begin;
  timing_.total += timing_.gather;
  return frame;
}

void Compositor::Impl::check_gathering(const Gathering& image, bool with_channels) const {
  if (image.root < 0 || image.root >= size_) {
    throw ArgumentError("root is " + std::to_string(image.root) + "; expected a rank, 0.." +
                        std::to_string(size_ - 1));
  }
  if (image.tile.maker != maker_)
    throw ArgumentError("the tile is not one that composite() of this compositor returned");
  const auto& left_out = image.tile.left_out;
  if (image.tile.schedule && std::binary_search(left_out.begin(), left_out.end(), image.root))
    throw ArgumentError("root " + std::to_string(image.root) + " was left out of frame " +
                        std::to_string(image.tile.frame) + "; expected a rank whose image is in it");
  if (image.with_depth && !image.tile.format.depth)
    throw ArgumentError("depth was asked for; the images had none");
  if (with_channels && image.tile.channels.empty())
    throw ArgumentError("channels were asked for; the images had none");
  const Pixels out = image.out.view();
  if (rank_ == image.root && out.colour != nullptr && image.with_depth && out.depth == nullptr)
    throw ArgumentError("out has no depth plane; expected one, as the depth is gathered too");
}

}  // namespace sortlast
