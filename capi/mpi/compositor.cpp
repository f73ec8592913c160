// The compositor. Errors in one rank's arguments, or a lack of memory on the way to a collective call, are
// reported to all ranks, so that none waits.
#include "mpi/compositor.hpp"

#include <memory>
#include <string>
#include <utility>

#include "channels.hpp"
#include "image.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/box_frames.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"

struct sortlast_memory {
  sortlast::Memory memory;
};

using namespace sortlast;
using namespace sortlast::capi;

namespace {

// Read the arguments of a collective call, and allocate its result. Errors in this are reported to every
// rank.
template <typename Action>
void prepare(Compositor& compositor, const char* call, const Action& action) {
  const std::string problem = problem_in(action);
  if (!problem.empty()) detail::CompositorAccess::refuse(compositor, call, problem);
}

struct Arguments {
  ImageView image;
  Composition composition;
  PixelBuffer out;
};

Pixels output_of(const sortlast_pixels& pixels) {
  return {static_cast<std::byte*>(pixels.colour), pixels.depth};
}

sortlast_device read_device(const sortlast_device* device) {
  return read_struct<sortlast_device>(device, SORTLAST_DEVICE_INIT, sizeof(sortlast_device),
                                      "sortlast_device", "SORTLAST_DEVICE_INIT");
}

Arguments arguments_of(const sortlast_image* image, const sortlast_composition* composition, std::int32_t p) {
  if (image == nullptr) {
    throw ArgumentError(
        "the image is NULL; expected its size and format, with colour NULL on a rank without pixels");
  }
  const sortlast_composition how = read_composition(composition);
  const Format format = format_of(image->format);
  Composition read{op_of(how.op), ranks_of(how.order, p), background_of(how.background, format),
                   how.premultiplied};
  if (how.root != nullptr) read.root = *how.root;
  if (how.deadline != 0) read.deadline = how.deadline;
  ImageView view{pixels_of(*image), {image->width, image->height}, format, bounds_of(*image)};
  if (how.device != nullptr) {
    view.memory = MemoryKind::device;
    view.stream = read_device(how.device).stream;
  }
  const Pixels out = output_of(how.out);
  PixelBuffer placed;
  if (out.colour != nullptr) placed = PixelBuffer(out, view.memory);
  return {view, std::move(read), placed};
}

void check_bytes(std::int64_t bytes) {
  if (bytes < 0) throw ArgumentError(std::to_string(bytes) + " bytes of memory; expected 0 or more");
}

const Tile& tile_of(const sortlast_tile* tile) {
  if (tile == nullptr) throw ArgumentError("the tile is NULL; expected the one that composite made");
  return *tile->tile;
}

std::vector<BoxImage> box_images_of(const sortlast_box_image* images, std::int32_t count) {
  if (count < 0 || (count > 0 && images == nullptr))
    throw ArgumentError(std::to_string(count) + " images" + (images == nullptr ? " at NULL" : "") +
                        "; expected an array of 0 or more");
  std::vector<BoxImage> all;
  for (std::int32_t i = 0; i < count; ++i) {
    const sortlast_box_image& each = images[i];
    BoxImage image{
        {pixels_of(each.image), {each.image.width, each.image.height}, format_of(each.image.format)},
        each.position,
        {}};
    if (each.box != nullptr) image.box = Rectangle{each.box->x0, each.box->y0, each.box->x1, each.box->y1};
    all.push_back(image);
  }
  return all;
}

// Composite with composite(arguments), and write the tile. read() reads any further arguments.
template <typename Read, typename Composite>
void composite_into(sortlast_compositor& compositor, const sortlast_image* image,
                    const sortlast_composition* composition, sortlast_tile** tile, const Read& read,
                    const Composite& composite) {
  Compositor& worker = made(compositor);
  Arguments arguments;
  std::unique_ptr<sortlast_tile> result;
  prepare(worker, "composite", [&] {
    if (tile == nullptr) throw ArgumentError("the place for the tile is NULL");
    arguments = arguments_of(image, composition, worker.size());
    read();
    result = std::make_unique<sortlast_tile>();
  });
  result->tile.emplace(composite(arguments));
  for (const Range range : result->tile->ranges()) result->ranges.push_back({range.begin, range.end});
  compositor.algorithm = worker.algorithm();
  *tile = result.release();
}

// Collect a tile's image, and write the frame at the root.
void gather_into(sortlast_compositor& compositor, const sortlast_tile* tile, std::int32_t root,
                 bool with_depth, bool with_channels, sortlast_frame** frame) {
  Compositor& worker = made(compositor);
  std::unique_ptr<sortlast_frame> result;
  prepare(worker, "gather", [&] {
    if (frame == nullptr) throw ArgumentError("the place for the frame is NULL");
    tile_of(tile);
    result = std::make_unique<sortlast_frame>();
  });
  std::optional<Frame> whole = worker.gather(tile_of(tile), root, with_depth, {}, with_channels);
  if (!whole) return;
  result->frame = std::move(*whole);
  *frame = result.release();
}

// Write a handle of what allocate(compositor, bytes) gives.
template <typename Allocate>
sortlast_status allocate_into(sortlast_compositor* compositor, std::int64_t bytes, sortlast_memory** memory,
                              const Allocate& allocate) {
  if (memory != nullptr) *memory = nullptr;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    Compositor& worker = made(*compositor);
    if (memory == nullptr) throw ArgumentError("the place for the memory is NULL");
    check_bytes(bytes);
    auto result = std::make_unique<sortlast_memory>();
    result->memory = allocate(worker, static_cast<std::size_t>(bytes));
    *memory = result.release();
  });
}

}  // namespace

sortlast_status sortlast_compositor_create(MPI_Comm comm, const sortlast_options* options,
                                           sortlast_compositor** compositor) {
  return make_handle(compositor, [&](sortlast_compositor& handle, std::string problem) {
    Options all;
    const std::string wrong = problem_in([&] { all = options_of(options, comm); });
    if (problem.empty()) problem = wrong;
    handle.compositor.emplace(detail::CompositorAccess::make(comm, all, problem));
    handle.algorithm = handle.compositor->algorithm();
  });
}

const char* sortlast_compositor_message(const sortlast_compositor* compositor) {
  return message_of(compositor);
}

sortlast_status sortlast_compositor_close(sortlast_compositor* compositor) {
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    made(*compositor).close();
    compositor->compositor.reset();
    compositor->closed = true;
  });
}

sortlast_status sortlast_compositor_shrink(sortlast_compositor* compositor, sortlast_compositor** shrunk) {
  if (shrunk != nullptr) *shrunk = nullptr;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    auto result = std::make_unique<sortlast_compositor>();
    result->compositor.emplace(made(*compositor).shrink());
    result->algorithm = result->compositor->algorithm();
    if (shrunk == nullptr) throw ArgumentError("the place for the compositor is NULL");
    *shrunk = result.release();
  });
}

const int32_t* sortlast_compositor_ranks(sortlast_compositor* compositor, int32_t* count) {
  if (count != nullptr) *count = 0;
  if (compositor == nullptr || !compositor->compositor) return nullptr;
  const sortlast_status status =
      guarded(*compositor, [&] { compositor->ranks = compositor->compositor->ranks(); });
  if (status != SORTLAST_OK) return nullptr;
  if (count != nullptr) *count = static_cast<int32_t>(compositor->ranks.size());
  return compositor->ranks.data();
}

void sortlast_compositor_free(sortlast_compositor* compositor) { delete compositor; }

sortlast_status sortlast_compositor_allocate(sortlast_compositor* compositor, int64_t bytes,
                                             sortlast_memory** memory) {
  return allocate_into(compositor, bytes, memory,
                       [](Compositor& worker, std::size_t size) { return worker.allocate(size); });
}

sortlast_status sortlast_compositor_allocate_on_device(sortlast_compositor* compositor, int64_t bytes,
                                                       int32_t gpu, sortlast_memory** memory) {
  return allocate_into(compositor, bytes, memory, [&](Compositor& worker, std::size_t size) {
    return worker.allocate_on_device(size, gpu);
  });
}

void* sortlast_memory_data(const sortlast_memory* memory) {
  return memory == nullptr ? nullptr : memory->memory.get();
}

void sortlast_memory_free(sortlast_memory* memory) { delete memory; }

sortlast_status sortlast_compositor_composite(sortlast_compositor* compositor, const sortlast_image* image,
                                              const sortlast_composition* composition, sortlast_tile** tile) {
  if (tile != nullptr) *tile = nullptr;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    Compositor& worker = made(*compositor);
    composite_into(
        *compositor, image, composition, tile, [] {},
        [&](const Arguments& arguments) {
          return worker.composite(arguments.image, arguments.composition, arguments.out);
        });
  });
}

sortlast_status sortlast_compositor_composite_channels(sortlast_compositor* compositor,
                                                       const sortlast_image* image,
                                                       const sortlast_channel* channels, int32_t count,
                                                       const sortlast_composition* composition,
                                                       sortlast_tile** tile) {
  if (tile != nullptr) *tile = nullptr;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    Compositor& worker = made(*compositor);
    std::vector<Channel> further;
    composite_into(
        *compositor, image, composition, tile, [&] { further = channels_of(channels, count); },
        [&](const Arguments& arguments) {
          return worker.composite(arguments.image, arguments.composition, further, arguments.out);
        });
  });
}

sortlast_status sortlast_compositor_composite_images(sortlast_compositor* compositor,
                                                     const sortlast_box_image* images, int32_t count,
                                                     int64_t width, int64_t height, sortlast_format format,
                                                     const sortlast_composition* composition,
                                                     sortlast_tile** tile) {
  if (tile != nullptr) *tile = nullptr;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    Compositor& worker = made(*compositor);
    std::vector<BoxImage> all;
    // The frame, described as an image that this rank does not have.
    const sortlast_image frame{nullptr, nullptr, width, height, format, nullptr};
    composite_into(
        *compositor, &frame, composition, tile, [&] { all = box_images_of(images, count); },
        [&](const Arguments& arguments) {
          for (BoxImage& each : all) each.image.memory = arguments.image.memory;
          BoxCall call{all, arguments.image.size, arguments.composition, arguments.out};
          call.format = arguments.image.format;
          return detail::CompositorAccess::composite_boxes(worker, call);
        });
  });
}

int32_t sortlast_tile_channel_count(const sortlast_tile* tile) {
  return tile == nullptr ? 0 : static_cast<std::int32_t>(tile->tile->channels().size());
}

sortlast_channel_values sortlast_tile_channel(const sortlast_tile* tile, int32_t index) {
  return tile == nullptr ? sortlast_channel_values{} : channel_values(tile->tile->channels(), index);
}

sortlast_tile_pixels sortlast_tile_get(const sortlast_tile* tile) {
  if (tile == nullptr) return {};
  const ConstPixels pixels = tile->tile->pixels().view();
  const auto& ranges = tile->ranges;
  const Range& range = tile->tile->range();
  const sortlast_range one{range.begin, range.end};
  return {tile->tile->contiguous() ? one : sortlast_range{0, range.size()}, pixels.colour, pixels.depth,
          ranges.empty() ? nullptr : ranges.data(), static_cast<std::int64_t>(ranges.size())};
}

sortlast_tile_attendance sortlast_tile_attendance_get(const sortlast_tile* tile) {
  if (tile == nullptr) return {};
  const std::vector<std::int32_t>& left_out = tile->tile->left_out();
  return {tile->tile->frame(), left_out.empty() ? nullptr : left_out.data(),
          static_cast<std::int32_t>(left_out.size())};
}

void sortlast_tile_free(sortlast_tile* tile) { delete tile; }

sortlast_status sortlast_compositor_gather(sortlast_compositor* compositor, const sortlast_tile* tile,
                                           int32_t root, bool with_depth, sortlast_frame** frame) {
  if (frame != nullptr) *frame = nullptr;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] { gather_into(*compositor, tile, root, with_depth, false, frame); });
}

sortlast_status sortlast_compositor_gather_channels(sortlast_compositor* compositor,
                                                    const sortlast_tile* tile, int32_t root, bool with_depth,
                                                    sortlast_frame** frame) {
  if (frame != nullptr) *frame = nullptr;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] { gather_into(*compositor, tile, root, with_depth, true, frame); });
}

sortlast_status sortlast_compositor_gather_into(sortlast_compositor* compositor, const sortlast_tile* tile,
                                                int32_t root, bool with_depth, sortlast_pixels out) {
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    Compositor& worker = made(*compositor);
    prepare(worker, "gather", [&] {
      const bool needed = tile_of(tile).size().pixels() > 0 && root == worker.rank();
      if (needed && out.colour == nullptr) throw ArgumentError("the place for the frame's colour is NULL");
      if (needed && with_depth && out.depth == nullptr)
        throw ArgumentError("the place for the frame's depth is NULL");
    });
    worker.gather(tile_of(tile), root, with_depth, output_of(out));
  });
}

sortlast_status sortlast_visibility_create(MPI_Comm comm, const sortlast_box* box,
                                           sortlast_viewpoint viewpoint, double timeout,
                                           sortlast_visibility** visibility) {
  return make_handle(visibility, [&](sortlast_visibility& made) {
    made.order = visibility_order(comm, box_of(box), viewpoint_of(viewpoint), timeout);
  });
}
