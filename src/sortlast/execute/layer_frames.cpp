// Layer frames.
#include "sortlast/execute/layer_frames.hpp"

#include "sortlast/execute/compositor_impl.hpp"
#include "sortlast/schedule/collect.hpp"
#include "sortlast/schedule/nodes.hpp"

namespace sortlast {
namespace {

// Whether the ranks of each node exchange everything in place, so that no rank sends a message.
bool all_spared(const Schedule& schedule) {
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    const std::vector<bool> spared = spared_transfers(schedule.program(rank), schedule.setting()).sends;
    if (std::find(spared.begin(), spared.end(), false) != spared.end()) return false;
  }
  return true;
}

}  // namespace

Tile Compositor::Impl::composite_layers(const LayerCall& call, const PixelBuffer& out) {
  refuse_if_leaving_out("fragments and channels");
  return session_.call("composite", [&] { return composite_layers_in_turn(call, out); });
}

std::optional<std::vector<LayerString>> Compositor::Impl::gather_layers(const detail::TileData& tile,
                                                                        int root,
                                                                        const std::string& problem) {
  return session_.call("gather", [&] { return gather_layers_in_turn(tile, root, problem); });
}

// The steps of a frame: check and agree, make the content, run, return the tile.
Tile Compositor::Impl::composite_layers_in_turn(const LayerCall& call, const PixelBuffer& out) {
  const double begin = trace_clock();
  session_.pool.begin_frame();
  agree_on_layers(call, out);
  const double agreed = trace_clock();
  statistics_.record({Activity::agree, begin, agreed, -1, -1, 0});
  Tile tile = run_layers(call, out);
  statistics_.timing.agree = agreed - begin;
  statistics_.timing.total = trace_clock() - begin;
  return tile;
}

void Compositor::Impl::begin_layers() {
  statistics_.timing = {};
  statistics_.traffic = {};
  images_.interleaving = {};
  statistics_.boxes_explained.clear();
  statistics_.layered = true;
  if (session_.node->everybody()) statistics_.timing.late = session_.node->late();
}

Tile Compositor::Impl::run_layers(const LayerCall& call, const PixelBuffer& out) {
  begin_layers();
  const std::shared_ptr<const Schedule>& schedule = schedule_of_layers(call);
  FrameContext with = context();
  with.all_in_place = layers_.in_place;
  const std::unique_ptr<const StringCodec> content = call.content(with);
  const std::size_t before = session_.pool.taken();
  detail::TileData tile{
      schedule->piece(session_.rank), call.size, call.format, {}, {}, schedule, session_.maker, ++frame_, {}};
  const auto place = [&] {
    if (out.view().colour == nullptr && call.collected_at < 0) tile.shared = session_.node->frame();
    tile.pixels = place_in(tile, out);
    if (tile.pixels.view().colour == nullptr) {
      tile.pixels = take_pixels(session_.pool, call.format, tile.range.size());
      tile.has_frame = call.collected_at == session_.rank;
    }
    return tile.pixels;
  };
  if (call.prepare) call.prepare(tile);
  if (!layers_.exchange) {
    const auto plan =
        std::make_shared<const Plan>(schedule, session_.rank, session_.tag_limit - LayerPlans::head_tags);
    layers_.exchange = std::make_shared<StringExchange>(plan, context());
  }
  tile.joined = std::make_shared<const std::vector<LayerString>>(
      layers_.exchange->run(*content, call.format, place, string_options(), context()));
  const bool own_pixels = out.view().colour == nullptr && !tile.shared;
  const std::size_t result = own_pixels ? PixelBuffer::bytes(call.format, tile.range.size()) : 0;
  statistics_.timing.peak_bytes = std::max<std::int64_t>(
      0,
      static_cast<std::int64_t>(session_.pool.peak() - before + layers_.exchange->shared_bytes() - result));
  return detail::TileAccess::make(std::move(tile));
}

void Compositor::Impl::agree_on_layers(const LayerCall& call, const PixelBuffer& out) {
  Arguments arguments("composite");
  arguments.add("size", text(call.size));
  std::string problem = problem_of([&] { arguments.add("format", format_name(call.format)); });
  arguments.add("out", out.view().colour == nullptr ? "no" : "yes");
  for (const auto& [name, value] : call.arguments) arguments.add(name, value);
  if (problem.empty()) problem = call.problem;
  if (problem.empty()) {
    problem = problem_of([&] {
      check_size(call.size, call.format);
      check_on_host(MemoryKind::host, out);
      detail::check_output(ImageView::none(call.size, call.format), out.view());
    });
  }
  images_.survey = {};
  Offer offer;
  const auto readable = [&](const Span& span) { return session_.node->readable(span); };
  if (problem.empty() && std::all_of(call.exposed.begin(), call.exposed.end(), readable))
    offer.spans = call.exposed;
  meet(arguments, problem, offer);
}

std::string Compositor::Impl::explain_layers() const {
  const Schedule& schedule = *layers_.schedule;
  std::string text = statistics_.boxes_explained + schedule.name() + " composited " +
                     std::to_string(schedule.n()) + " pixels of contents of varying size in " +
                     std::to_string(schedule.stages()) +
                     (schedule.stages() == 1 ? " stage.\n" : " stages.\n");
  if (session_.options.algorithm == "auto") {
    text +=
        "auto chose it as it moves each contribution once, straight to the rank that finishes its pixels.\n";
  } else {
    text += "The algorithm was asked for by name.\n";
  }
  if (statistics_.traffic.direct + statistics_.traffic.pulled > 0)
    text += "This rank read what " + std::to_string(statistics_.traffic.direct) +
            " ranks of its node gave it where it lies, and " + std::to_string(statistics_.traffic.pulled) +
            " through the kernel.\n";
  text += "This rank sent " + std::to_string(statistics_.timing.messages_sent) + " messages of " +
          std::to_string(statistics_.timing.bytes_sent) + " bytes in all, and received " +
          std::to_string(statistics_.timing.messages_received) + " of " +
          std::to_string(statistics_.timing.bytes_received) + " bytes.\n";
  return text;
}

const std::shared_ptr<const Schedule>& Compositor::Impl::schedule_of_layers(const LayerCall& call) {
  const Setting wanted = session_.setting(call.size.pixels(), {}, true);
  const bool collected = call.collected_at >= 0;
  const std::string chosen =
      session_.options.algorithm == "auto" ? "direct-send" : session_.options.algorithm;
  const std::string name = collected ? "collect:" + std::to_string(call.collected_at) : chosen;
  if (!layers_.schedule || layers_.name != name || layers_.schedule->n() != wanted.n) {
    layers_.exchange.reset();
    layers_.schedule = std::make_shared<const Schedule>(
        collected ? collect_schedule(wanted, call.collected_at) : make_schedule(name, wanted));
    layers_.name = name;
    layers_.in_place = session_.node->everybody() && all_spared(*layers_.schedule);
  }
  return layers_.schedule;
}

// Each call gets a different head tag, because one rank may still be in a call when another begins the next.
StringOptions Compositor::Impl::string_options() {
  layers_.calls = (layers_.calls + 1) % LayerPlans::head_tags;
  return {internals_.chunk_bytes, session_.tag_limit - layers_.calls,
          session_.tag_limit - LayerPlans::head_tags};
}

std::optional<std::vector<LayerString>> Compositor::Impl::gather_layers_in_turn(const detail::TileData& tile,
                                                                                int root,
                                                                                const std::string& problem) {
  const double begin = trace_clock();
  Arguments arguments("gather");
  arguments.add("root", std::to_string(root));
  arguments.add("flatten", "no");
  arguments.add("frame", std::to_string(tile.frame));
  std::string found = problem;
  if (found.empty()) found = problem_of([&] { check_gathering({tile, root, false, {}}); });
  meet(arguments, found, {});
  static const std::vector<LayerString> nothing;
  std::optional<std::vector<LayerString>> strings =
      gather_strings(tile.joined ? *tile.joined : nothing, root, string_options(), context());
  const double end = trace_clock();
  statistics_.record({Activity::gather, begin, end, root, -1, 0});
  statistics_.timing.gather = end - begin;
  statistics_.timing.total += statistics_.timing.gather;
  return strings;
}

}  // namespace sortlast
