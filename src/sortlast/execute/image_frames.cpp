// Image frames: composites and gathers one image per rank.
#include "sortlast/execute/compositor_impl.hpp"
#include "sortlast/execute/node/node_image.hpp"
#include "sortlast/schedule/collect.hpp"

namespace sortlast {
namespace {

// A gathered image is dealt out in blocks if no rank's image has a larger share of active pixels.
constexpr double most_active_dealt = 0.5;

// Maximum number of active pixels of all images together, relative to the frame, for images that go straight
// to the root. The shares are rounded up by at most 2^(1/4).
constexpr double most_active_collected = 1.25;

}  // namespace

// A frame that is complete on one rank moves n (p-1)/p pixels to it after compositing. If all images together
// have no more active pixels than that, it is better that each goes straight to the root.
// So it is if all images are in the memory of one GPU, which executes the kernels of one process at a time.
bool Compositor::Impl::collects(const Composition& composition) const {
  if (!uses_profile() || session_.size == 1 || composition.root < 0) return false;
  return devices_.on_one_gpu || (chooses_layout(composition) &&
                                 session_.size * images_.survey.most_active() <= most_active_collected);
}

Tile Compositor::Impl::composite(const ImageView& image, const Composition& composition,
                                 const PixelBuffer& out, float background_depth) {
  return session_.call("composite",
                       [&] { return composite_in_turn(image, composition, out, background_depth); });
}

std::optional<Frame> Compositor::Impl::gather(const std::vector<Gathering>& images, bool with_channels) {
  return session_.call("gather", [&] { return gather_in_turn(images, with_channels); });
}

// The steps of a frame: arrive, plan, run, return the tile.
Tile Compositor::Impl::composite_in_turn(ImageView image, Composition composition, const PixelBuffer& out,
                                         float background_depth) {
  const double begin = begin_frame(composition);
  const std::size_t before = session_.pool.taken();

  // Arrive, and wait for the others unless the frame can begin without them.
  const std::unique_ptr<CallArrival> arrival = arrive_with(image, composition, out);
  settle_devices(image);
  const bool early = begins_early(*arrival, image, composition);
  if (early) {
    images_.take_numbers(images_.known->numbers);
  } else {
    conclude(*arrival);
  }
  record_agreement(begin);

  // Plan.
  const Plan& plan = plan_for(image, composition);
  Contribution contribution = contribution_of(image, composition, background_depth);
  detail::TileData tile = tile_of(plan, image, out);

  // Run.
  CallArrival* const waiting = early ? arrival.get() : nullptr;
  if (image.memory == MemoryKind::device) {
    tile.pixels = run_on_device(contribution, composition, background_depth, place_in(tile, out), waiting);
  } else {
    contribution.result = place_in(tile, devices_.given ? PixelBuffer() : out);
    tile.pixels = run_frame(contribution, waiting);
    tile.has_frame = contribution.result.view().colour == nullptr && tile.interleaving.none() &&
                     tile.range.size() == tile.size.pixels();
  }
  if (devices_.given) finish_on_device(tile, out);
  if (arrival->numbers())
    images_.known = {image.size, image.format, composition.op, composition.root, *arrival->numbers()};

  // Return the tile.
  if (out.view().colour != nullptr && !devices_.given)
    detail::put_pixels(tile.interleaving, tile.format, tile.range, tile.pixels.view(), out.view());
  record_memory(before, contribution.result.view().colour == nullptr ? tile : detail::TileData{});
  statistics_.timing.total = trace_clock() - begin;
  return detail::TileAccess::make(std::move(tile));
}

// Reset the data of the last frame. Returns the current time.
double Compositor::Impl::begin_frame(Composition& composition) {
  const double begin = trace_clock();
  statistics_.timing = {};
  statistics_.traffic = {};
  statistics_.layered = false;
  statistics_.boxes_explained.clear();
  statistics_.agreeing_since = begin;
  session_.pool.begin_frame();
  devices_.begin_frame();
  composition.order = normalised(composition.order, session_.size);
  const double usual = session_.options.deadline.value_or(0);
  attendees_.deadline = composition.deadline.value_or(usual);
  if (!(attendees_.deadline >= 0)) attendees_.deadline = usual;  // an error; the others must learn of it
  return begin;
}

void Compositor::Impl::record_agreement(double begin) {
  Timing& timing = statistics_.timing;
  const double agreed = trace_clock();
  statistics_.record({Activity::agree, statistics_.agreeing_since, agreed, -1, -1, 0});
  timing.agree = agreed - begin - timing.search;
  if (session_.node->everybody() && !leaves_out())
    timing.late = std::min(session_.node->late(), timing.agree);
}

// `before`: bytes of the pool in use before the frame. The pixels of `result` are not counted.
void Compositor::Impl::record_memory(std::size_t before, const detail::TileData& result) {
  const auto bytes = result.range.size() * static_cast<std::int64_t>(result.format.pixel_bytes());
  statistics_.timing.peak_bytes =
      std::max<std::int64_t>(0, static_cast<std::int64_t>(session_.pool.peak() - before) - bytes);
}

// This rank's tile, without pixels.
detail::TileData Compositor::Impl::tile_of(const Plan& plan, const ImageView& image, const PixelBuffer& out) {
  const Interleaving& interleaving = images_.interleaving;
  const bool shared = interleaving.none() && out.view().colour == nullptr && image.memory == MemoryKind::host;
  frame_ = leaves_out() ? attendees_.attendance.frame : frame_ + 1;
  detail::TileData tile{plan.schedule->piece(participant()),
                        image.size,
                        image.format,
                        {},
                        shared ? session_.node->frame() : Memory(),
                        plan.schedule,
                        session_.maker,
                        frame_,
                        interleaving};
  if (!attendees_.left_out.empty()) {
    tile.ranks = attendees_.attendance.ranks;
    tile.left_out = attendees_.left_out;
  }
  return tile;
}

Contribution Compositor::Impl::contribution_of(const ImageView& image, const Composition& composition,
                                               float background_depth) {
  const std::int64_t n = image.size.pixels();
  const bool dealt = internals_.layout == FrameLayout::interleaved ||
                     (chooses_layout(composition) && !collects(composition) &&
                      images_.survey.most_active() <= most_active_dealt);
  images_.interleaving =
      dealt && n <= most_counted ? Interleaving(n, images_.plan->schedule->p()) : Interleaving();
  background_.reset();
  if (!composition.background.empty())
    background_.emplace(composition.op, image.format, composition.background, background_depth);
  return {{image.pixels, image.size, image.format, images_.survey.bounds, image.memory, image.stream},
          background_ ? &*background_ : nullptr,
          {},
          images_.interleaving};
}

std::unique_ptr<CallArrival> Compositor::Impl::arrive_with(ImageView& image, const Composition& composition,
                                                           const PixelBuffer& out) {
  Arguments arguments("composite");
  arguments.add("size", text(image.size));
  const std::string unknown = problem_of([&] { arguments.add("format", format_name(image.format)); }) +
                              problem_of([&] { arguments.add("op", std::string(op_name(composition.op))); });
  arguments.add("order", composition.order);
  arguments.add("background", text(composition.background));
  arguments.add("out", out.view().colour == nullptr ? "no" : "yes");
  arguments.add("root", std::to_string(composition.root));
  std::string problem = unknown;
  if (problem.empty()) {
    problem = problem_of([&] {
      check_frame(image, composition, session_.size);
      detail::check_output(image, out.view());
      image = taken_from_device(image, composition, out);
      if (leaves_out() && image.size.pixels() == 0)
        throw ArgumentError("the image has no pixels; expected some, as late ranks are left out");
    });
  }
  Offer offer;
  images_.survey = {};
  if (problem.empty()) {
    if (!composition.premultiplied && image.memory == MemoryKind::host)
      image = premultiplied(image, own_image_, *session_.node);
    survey(image, composition);
    ImageView offered = image;
    offered.bounds = images_.survey.bounds;
    offer = offer_of(offered, devices_.exported ? &*devices_.exported : nullptr);
    if (image.memory == MemoryKind::host)
      offer.frame_bytes = PixelBuffer::bytes(image.format, image.size.pixels());
  }
  return arrive(std::move(arguments), problem, offer, session_.options.check);
}

// Look at the image as far as the choices for this frame depend on it.
void Compositor::Impl::survey(const ImageView& image, const Composition& composition) {
  if (image.memory == MemoryKind::device) {
    images_.survey.bounds = image.bounds;
    return;
  }
  const double begin = trace_clock();
  const bool compares = session_.options.check && !session_.node->everybody();
  const bool matters =
      internals_.sparse && ((images_.algorithm->chooses() && compares) || chooses_layout(composition));
  images_.survey = survey_of(image, {internals_.sparse, matters}, *session_.node);
  if (!internals_.sparse) return;
  const double end = trace_clock();
  statistics_.record({Activity::agree, statistics_.agreeing_since, begin, -1, -1, 0});
  statistics_.record({Activity::search, begin, end, -1, -1, 0});
  statistics_.agreeing_since = end;
  statistics_.timing.search += end - begin;
}

// Every rank gets the same answer, unless the ranks disagree. Planning cannot fail: the last frame was
// planned, and this one differs from it at most in its order.
bool Compositor::Impl::begins_early(const CallArrival& arrival, const ImageView& image,
                                    const Composition& composition) const {
  const auto& known = images_.known;
  return arrival.may_begin() && known && known->size == image.size && known->format == image.format &&
         known->op == composition.op && known->root == composition.root;
}

PixelBuffer Compositor::Impl::run_frame(const Contribution& contribution, CallArrival* arrival) {
  if (!images_.exchange) images_.exchange = std::make_shared<PixelExchange>(images_.plan, context());
  return images_.exchange->run(contribution, context(), arrival);
}

// Between machines, every byte left out saves network time. On one machine a message costs little more than a
// copy. There, a chunk with a share s of active pixels is worth searching only if reading it and then
// packing, sending and unpacking the active pixels takes less time than sending all of it: read + s (2 copy +
// beta) < beta.
WireOptions Compositor::Impl::wire_options() const {
  WireOptions wire{internals_.chunk_bytes, internals_.sparse, session_.options.wire == Wire::float16};
  if (images_.cores == 0) return wire;
  const Machine& machine = images_.profile.machine;
  const double saved = machine.node_beta - machine.gamma_read;
  const double pays = saved > 0 ? saved / (2 * machine.copy + machine.node_beta) : 0;
  wire.most_active = std::min(wire.most_active, pays);
  return wire;
}

const Plan& Compositor::Impl::plan_for(const ImageView& image, const Composition& composition) {
  Setting wanted = session_.setting(image.size.pixels(), composition.order, commutes(composition.op));
  if (leaves_out()) {
    wanted = setting_without_late(std::move(wanted));
    const bool known = images_.plan && attendees_.attendance.ranks == images_.ranks;
    if (!known || wanted.order != images_.plan->schedule->setting().order) images_.algorithm->forget();
  }
  const bool collected = collects(composition);
  const std::string name =
      collected ? "collect:" + std::to_string(composition.root)
                : fitting_algorithm(
                      images_.algorithm->name(wanted, image.format, images_.survey.roughly_active()), wanted);
  if (!images_.planned(wanted, name, attendees_.attendance.ranks, image.format, composition.op)) {
    const auto schedule = settled([&] {
      return std::make_shared<const Schedule>(collected ? collect_schedule(wanted, composition.root)
                                                        : make_schedule(name, wanted));
    });
    images_.exchange.reset();
    devices_.exchange.reset();
    images_.plan =
        std::make_shared<const Plan>(schedule, participant(), image.format, composition.op, wire_options(),
                                     session_.tag_limit - LayerPlans::head_tags, attendees_.attendance.ranks);
    images_.ranks = attendees_.attendance.ranks;
    images_.name = name;
    images_.format = image.format;
  }
  return *images_.plan;
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
  const bool one = images.size() == 1;
  if (leaves_out()) {
    meet_to_gather(arguments, problem, images.front().tile);
  } else {
    meet(arguments, problem, problem.empty() && one ? offer_of_tile(images.front().tile) : Offer());
  }
  const bool devices = one && gathers_devices(images.front());
  std::optional<Frame> frame =
      devices ? gather_devices(images.front()) : gather_tiles(images, wire_options(), context());
  if (with_channels) gather_channels(images.front(), frame);
  const double end = trace_clock();
  statistics_.record({Activity::gather, begin, end, images.empty() ? -1 : images.front().root, -1, 0});
  statistics_.timing.gather = end - begin;
  statistics_.timing.total += statistics_.timing.gather;
  return frame;
}

void Compositor::Impl::check_gathering(const Gathering& image, bool with_channels) const {
  if (image.root < 0 || image.root >= session_.size) {
    throw ArgumentError("root is " + std::to_string(image.root) + "; expected a rank, 0.." +
                        std::to_string(session_.size - 1));
  }
  if (image.tile.maker != session_.maker)
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
  if (session_.rank == image.root && out.colour != nullptr && image.with_depth && out.depth == nullptr)
    throw ArgumentError("out has no depth plane; expected one, as the depth is gathered too");
}

}  // namespace sortlast
