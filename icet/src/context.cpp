#include "context.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <unordered_set>

#include "communicator.hpp"
#include "meeting.hpp"
#include "sortlast/error.hpp"

namespace sortlast::icet {
namespace {

// Existing contexts, so that using a destroyed one is an error and not a crash.
std::unordered_set<IceTContextStruct*>& contexts() {
  static std::unordered_set<IceTContextStruct*> all;
  return all;
}

IceTContextStruct* current_context = nullptr;

// Duplicate a communicator for a context, within the time limit.
MPI_Comm copy_of(MPI_Comm comm) {
  try {
    return Access::duplicate(comm, time_limit(), "context");
  } catch (const TimeoutError& error) {
    throw Failure(ICET_SANITY_CHECK_FAIL, std::string("icetCreateContext: ") + error.what());
  } catch (const RemoteError& error) {
    throw Failure(ICET_SANITY_CHECK_FAIL, std::string("icetCreateContext: ") + error.what());
  }
}

IceTContextStruct& existing(IceTContextStruct* context, const char* call) {
  if (!contexts().contains(context)) {
    throw Failure(ICET_INVALID_VALUE,
                  std::string(call) +
                      ": that is no context; expected one that icetCreateContext() made and "
                      "that has not been destroyed");
  }
  return *context;
}

}  // namespace

IceTContextStruct& current() {
  if (current_context == nullptr) {
    throw Failure(ICET_INVALID_OPERATION,
                  "no context is current; make one by icetCreateContext() or icetSetContext()");
  }
  return *current_context;
}

IceTContextStruct* current_if_any() { return current_context; }

void make_current(IceTContextStruct& context) { current_context = &context; }

Image* existing_image(const IceTImage& face) {
  const void* place = face.opaque_internals;
  if (place == nullptr) return nullptr;
  for (IceTContextStruct* context : contexts())
    for (Image* image : {&context->result, context->frame.target})
      if (image == place) return image;
  throw Failure(ICET_INVALID_VALUE,
                "that is no image; expected one of a context that exists, and in a draw callback alone that "
                "in which it draws");
}

void not_while_drawing(const IceTContextStruct& context, const char* call) {
  if (context.frame.drawing) {
    throw Failure(ICET_INVALID_OPERATION,
                  std::string(call) + " was called in a draw callback; call it before the frame is drawn");
  }
}

bool Settings::is_ordered() const {
  return on(ICET_ORDERED_COMPOSITE) && strategy != ICET_STRATEGY_SPLIT && strategy != ICET_STRATEGY_VTREE;
}

IceTInt displayed_tile(const IceTContextStruct& context) {
  const auto& tiles = context.settings.tiles;
  const auto mine = std::find_if(tiles.begin(), tiles.end(),
                                 [&](const TileOfDisplay& tile) { return tile.rank == context.rank; });
  return mine == tiles.end() ? -1 : static_cast<IceTInt>(mine - tiles.begin());
}

Viewport global_viewport(const Settings& settings) {
  if (settings.tiles.empty()) return {0, 0, 0, 0};
  const Viewport& first = settings.tiles.front().viewport;
  IceTInt left = first[0];
  IceTInt bottom = first[1];
  IceTInt right = first[0] + first[2];
  IceTInt top = first[1] + first[3];
  for (const auto& [viewport, rank] : settings.tiles) {
    left = std::min(left, viewport[0]);
    bottom = std::min(bottom, viewport[1]);
    right = std::max(right, viewport[0] + viewport[2]);
    top = std::max(top, viewport[1] + viewport[3]);
  }
  return {left, bottom, right - left, top - bottom};
}

}  // namespace sortlast::icet

using namespace sortlast::icet;

IceTContextStruct::IceTContextStruct(IceTCommunicator duplicate)
    : communicator(duplicate), rank(duplicate->Comm_rank(duplicate)), size(duplicate->Comm_size(duplicate)) {
  static int made = 0;
  number = made++;
  for (const IceTEnum name :
       {ICET_FLOATING_VIEWPORT, ICET_COMPOSITE_ONE_BUFFER, ICET_INTERLACE_IMAGES, ICET_COLLECT_IMAGES})
    settings.turn(name, true);
  settings.order.resize(static_cast<std::size_t>(size));
  std::iota(settings.order.begin(), settings.order.end(), 0);
  settings.group = {rank};
  agreed_group = settings.group;
}

IceTContextStruct::~IceTContextStruct() {
  compositor.reset();
  communicator->Destroy(communicator);
}

IceTContext icetCreateContext(IceTCommunicator comm) {
  try {
    check_communicator(comm, "icetCreateContext");
    const MPI_Comm copy = copy_of(mpi_of(comm));
    auto context = std::make_unique<IceTContextStruct>(wrap(copy));
    contexts().insert(context.get());
    return current_context = context.release();
  } catch (...) {
    raise_current_exception();
    return nullptr;
  }
}

void icetDestroyContext(IceTContext context) {
  try {
    not_while_drawing(existing(context, "icetDestroyContext"), "icetDestroyContext");
    const std::unique_ptr<IceTContextStruct> end(context);
    contexts().erase(context);
    if (current_context == context) current_context = nullptr;
  } catch (...) {
    raise_current_exception();
  }
}

IceTContext icetGetContext() { return current_context; }

void icetSetContext(IceTContext context) {
  try {
    current_context = context == nullptr ? nullptr : &existing(context, "icetSetContext");
  } catch (...) {
    raise_current_exception();
  }
}

void icetCopyState(IceTContext dest, const IceTContext src) {
  try {
    const Settings& from = existing(src, "icetCopyState").settings;
    not_while_drawing(existing(dest, "icetCopyState"), "icetCopyState");
    Settings& to = dest->settings;
    const auto [order, group] = std::pair(to.order, to.group);
    to = from;
    to.order = order;
    to.group = group;
  } catch (...) {
    raise_current_exception();
  }
}

IceTDouble icetWallTime() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
