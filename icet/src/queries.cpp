// Queries, and enabling and disabling of flags, in the current context.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "IceTGL.h"
#include "context.hpp"
#include "strategy.hpp"

namespace sortlast::icet {
namespace {

using Integers = std::vector<IceTInt>;
using Doubles = std::vector<double>;
using Booleans = std::vector<IceTBoolean>;
// std::monostate: unknown parameter.
using Values = std::variant<std::monostate, Integers, Doubles, Booleans, void*>;

IceTInt word_of(const Colour& colour) {
  std::array<IceTUByte, 4> bytes = {};
  for (std::size_t i = 0; i < 4; ++i)
    bytes[i] = static_cast<IceTUByte>(colour[i] > 0 ? 255 * std::min(colour[i], 1.0F) : 0);
  IceTInt word = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  return word;
}

Values one(IceTInt value) { return Integers{value}; }
Values one(IceTEnum value) { return Integers{static_cast<IceTInt>(value)}; }
Values one(double value) { return Doubles{value}; }
Values one(bool value) { return Booleans{static_cast<IceTBoolean>(value)}; }
template <typename T, std::size_t n>
Values all(const std::array<T, n>& values) {
  if constexpr (std::is_integral_v<T>) return Integers(values.begin(), values.end());
  return Doubles(values.begin(), values.end());
}
template <typename T>
void* pointer_of(T function) {
  void* result = nullptr;
  static_assert(sizeof result == sizeof function);
  std::memcpy(&result, &function, sizeof result);  // NOLINT(bugprone-bitwise-pointer-cast): allowed by POSIX
  return result;
}

Values tiles(const Settings& settings, IceTEnum name) {
  Integers values;
  IceTInt most = 0;
  for (const auto& [viewport, rank] : settings.tiles) {
    if (name == ICET_TILE_VIEWPORTS) values.insert(values.end(), viewport.begin(), viewport.end());
    if (name == ICET_DISPLAY_NODES) values.push_back(rank);
    most = std::max(most, viewport[name == ICET_TILE_MAX_WIDTH ? 2 : 3]);
  }
  if (name == ICET_TILE_MAX_WIDTH || name == ICET_TILE_MAX_HEIGHT) return one(most);
  return values;
}

// One value for each current tile, for which the program has allocated memory. After a change of the tiles,
// no rank draws in any of them until the next frame.
Values contained(const IceTContextStruct& context, IceTEnum name) {
  const std::size_t number = context.settings.tiles.size();
  const bool holds = context.frame.mask.size() == number;
  Booleans mask = holds ? context.frame.mask : Booleans(number);
  Booleans masks = holds ? context.frame.masks : Booleans();
  if (name == ICET_CONTAINED_TILES_MASK) return mask;
  if (name == ICET_ALL_CONTAINED_TILES_MASKS) return masks;
  Integers list;
  for (std::size_t i = 0; i < number; ++i)
    if (mask[i]) list.push_back(static_cast<IceTInt>(i));
  if (name == ICET_CONTAINED_TILES_LIST) return list;
  if (name == ICET_NUM_CONTAINED_TILES) return one(static_cast<IceTInt>(list.size()));
  Integers counts(number);
  IceTInt sum = 0;
  for (std::size_t i = 0; number > 0 && i < masks.size(); ++i) {
    counts[i % number] += masks[i];
    sum += masks[i];
  }
  return name == ICET_TILE_CONTRIB_COUNTS ? Values(counts) : one(sum);
}

Values of_settings(const IceTContextStruct& context, IceTEnum name) {
  const Settings& settings = context.settings;
  switch (name) {
    case ICET_DIAGNOSTIC_LEVEL:
      return one(settings.diagnostics);
    case ICET_RANK:
      return one(context.rank);
    case ICET_NUM_PROCESSES:
      return one(context.size);
    case ICET_PHYSICAL_RENDER_WIDTH:
      return one(settings.physical_width);
    case ICET_PHYSICAL_RENDER_HEIGHT:
      return one(settings.physical_height);
    case ICET_COLOR_FORMAT:
      return one(settings.colour_format);
    case ICET_DEPTH_FORMAT:
      return one(settings.depth_format);
    case ICET_NUM_TILES:
      return one(static_cast<IceTInt>(settings.tiles.size()));
    case ICET_TILE_VIEWPORTS:
    case ICET_DISPLAY_NODES:
    case ICET_TILE_MAX_WIDTH:
    case ICET_TILE_MAX_HEIGHT:
      return tiles(settings, name);
    case ICET_GLOBAL_VIEWPORT:
      return all(global_viewport(settings));
    case ICET_TILE_DISPLAYED:
      return one(displayed_tile(context));
    case ICET_GEOMETRY_BOUNDS: {
      Doubles values;
      for (const auto& vertex : settings.bounds) values.insert(values.end(), vertex.begin(), vertex.end());
      return values;
    }
    case ICET_NUM_BOUNDING_VERTS:
      return one(static_cast<IceTInt>(settings.bounds.size()));
    case ICET_STRATEGY:
      return one(settings.strategy);
    case ICET_SINGLE_IMAGE_STRATEGY:
      return one(settings.single_image_strategy);
    case ICET_COMPOSITE_MODE:
      return one(settings.mode);
    case ICET_COMPOSITE_ORDER:
      return settings.order;
    case ICET_PROCESS_ORDERS: {
      Integers places(settings.order.size());
      for (std::size_t i = 0; i < places.size(); ++i)
        places[static_cast<std::size_t>(settings.order[i])] = static_cast<IceTInt>(i);
      return places;
    }
    case ICET_STRATEGY_SUPPORTS_ORDERING:
      return one(settings.strategy != ICET_STRATEGY_UNDEFINED && settings.strategy != ICET_STRATEGY_SPLIT &&
                 settings.strategy != ICET_STRATEGY_VTREE);
    case ICET_DATA_REPLICATION_GROUP:
      return settings.group;
    case ICET_DATA_REPLICATION_GROUP_SIZE:
      return one(static_cast<IceTInt>(settings.group.size()));
    case ICET_MAGIC_K:
      return one(magic_k());
    case ICET_MAX_IMAGE_SPLIT:
      return one(max_image_split());
    case ICET_DRAW_FUNCTION:
      return pointer_of(settings.draw);
    case ICET_GL_INITIALIZED:
      return one(settings.read_buffer.has_value() || settings.gl3);
    case ICET_GL_READ_BUFFER:
      if (settings.read_buffer) return one(*settings.read_buffer);
      return {};
    case ICET_GL_DRAW_FUNCTION:
      return pointer_of(settings.gl_draw);
    default:
      return {};
  }
}

Values of_frame(const IceTContextStruct& context, IceTEnum name) {
  const FrameState& frame = context.frame;
  switch (name) {
    case ICET_BACKGROUND_COLOR:
      return all(frame.drawn_background);
    case ICET_BACKGROUND_COLOR_WORD:
      return one(word_of(frame.drawn_background));
    case ICET_FRAME_COUNT:
      return one(frame.count);
    case ICET_IS_DRAWING_FRAME:
      return one(frame.drawing);
    case ICET_PROJECTION_MATRIX:
      return all(frame.projection);
    case ICET_MODELVIEW_MATRIX:
      return all(frame.modelview);
    case ICET_CONTAINED_VIEWPORT:
      return all(frame.contained);
    case ICET_NEAR_DEPTH:
      return one(frame.near);
    case ICET_FAR_DEPTH:
      return one(frame.far);
    case ICET_NUM_CONTAINED_TILES:
    case ICET_CONTAINED_TILES_LIST:
    case ICET_TILE_CONTRIB_COUNTS:
    case ICET_TOTAL_IMAGE_COUNT:
    case ICET_CONTAINED_TILES_MASK:
    case ICET_ALL_CONTAINED_TILES_MASKS:
      return contained(context, name);
    case ICET_NEED_BACKGROUND_CORRECTION:
      return one(frame.corrects_background);
    case ICET_TRUE_BACKGROUND_COLOR:
      return all(frame.background);
    case ICET_TRUE_BACKGROUND_COLOR_WORD:
      return one(word_of(frame.background));
    case ICET_VALID_PIXELS_TILE:
      return one(frame.valid_tile);
    case ICET_VALID_PIXELS_OFFSET:
      return one(frame.valid_offset);
    case ICET_VALID_PIXELS_NUM:
      return one(frame.valid_number);
    case ICET_RENDERED_VIEWPORT:
      return all(frame.rendered);
    case ICET_PRE_RENDERED:
      return one(frame.pre_rendered);
    default:
      return {};
  }
}

Values of_times(const Times& times, IceTEnum name) {
  switch (name) {
    case ICET_RENDER_TIME:
      return one(times.render);
    case ICET_BUFFER_READ_TIME:
      return one(times.read);
    case ICET_BUFFER_WRITE_TIME:
      return one(times.write);
    case ICET_COMPRESS_TIME:
      return one(times.compress);
    case ICET_INTERLACE_TIME:
      return one(0.0);
    case ICET_BLEND_TIME:
      return one(times.blend);
    case ICET_COMPOSITE_TIME:
      return one(times.composite());
    case ICET_COLLECT_TIME:
      return one(times.collect);
    case ICET_TOTAL_DRAW_TIME:
      return one(times.total);
    case ICET_BYTES_SENT:
      return one(static_cast<double>(times.bytes_sent));
    default:
      return {};
  }
}

bool can_be_enabled(IceTEnum name) {
  return (name >= ICET_FLOATING_VIEWPORT && name <= ICET_RENDER_EMPTY_IMAGES) ||
         (name >= ICET_RENDER_LAYER_ENABLE_START && name < ICET_RENDER_LAYER_ENABLE_END);
}

Values values_of(const IceTContextStruct& context, IceTEnum name) {
  if (can_be_enabled(name)) return one(context.settings.on(name));
  Values values = of_settings(context, name);
  if (values.index() == 0) values = of_frame(context, name);
  if (values.index() == 0) values = of_times(context.frame.times, name);
  if (values.index() != 0) return values;
  throw Failure(ICET_INVALID_ENUM, hexadecimal(name) + " is no parameter of IceT that can be asked");
}

[[noreturn]] void bad_cast(IceTEnum name, const char* wanted) {
  throw Failure(ICET_BAD_CAST, "the parameter " + hexadecimal(name) + " has no values that are " + wanted);
}

// A value as T; the nearest representable one if T cannot hold it.
template <typename T, typename Value>
T converted(Value value) {
  if constexpr (std::is_floating_point_v<Value> && std::is_integral_v<T>) {
    constexpr auto least = static_cast<double>(std::numeric_limits<T>::min());
    constexpr auto most = static_cast<double>(std::numeric_limits<T>::max());
    return std::isnan(value) ? T{0} : static_cast<T>(std::clamp(value, least, most));
  } else {
    return static_cast<T>(value);
  }
}

// Write the values as T. `numbers`: floating-point values are allowed.
template <typename T>
void get(IceTEnum name, T* params, bool numbers, const char* wanted) {
  entry([&](IceTContextStruct& context) {
    const Values values = values_of(context, name);
    if (params == nullptr) throw Failure(ICET_INVALID_VALUE, "the place for the values is NULL");
    std::visit(
        [&](const auto& list) {
          using List = std::remove_cvref_t<decltype(list)>;
          if constexpr (std::is_same_v<List, void*> || std::is_same_v<List, std::monostate>) {
            bad_cast(name, wanted);
          } else {
            if (std::is_same_v<List, Doubles> && !numbers) bad_cast(name, wanted);
            for (std::size_t i = 0; i < list.size(); ++i) params[i] = converted<T>(list[i]);
          }
        },
        values);
  });
}

void turn(IceTEnum name, bool state, const char* call) {
  entry([&](IceTContextStruct& context) {
    if (!can_be_enabled(name))
      throw Failure(ICET_INVALID_VALUE, std::string(call) + ": " + hexadecimal(name) + " cannot be enabled");
    if (name < ICET_RENDER_LAYER_ENABLE_START) not_while_drawing(context, call);
    context.settings.turn(name, state);
  });
}

}  // namespace
}  // namespace sortlast::icet

using namespace sortlast::icet;

void icetGetDoublev(IceTEnum pname, IceTDouble* params) { get(pname, params, true, "numbers"); }
void icetGetFloatv(IceTEnum pname, IceTFloat* params) { get(pname, params, true, "numbers"); }
void icetGetIntegerv(IceTEnum pname, IceTInt* params) { get(pname, params, true, "numbers"); }
void icetGetBooleanv(IceTEnum pname, IceTBoolean* params) { get(pname, params, true, "numbers"); }
void icetGetEnumv(IceTEnum pname, IceTEnum* params) { get(pname, params, false, "enumerations"); }
void icetGetBitFieldv(IceTEnum pname, IceTBitField* bitfield) { get(pname, bitfield, false, "bit fields"); }

void icetGetPointerv(IceTEnum pname, IceTVoid** params) {
  entry([&](IceTContextStruct& context) {
    const Values values = values_of(context, pname);
    if (params == nullptr) throw Failure(ICET_INVALID_VALUE, "the place for the values is NULL");
    if (!std::holds_alternative<void*>(values)) bad_cast(pname, "pointers");
    *params = std::get<void*>(values);
  });
}

void icetEnable(IceTEnum pname) { turn(pname, true, "icetEnable"); }
void icetDisable(IceTEnum pname) { turn(pname, false, "icetDisable"); }

IceTBoolean icetIsEnabled(IceTEnum pname) {
  return entry<IceTBoolean>(ICET_FALSE, [&](IceTContextStruct& context) {
    if (!can_be_enabled(pname))
      throw Failure(ICET_INVALID_VALUE, "icetIsEnabled: " + hexadecimal(pname) + " cannot be enabled");
    return static_cast<IceTBoolean>(context.settings.on(pname));
  });
}
