// Settings of the current context: formats, modes, callbacks, bounds, tiles, orders and groups.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

#include "context.hpp"
#include "meeting.hpp"

namespace sortlast::icet {
namespace {

std::size_t bytes_of(IceTEnum type) {
  switch (type) {
    case ICET_SHORT:
      return sizeof(IceTShort);
    case ICET_INT:
      return sizeof(IceTInt);
    case ICET_FLOAT:
      return sizeof(IceTFloat);
    case ICET_DOUBLE:
      return sizeof(IceTDouble);
    default:
      throw Failure(ICET_INVALID_ENUM, "icetBoundingVertices: coordinates of type " + hexadecimal(type) +
                                           "; expected ICET_SHORT, ICET_INT, ICET_FLOAT or ICET_DOUBLE");
  }
}

// A number of any alignment.
template <typename T>
double number_at(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return static_cast<double>(value);
}

double coordinate_at(const std::byte* place, IceTEnum type) {
  switch (type) {
    case ICET_SHORT:
      return number_at<IceTShort>(place);
    case ICET_INT:
      return number_at<IceTInt>(place);
    case ICET_FLOAT:
      return number_at<IceTFloat>(place);
    default:
      return number_at<IceTDouble>(place);
  }
}

std::string text(const Viewport& viewport) {
  return std::to_string(viewport[2]) + "x" + std::to_string(viewport[3]) + " at " +
         std::to_string(viewport[0]) + "," + std::to_string(viewport[1]);
}

// Whether the coordinates and pixels of the display fit into the interface's integers with one more tile.
bool can_be_counted(const std::vector<TileOfDisplay>& tiles, const Viewport& added) {
  constexpr std::int64_t most = std::numeric_limits<IceTInt>::max();
  for (std::size_t axis = 0; axis < 2; ++axis) {
    std::int64_t begin = added[axis];
    std::int64_t end = begin + added[2 + axis];
    for (const auto& [viewport, rank] : tiles) {
      begin = std::min<std::int64_t>(begin, viewport[axis]);
      end = std::max<std::int64_t>(end, std::int64_t{viewport[axis]} + viewport[2 + axis]);
    }
    if (end > most || end - begin > most) return false;
  }
  return std::int64_t{added[2]} * added[3] <= most;
}

// Images that ranks draw have the size of the window, and their number of pixels must fit into an integer.
void check_window(std::int64_t width, std::int64_t height, const char* call) {
  if (width * height <= std::numeric_limits<IceTInt>::max()) return;
  throw Failure(ICET_INVALID_VALUE, std::string(call) + ": a window of " + std::to_string(width) + "x" +
                                        std::to_string(height) + " has pixels that 32 bits cannot count");
}

void set_physical_size(IceTContextStruct& context, IceTInt width, IceTInt height) {
  Settings& settings = context.settings;
  for (const auto& [viewport, rank] : settings.tiles) {
    if (viewport[2] <= width && viewport[3] <= height) continue;
    raise_warning(ICET_INVALID_VALUE, "icetPhysicalRenderSize: a window of " + std::to_string(width) + "x" +
                                          std::to_string(height) + " pixels cannot hold the tile of " +
                                          text(viewport) + "; what does not fit is not drawn");
    break;
  }
  settings.physical_width = width;
  settings.physical_height = height;
}

void set_group(IceTContextStruct& context, std::vector<IceTInt> group, const char* call) {
  std::sort(group.begin(), group.end());
  const auto wrong = [&](const std::string& what) {
    throw Failure(ICET_INVALID_VALUE, std::string(call) + ": " + what);
  };
  if (!std::binary_search(group.begin(), group.end(), context.rank))
    wrong("this rank, " + std::to_string(context.rank) + ", is not in its own group");
  if (std::adjacent_find(group.begin(), group.end()) != group.end()) wrong("a rank is twice in the group");
  if (group.front() < 0 || group.back() >= context.size)
    wrong("the group has a rank that does not exist; ranks are 0.." + std::to_string(context.size - 1));
  context.settings.group = std::move(group);
}

}  // namespace
}  // namespace sortlast::icet

using namespace sortlast::icet;

void icetSetColorFormat(IceTEnum color_format) {
  entry([&](IceTContextStruct& context) {
    not_while_drawing(context, "icetSetColorFormat");
    for (const IceTEnum known : {ICET_IMAGE_COLOR_NONE, ICET_IMAGE_COLOR_RGBA_UBYTE,
                                 ICET_IMAGE_COLOR_RGBA_FLOAT, ICET_IMAGE_COLOR_RGB_FLOAT}) {
      if (color_format != known) continue;
      context.settings.colour_format = color_format;
      return;
    }
    throw Failure(ICET_INVALID_ENUM,
                  "icetSetColorFormat: " + hexadecimal(color_format) +
                      " is no colour format; expected ICET_IMAGE_COLOR_RGBA_UBYTE, _RGBA_FLOAT, "
                      "_RGB_FLOAT or _NONE");
  });
}

void icetSetDepthFormat(IceTEnum depth_format) {
  entry([&](IceTContextStruct& context) {
    not_while_drawing(context, "icetSetDepthFormat");
    if (depth_format != ICET_IMAGE_DEPTH_FLOAT && depth_format != ICET_IMAGE_DEPTH_NONE) {
      throw Failure(ICET_INVALID_ENUM, "icetSetDepthFormat: " + hexadecimal(depth_format) +
                                           " is no depth format; expected ICET_IMAGE_DEPTH_FLOAT or _NONE");
    }
    context.settings.depth_format = depth_format;
  });
}

void icetCompositeMode(IceTEnum mode) {
  entry([&](IceTContextStruct& context) {
    not_while_drawing(context, "icetCompositeMode");
    if (mode != ICET_COMPOSITE_MODE_Z_BUFFER && mode != ICET_COMPOSITE_MODE_BLEND) {
      throw Failure(ICET_INVALID_ENUM, "icetCompositeMode: " + hexadecimal(mode) +
                                           " is no mode; expected ICET_COMPOSITE_MODE_Z_BUFFER or _BLEND");
    }
    context.settings.mode = mode;
  });
}

void icetCompositeOrder(const IceTInt* process_ranks) {
  entry([&](IceTContextStruct& context) {
    not_while_drawing(context, "icetCompositeOrder");
    const auto p = static_cast<std::size_t>(context.size);
    if (process_ranks == nullptr) throw Failure(ICET_INVALID_VALUE, "icetCompositeOrder: the list is NULL");
    std::vector<IceTInt> order(process_ranks, process_ranks + p);
    std::vector<IceTInt> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < p; ++i) {
      if (sorted[i] == static_cast<IceTInt>(i)) continue;
      throw Failure(ICET_INVALID_VALUE, "icetCompositeOrder: the list has not every rank 0.." +
                                            std::to_string(p - 1) + " once; rank " + std::to_string(i) +
                                            " is missing or one is there twice");
    }
    context.settings.order = std::move(order);
  });
}

void icetDrawCallback(IceTDrawCallbackType callback) {
  entry([&](IceTContextStruct& context) {
    not_while_drawing(context, "icetDrawCallback");
    context.settings.draw = callback;
  });
}

void icetBoundingVertices(IceTInt size, IceTEnum type, IceTSizeType stride, IceTSizeType count,
                          const IceTVoid* pointer) {
  entry([&](IceTContextStruct& context) {
    if (count < 1) {
      context.settings.bounds.clear();
      return;
    }
    const std::size_t bytes = bytes_of(type);
    if (size < 1 || size > 4) {
      throw Failure(ICET_INVALID_VALUE, "icetBoundingVertices: vertices of " + std::to_string(size) +
                                            " coordinates; expected 1 to 4");
    }
    if (pointer == nullptr) throw Failure(ICET_INVALID_VALUE, "icetBoundingVertices: the vertices are NULL");
    const std::size_t step =
        stride < 1 ? static_cast<std::size_t>(size) * bytes : static_cast<std::size_t>(stride);
    std::vector<std::array<double, 3>> bounds(static_cast<std::size_t>(count));
    const auto* place = static_cast<const std::byte*>(pointer);
    for (auto& vertex : bounds) {
      std::array<double, 4> read = {0, 0, 0, 1};
      for (std::size_t c = 0; c < static_cast<std::size_t>(size); ++c)
        read[c] = coordinate_at(place + c * bytes, type);
      for (std::size_t c = 0; c < 3; ++c) vertex[c] = read[c] / read[3];
      place += step;
    }
    context.settings.bounds = std::move(bounds);
  });
}

void icetBoundingBoxd(IceTDouble x_min, IceTDouble x_max, IceTDouble y_min, IceTDouble y_max,
                      IceTDouble z_min, IceTDouble z_max) {
  entry([&](IceTContextStruct& context) {
    auto& bounds = context.settings.bounds;
    bounds.clear();
    for (const double x : {x_min, x_max})
      for (const double y : {y_min, y_max})
        for (const double z : {z_min, z_max}) bounds.push_back({x, y, z});
  });
}

void icetBoundingBoxf(IceTFloat x_min, IceTFloat x_max, IceTFloat y_min, IceTFloat y_max, IceTFloat z_min,
                      IceTFloat z_max) {
  icetBoundingBoxd(x_min, x_max, y_min, y_max, z_min, z_max);
}

void icetDataReplicationGroup(IceTInt size, const IceTInt* processes) {
  entry([&](IceTContextStruct& context) {
    if (size < 1 || processes == nullptr)
      throw Failure(ICET_INVALID_VALUE, "icetDataReplicationGroup: the group has no ranks");
    set_group(context, std::vector<IceTInt>(processes, processes + size), "icetDataReplicationGroup");
  });
}

void icetDataReplicationGroupColor(IceTInt color) {
  entry([&](IceTContextStruct& context) {
    constexpr const char* call = "icetDataReplicationGroupColor";
    not_while_drawing(context, call);
    in_meeting(context, [&](sortlast::Compositor& compositor) {
      // Programs may set the same group again before every frame.
      const bool changed = color != context.agreed_colour || context.settings.group != context.agreed_group;
      const bool any_changed = Access::agree(compositor, call, {}, "", changed);
      context.agreed = true;
      if (!any_changed) return;
      const std::vector<IceTInt> colours = values_of_all(compositor, call, std::vector<IceTInt>{color});
      std::vector<IceTInt> group;
      for (IceTInt rank = 0; rank < context.size; ++rank)
        if (colours[static_cast<std::size_t>(rank)] == color) group.push_back(rank);
      context.agreed_colour = color;
      context.agreed_group = group;
      context.settings.group = std::move(group);
    });
  });
}

void icetResetTiles() {
  entry([](IceTContextStruct& context) {
    not_while_drawing(context, "icetResetTiles");
    context.settings.tiles.clear();
    context.settings.physical_width = 0;
    context.settings.physical_height = 0;
  });
}

int icetAddTile(IceTInt x, IceTInt y, IceTSizeType width, IceTSizeType height, int display_rank) {
  return entry(-1, [&](IceTContextStruct& context) {
    not_while_drawing(context, "icetAddTile");
    auto& tiles = context.settings.tiles;
    const auto wrong = [&](const std::string& what) {
      throw Failure(ICET_INVALID_VALUE, "icetAddTile: " + what);
    };
    const TileOfDisplay tile{{x, y, width, height}, display_rank};
    if (width < 1 || height < 1)
      wrong("a tile of " + text(tile.viewport) + " pixels; expected at least one pixel");
    if (!can_be_counted(tiles, tile.viewport))
      wrong("with the tile of " + text(tile.viewport) + " the picture has pixels that 32 bits cannot count");
    if (display_rank < 0 || display_rank >= context.size) {
      wrong("the tile is to be displayed by rank " + std::to_string(display_rank) + "; ranks are 0.." +
            std::to_string(context.size - 1));
    }
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      if (tiles[i].rank == display_rank) {
        wrong("rank " + std::to_string(display_rank) + " displays tile " + std::to_string(i) +
              " already; a rank displays one at most");
      }
    }
    IceTInt widest = width;
    IceTInt highest = height;
    for (const auto& [viewport, rank] : tiles) {
      widest = std::max(widest, viewport[2]);
      highest = std::max(highest, viewport[3]);
    }
    check_window(widest, highest, "icetAddTile");
    tiles.push_back(tile);
    set_physical_size(context, widest, highest);
    return static_cast<int>(tiles.size()) - 1;
  });
}

void icetPhysicalRenderSize(IceTInt width, IceTInt height) {
  entry([&](IceTContextStruct& context) {
    not_while_drawing(context, "icetPhysicalRenderSize");
    if (width < 0 || height < 0) {
      throw Failure(ICET_INVALID_VALUE, "icetPhysicalRenderSize: " + std::to_string(width) + "x" +
                                            std::to_string(height) + " pixels; expected 0 or more");
    }
    check_window(width, height, "icetPhysicalRenderSize");
    set_physical_size(context, width, height);
  });
}
