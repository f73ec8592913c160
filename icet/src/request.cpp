#include "request.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "meeting.hpp"
#include "report.hpp"
#include "strategy.hpp"

namespace sortlast::icet {
namespace {

using Named = std::vector<std::pair<std::string, std::string>>;

bool blends(const Settings& settings) { return settings.mode == ICET_COMPOSITE_MODE_BLEND; }

std::string problem_of_settings(const Settings& settings, int p) {
  if (settings.strategy == ICET_STRATEGY_UNDEFINED) return "no strategy is set; set one by icetStrategy()";
  if (settings.tiles.empty()) return "there is no tile to show the picture; add one by icetAddTile()";
  for (const auto& [viewport, rank] : settings.tiles) {  // they may have been copied from another context
    if (rank >= p) {
      return "a tile is to be displayed by rank " + std::to_string(rank) + "; the context has the ranks 0.." +
             std::to_string(p - 1);
    }
  }
  if (blends(settings) && settings.colour_format != ICET_IMAGE_COLOR_RGBA_UBYTE &&
      settings.colour_format != ICET_IMAGE_COLOR_RGBA_FLOAT) {
    return "ICET_COMPOSITE_MODE_BLEND wants colours with alpha; set ICET_IMAGE_COLOR_RGBA_UBYTE or "
           "_RGBA_FLOAT by "
           "icetSetColorFormat()";
  }
  if (!blends(settings) && settings.depth_format == ICET_IMAGE_DEPTH_NONE) {
    return "ICET_COMPOSITE_MODE_Z_BUFFER wants a depth; set ICET_IMAGE_DEPTH_FLOAT by icetSetDepthFormat(), "
           "or blend";
  }
  return {};
}

std::string problem_of_given(const Settings& settings, const Given& given) {
  if (settings.colour_format != ICET_IMAGE_COLOR_NONE && given.colour == nullptr)
    return "icetCompositeImage: the colour buffer is NULL";
  if (settings.depth_format == ICET_IMAGE_DEPTH_FLOAT && given.depth == nullptr)
    return "icetCompositeImage: the depth buffer is NULL; expected one, or ICET_IMAGE_DEPTH_NONE";
  if (given.valid[2] < 0 || given.valid[3] < 0) {
    return "icetCompositeImage: the viewport of valid pixels is " + std::to_string(given.valid[2]) + "x" +
           std::to_string(given.valid[3]) + " pixels; expected 0 or more";
  }
  return {};
}

// The error in this rank's request; empty if there is none.
std::string problem_of(const IceTContextStruct& context, const FrameRequest& request) {
  const Settings& settings = context.settings;
  if (!request.problem.empty()) return request.problem;
  std::string problem = problem_of_settings(settings, context.size);
  if (!problem.empty()) return problem;
  const bool draws = request.given == nullptr;
  if (draws && request.draw == nullptr) return "there is no draw callback; set one by icetDrawCallback()";
  if (draws && (settings.physical_width < 1 || settings.physical_height < 1))
    return "the physical render size is 0; set it by icetPhysicalRenderSize()";
  const auto has = [](const void* matrix) { return matrix != nullptr; };
  if (has(request.projection) != has(request.modelview))
    return "one of the two matrices is NULL; give both or none";
  if (!has(request.projection) && (draws || !settings.bounds.empty()))
    return "the matrices are NULL; they are needed to draw and for bounding vertices";
  return draws ? std::string() : problem_of_given(settings, *request.given);
}

std::string text(const std::vector<IceTInt>& list) {
  std::string result;
  for (const IceTInt value : list) result += (result.empty() ? "" : ",") + std::to_string(value);
  return result;
}

std::string text(const Colour& colour) {
  char result[80];
  std::snprintf(result, sizeof result, "%.9g,%.9g,%.9g,%.9g", static_cast<double>(colour[0]),
                static_cast<double>(colour[1]), static_cast<double>(colour[2]),
                static_cast<double>(colour[3]));
  return result;
}

// The values that all ranks must have in common, as text.
Named asked(const Settings& settings, const FrameRequest& request, int p) {
  std::string tiles;
  for (const auto& [v, rank] : settings.tiles) {
    if (!tiles.empty()) tiles += ' ';
    tiles += std::to_string(v[2]) + "x" + std::to_string(v[3]);
    for (const IceTInt corner : {v[0], v[1]}) tiles += (corner < 0 ? "" : "+") + std::to_string(corner);
    tiles += "@" + std::to_string(rank);
  }
  const auto is_on = [&](IceTEnum name) { return settings.on(name) ? "yes" : "no"; };
  Named named = {{"frame", request.given != nullptr ? "icetCompositeImage" : "icetDrawFrame"},
                 {"tiles", tiles},
                 {"colour format", hexadecimal(settings.colour_format)},
                 {"depth format", hexadecimal(settings.depth_format)},
                 {"composite mode", hexadecimal(settings.mode)},
                 {"strategy", hexadecimal(settings.strategy)},
                 {"single image strategy", hexadecimal(settings.single_image_strategy)},
                 {"algorithm", algorithm_of(settings, p)},
                 {"ordered", settings.is_ordered() ? "yes" : "no"},
                 {"collect images", is_on(ICET_COLLECT_IMAGES)},
                 {"interlace images", is_on(ICET_INTERLACE_IMAGES)},
                 {"correct background", is_on(ICET_CORRECT_COLORED_BACKGROUND)},
                 {"timeline (SORTLAST_TRACE)", wants_trace() ? "yes" : "no"}};
  if (settings.is_ordered()) named.emplace_back("composite order", text(settings.order));

  // Each rank fills the pixels that it finishes. Only a blend without background correction has no
  // background.
  const bool fills = blends(settings) ? settings.on(ICET_CORRECT_COLORED_BACKGROUND)
                                      : settings.colour_format != ICET_IMAGE_COLOR_NONE;
  if (fills) named.emplace_back("background", text(background_of(request)));
  return named;
}

// FNV-1a, 64 bits.
std::uint64_t hash(const std::vector<IceTInt>& list) {
  std::uint64_t value = 14695981039346656037ULL;
  for (const IceTInt rank : list) value = (value ^ static_cast<std::uint32_t>(rank)) * 1099511628211ULL;
  return value;
}

// Check that the ranks of each data replication group have the same group; collective. Each rank sets its
// group by itself, so the check runs only after a rank has changed its group.
void check_groups(IceTContextStruct& context) {
  const std::vector<IceTInt>& own = context.settings.group;
  const std::vector<std::uint64_t> all =
      values_of_all(*context.compositor, "frame", std::vector<std::uint64_t>{hash(own)});
  const auto other = std::find_if(
      own.begin(), own.end(), [&](IceTInt rank) { return all[static_cast<std::size_t>(rank)] != hash(own); });
  std::string problem;
  if (other != own.end()) {
    problem = "the data replication group is " + text(own) + ", and rank " + std::to_string(*other) +
              " has another; expected the same on all ranks of a group";
  }
  Access::agree(*context.compositor, "frame", {}, problem);
  context.agreed_group = own;
  context.agreed_colour.reset();
}

}  // namespace

Colour background_of(const FrameRequest& request) {
  Colour background = {};
  if (request.background == nullptr) return background;
  std::transform(request.background, request.background + 4, background.begin(),
                 [](float channel) { return channel + 0.0F; });  // turns -0 into 0
  return background;
}

void agree_on(IceTContextStruct& context, const FrameRequest& request) {
  const bool changed = context.settings.group != context.agreed_group;
  const bool any_changed =
      Access::agree(*context.compositor, "frame", asked(context.settings, request, context.size),
                    problem_of(context, request), changed);
  context.agreed = true;
  if (any_changed) check_groups(context);
}

}  // namespace sortlast::icet
