#include "frame.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "meeting.hpp"
#include "projection.hpp"
#include "render.hpp"
#include "report.hpp"
#include "sortlast/error.hpp"
#include "strategy.hpp"
#include "tiles.hpp"

namespace sortlast::icet {
namespace {

// The valid part of given pixels, as a viewport of the picture.
Viewport valid_part(const Given& given, const Viewport& global) {
  Viewport part = intersection(given.valid, {0, 0, global[2], global[3]});
  part[0] = is_empty(part) ? global[0] : part[0] + global[0];
  part[1] = is_empty(part) ? global[1] : part[1] + global[1];
  return part;
}

void begin_frame(IceTContextStruct& context, const FrameRequest& request) {
  FrameState& frame = context.frame;
  const Settings& settings = context.settings;
  const auto matrix = [](const IceTDouble* given) {
    Matrix result = identity;
    if (given != nullptr) std::copy(given, given + 16, result.begin());
    return result;
  };
  context.result = {};
  frame.times = {};
  frame.draw = request.draw;
  frame.pre_rendered = request.given != nullptr;
  frame.projection = matrix(request.projection);
  frame.modelview = matrix(request.modelview);
  frame.background = background_of(request);
  const bool blends = settings.mode == ICET_COMPOSITE_MODE_BLEND;
  frame.drawn_background = blends ? Colour{} : frame.background;
  frame.corrects_background =
      blends && settings.on(ICET_CORRECT_COLORED_BACKGROUND) && frame.background != Colour{};
  ++frame.count;

  // Find the part that this rank draws.
  const Viewport global = global_viewport(settings);
  const Seen seen = project(settings.bounds, multiply(frame.projection, frame.modelview), global);
  Viewport viewport = seen.viewport;
  if (request.given != nullptr) viewport = intersection(viewport, valid_part(*request.given, global));
  const Share share = share_of_group(settings, whole_share(settings, viewport), context.rank);
  frame.contained = share.viewport;
  frame.mask = share.mask;
  frame.near = seen.near;
  frame.far = seen.far;

  // Describe the pixels that this rank receives if all tiles are collected.
  frame.valid_tile = displayed_tile(context);
  frame.valid_offset = 0;
  frame.valid_number = 0;
  if (frame.valid_tile >= 0) {
    const Viewport& tile = settings.tiles[static_cast<std::size_t>(frame.valid_tile)].viewport;
    frame.valid_number = tile[2] * tile[3];
  }
}

// Share the tiles in which each rank draws; tiles in which no rank draws are not composited. Not needed for a
// single tile.
void share_masks(IceTContextStruct& context) {
  FrameState& frame = context.frame;
  frame.masks.clear();
  if (frame.mask.size() > 1) frame.masks = values_of_all(*context.compositor, "frame", frame.mask);
}

// This rank's parts of the tiles. Exceptions of the callback concern only this rank, whatever their type.
std::vector<Part> parts_of(IceTContextStruct& context, Image& given) {
  try {
    return context.frame.pre_rendered ? tiles_of(context, given) : draw_tiles(context);
  } catch (const ArgumentError& error) {
    throw Failure(ICET_INVALID_OPERATION, error.what());
  } catch (const UsageError& error) {
    throw Failure(ICET_INVALID_OPERATION, error.what());
  } catch (const MismatchError& error) {
    throw Failure(ICET_INVALID_VALUE, error.what());
  }
}

// Run the frame on which all ranks have agreed. If it fails, there is no picture.
void run_frame(IceTContextStruct& context, const FrameRequest& request) {
  FrameState& frame = context.frame;
  const double begin = icetWallTime();
  try {
    begin_frame(context, request);
    struct Drawing {  // reset when the frame ends, for any reason
      bool& state;
      explicit Drawing(bool& of) : state(of) { state = true; }
      ~Drawing() { state = false; }
    };
    const Drawing drawing(frame.drawing);
    share_masks(context);
    Image given;
    if (request.given != nullptr) given = given_image(context, *request.given);
    const double draw_begin = trace_clock();
    const std::vector<Part> parts = parts_of(context, given);
    const double draw_end = trace_clock();
    composite_tiles(context, parts);

    // A rank that the others may have abandoned before it arrived, and that waits for none of them, must
    // check.
    constexpr double time_to_hear = 1;  // [s]
    if (icetWallTime() - begin > context.limit / 2) Access::listen(*context.compositor, time_to_hear);
    frame.times.total = icetWallTime() - begin;
    report_frame(context, draw_begin, draw_end);
  } catch (...) {
    context.result = {};
    frame.valid_tile = -1;
    frame.valid_offset = 0;
    frame.valid_number = 0;
    throw;
  }
}

}  // namespace

IceTImage make_frame(IceTContextStruct& context, const FrameRequest& request) {
  try {
    if (context.frame.drawing)
      throw Failure(ICET_INVALID_OPERATION, "a frame was begun in a draw callback; draw one at a time");
    const double begin = icetWallTime();
    in_meeting(context, [&](Compositor& compositor) {
      agree_on(context, request);
      const Settings& settings = context.settings;
      Access::use(compositor, algorithm_of(settings, context.size));
      compositor.trace(wants_trace());
      run_frame(context, request);
    });
    context.frame.times.total = icetWallTime() - begin;
    return context.result.pixels.view().colour == nullptr ? icetImageNull() : context.result.face();
  } catch (...) {
    raise_current_exception();
    return icetImageNull();
  }
}

}  // namespace sortlast::icet

using namespace sortlast::icet;

IceTImage icetDrawFrame(const IceTDouble* projection_matrix, const IceTDouble* modelview_matrix,
                        const IceTFloat* background_color) {
  return entry(icetImageNull(), [&](IceTContextStruct& context) {
    return make_frame(
        context, {projection_matrix, modelview_matrix, background_color, context.settings.draw, nullptr, {}});
  });
}

IceTImage icetCompositeImage(const IceTVoid* color_buffer, const IceTVoid* depth_buffer,
                             const IceTInt* valid_pixels_viewport, const IceTDouble* projection_matrix,
                             const IceTDouble* modelview_matrix, const IceTFloat* background_color) {
  return entry(icetImageNull(), [&](IceTContextStruct& context) {
    const Viewport global = global_viewport(context.settings);
    Given given{color_buffer, depth_buffer, {0, 0, global[2], global[3]}};
    if (valid_pixels_viewport != nullptr)
      std::copy(valid_pixels_viewport, valid_pixels_viewport + 4, given.valid.begin());
    return make_frame(context, {projection_matrix, modelview_matrix, background_color, nullptr, &given, {}});
  });
}
