#include "frame.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

#include "communicator.hpp"
#include "projection.hpp"
#include "render.hpp"
#include "report.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "strategy.hpp"
#include "tiles.hpp"

namespace sortlast::icet {
namespace {

using Named = std::vector<std::pair<std::string, std::string>>;
using Access = detail::CompositorAccess;

// ---- What is asked ----------------------------------------------------------------------------------

// What is wrong with a frame of these settings, or nothing.
std::string problem_of(const Settings& settings, const FrameRequest& request) {
  if (settings.strategy == ICET_STRATEGY_UNDEFINED) return "no strategy is set; set one by icetStrategy()";
  if (settings.tiles.empty()) return "there is no tile to show the picture; add one by icetAddTile()";
  if (request.drawn == nullptr && settings.draw == nullptr)
    return "there is no draw callback; set one by icetDrawCallback()";
  if (request.drawn == nullptr && (settings.physical_width < 1 || settings.physical_height < 1))
    return "the physical render size is 0; set it by icetPhysicalRenderSize()";
  const bool blends = settings.mode == ICET_COMPOSITE_MODE_BLEND;
  if (blends && settings.colour_format != ICET_IMAGE_COLOR_RGBA_UBYTE &&
      settings.colour_format != ICET_IMAGE_COLOR_RGBA_FLOAT) {
    return "ICET_COMPOSITE_MODE_BLEND wants colours with alpha; set ICET_IMAGE_COLOR_RGBA_UBYTE or "
           "_RGBA_FLOAT by "
           "icetSetColorFormat()";
  }
  if (!blends && settings.depth_format == ICET_IMAGE_DEPTH_NONE) {
    return "ICET_COMPOSITE_MODE_Z_BUFFER wants a depth; set ICET_IMAGE_DEPTH_FLOAT by icetSetDepthFormat(), "
           "or blend";
  }
  const auto given = [](const void* matrix) { return matrix != nullptr; };
  if (given(request.projection) != given(request.modelview))
    return "one of the two matrices is NULL; give both or none";
  if (!given(request.projection) && (request.drawn == nullptr || !settings.bounds.empty()))
    return "the matrices are NULL; they are needed to draw and for bounding vertices";
  if (request.drawn == nullptr) return {};
  const Pixels pixels = request.drawn->pixels.view();
  if (pixels.colour == nullptr) return "icetCompositeImage: the colour buffer is NULL";
  if (settings.depth_format == ICET_IMAGE_DEPTH_FLOAT && pixels.depth == nullptr)
    return "icetCompositeImage: the depth buffer is NULL; expected one, or ICET_IMAGE_DEPTH_NONE";
  return {};
}

std::string text(const std::vector<IceTInt>& list) {
  std::string result;
  for (const IceTInt value : list) result += (result.empty() ? "" : ",") + std::to_string(value);
  return result;
}

// What all ranks must ask alike, as text.
Named asked(const Settings& settings, bool drawn, int p) {
  std::string tiles;
  for (const auto& [v, rank] : settings.tiles) {
    std::ostringstream tile;
    tile << (tiles.empty() ? "" : " ") << v[2] << "x" << v[3] << "+" << v[0] << "+" << v[1] << "@" << rank;
    tiles += tile.str();
  }
  Named named = {{"frame", drawn ? "icetCompositeImage" : "icetDrawFrame"},
                 {"tiles", tiles},
                 {"colour format", hexadecimal(settings.colour_format)},
                 {"depth format", hexadecimal(settings.depth_format)},
                 {"composite mode", hexadecimal(settings.mode)},
                 {"strategy", hexadecimal(settings.strategy)},
                 {"single image strategy", hexadecimal(settings.single_image_strategy)},
                 {"algorithm", algorithm_of(settings, p)},
                 {"ordered", settings.is_ordered() ? "yes" : "no"},
                 {"collect images", settings.on(ICET_COLLECT_IMAGES) ? "yes" : "no"},
                 {"interlace images", settings.on(ICET_INTERLACE_IMAGES) ? "yes" : "no"},
                 {"correct background", settings.on(ICET_CORRECT_COLORED_BACKGROUND) ? "yes" : "no"}};
  if (settings.is_ordered()) named.emplace_back("composite order", text(settings.order));
  return named;
}

// ---- The compositor ---------------------------------------------------------------------------------

double timeout() {
  const char* text = std::getenv("SORTLAST_ICET_TIMEOUT");
  if (text == nullptr) return 600;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*text != '\0' && *end == '\0' && seconds > 0) return seconds;
  raise_warning(ICET_INVALID_VALUE, std::string("SORTLAST_ICET_TIMEOUT=") + text +
                                        " in the environment; expected seconds above 0, and took 600");
  return 600;
}

void make_compositor(IceTContextStruct& context) {
  Options options;
  options.timeout = timeout();
  options.partition = Partition::automatic;
  context.drawn.clear();
  context.cut.clear();
  context.compositor.reset();
  context.compositor.emplace(mpi_of(context.communicator), options);
  context.alone = Access::on_one_machine(*context.compositor);
  if (wants_trace()) context.compositor->trace(true);
}

// ---- A frame ----------------------------------------------------------------------------------------

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
  frame.pre_rendered = request.drawn != nullptr;
  frame.projection = matrix(request.projection);
  frame.modelview = matrix(request.modelview);
  frame.background = {};
  if (request.background != nullptr)
    std::copy(request.background, request.background + 4, frame.background.begin());
  const bool blends = settings.mode == ICET_COMPOSITE_MODE_BLEND;
  frame.drawn_background = blends ? Colour{} : frame.background;
  frame.corrects_background =
      blends && settings.on(ICET_CORRECT_COLORED_BACKGROUND) && frame.background != Colour{};
  ++frame.count;

  // Find what falls to this rank.
  const Viewport global = global_viewport(settings);
  const Seen seen = project(settings.bounds, multiply(frame.projection, frame.modelview), global);
  Viewport viewport = seen.viewport;
  if (request.drawn != nullptr) {
    const Viewport& valid = request.valid;
    viewport = intersection(viewport, {global[0] + valid[0], global[1] + valid[1], valid[2], valid[3]});
  }
  const Share share = share_of_group(settings, whole_share(settings, viewport), context.rank);
  frame.contained = share.viewport;
  frame.mask = share.mask;
  frame.near = seen.near;
  frame.far = seen.far;

  // What a rank gets, if all tiles are collected.
  frame.valid_tile = displayed_tile(context);
  frame.valid_offset = 0;
  frame.valid_number = 0;
  if (frame.valid_tile >= 0) {
    const Viewport& tile = settings.tiles[static_cast<std::size_t>(frame.valid_tile)].viewport;
    frame.valid_number = tile[2] * tile[3];
  }
}

// The tiles in which each rank draws: those in which nobody does are not composited.
void share_masks(IceTContextStruct& context) {
  FrameState& frame = context.frame;
  frame.masks.resize(frame.mask.size() * static_cast<std::size_t>(context.size));
  IceTCommunicator comm = context.communicator;
  comm->Allgather(comm, frame.mask.data(), static_cast<int>(frame.mask.size()), ICET_BYTE,
                  frame.masks.data());
}

// Between the agreement and the first tile this rank alone may fail; then the others must not wait for it.
std::vector<Part> draw(IceTContextStruct& context, Image* drawn) {
  try {
    return drawn == nullptr ? draw_tiles(context) : tiles_of(context, *drawn);
  } catch (const std::exception& error) {
    Access::give_up(*context.compositor, error.what());
    throw;
  } catch (...) {
    Access::give_up(*context.compositor, "the draw callback threw an exception");
    throw;
  }
}

}  // namespace

Image* make_frame(IceTContextStruct& context, const FrameRequest& request) {
  FrameState& frame = context.frame;
  if (frame.drawing)
    throw Failure(ICET_INVALID_OPERATION, "a frame was begun in a draw callback; draw one at a time");
  struct Drawing {  // ends with the frame, however that ends
    bool& state;
    explicit Drawing(bool& of) : state(of) { state = true; }
    ~Drawing() { state = false; }
  };
  const double begin = icetWallTime();
  const std::string problem = problem_of(context.settings, request);
  try {
    if (!context.compositor) make_compositor(context);
    Access::agree(*context.compositor, "frame",
                  asked(context.settings, request.drawn != nullptr, context.size), problem);
    begin_frame(context, request);
    const Drawing drawing(frame.drawing);
    Access::use(*context.compositor, algorithm_of(context.settings, context.size),
                context.settings.on(ICET_INTERLACE_IMAGES) && context.settings.on(ICET_COLLECT_IMAGES)
                    ? Partition::automatic
                    : Partition::contiguous);
    if (context.settings.tiles.size() > 1) {
      share_masks(context);
    } else {
      frame.masks = {};
    }
    const double draw_begin = trace_clock();
    Image given = request.drawn == nullptr ? Image() : *request.drawn;
    const std::vector<Part> parts = draw(context, request.drawn == nullptr ? nullptr : &given);
    const double draw_end = trace_clock();
    composite_tiles(context, parts);
    frame.times.total = icetWallTime() - begin;
    report_frame(context, draw_begin, draw_end);
  } catch (const MismatchError&) {
    throw;
  } catch (const ArgumentError&) {
    throw;
  } catch (...) {
    context.compositor.reset();  // messages may be under way in it for ever; the next frame makes another
    throw;
  }
  return context.result.pixels.view().colour == nullptr ? nullptr : &context.result;
}

}  // namespace sortlast::icet

using namespace sortlast::icet;

namespace {

IceTImage image_of_frame(const FrameRequest& request) {
  return entry(icetImageNull(), [&](IceTContextStruct& context) {
    Image* image = make_frame(context, request);
    return image == nullptr ? icetImageNull() : image->face();
  });
}

}  // namespace

IceTImage icetDrawFrame(const IceTDouble* projection_matrix, const IceTDouble* modelview_matrix,
                        const IceTFloat* background_color) {
  return image_of_frame({projection_matrix, modelview_matrix, background_color, nullptr, {}});
}

IceTImage icetCompositeImage(const IceTVoid* color_buffer, const IceTVoid* depth_buffer,
                             const IceTInt* valid_pixels_viewport, const IceTDouble* projection_matrix,
                             const IceTDouble* modelview_matrix, const IceTFloat* background_color) {
  return entry(icetImageNull(), [&](IceTContextStruct& context) {
    const Settings& settings = context.settings;
    const Viewport global = global_viewport(settings);
    Image drawn;
    drawn.colour_format = settings.colour_format;
    drawn.depth_format = settings.depth_format;
    drawn.size = {global[2], global[3]};
    drawn.read_only = true;
    // Only read: the compositor and the callback's image take what is const no other way.
    auto* colour = const_cast<std::byte*>(static_cast<const std::byte*>(color_buffer));
    auto* depth = const_cast<float*>(static_cast<const float*>(depth_buffer));
    std::vector<std::byte> none;  // in the place of colours that there are not
    if (settings.colour_format == ICET_IMAGE_COLOR_NONE) {
      none.resize(static_cast<std::size_t>(drawn.size.pixels()) * 3);
      colour = none.data();
    }
    drawn.pixels = sortlast::PixelBuffer(
        sortlast::Pixels{colour, settings.depth_format == ICET_IMAGE_DEPTH_FLOAT ? depth : nullptr});
    FrameRequest request{
        projection_matrix, modelview_matrix, background_color, &drawn, {0, 0, global[2], global[3]}};
    if (valid_pixels_viewport != nullptr)
      std::copy(valid_pixels_viewport, valid_pixels_viewport + 4, request.valid.begin());
    Image* image = make_frame(context, request);
    return image == nullptr ? icetImageNull() : image->face();
  });
}
