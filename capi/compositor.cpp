// The compositor. What is wrong with one rank's arguments is told to all of them, so that none waits.
#include "sortlast/compositor.hpp"

#include <memory>
#include <optional>

#include "handle.hpp"
#include "image.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/compositor_access.hpp"

struct sortlast_compositor : sortlast::capi::Handle {
  std::optional<sortlast::Compositor> compositor;  // none if making it failed
  std::string algorithm;
};

struct sortlast_memory {
  sortlast::Memory memory;
};

using namespace sortlast;
using namespace sortlast::capi;

namespace {

Compositor& made(sortlast_compositor& handle) {
  if (!handle.compositor)
    throw ArgumentError("this compositor was not made; check the status of its creation");
  return *handle.compositor;
}

// The result of parse(), which throws ArgumentError for arguments that cannot be passed on.
template <typename Parse>
auto parse_or_refuse(Compositor& compositor, const char* call, Parse parse) {
  std::string problem;
  try {
    return parse();
  } catch (const ArgumentError& error) {
    problem = error.what();
  }
  detail::CompositorAccess::refuse(compositor, call, problem);
}

// Ranks of a communicator; 0 where Compositor's constructor will say what is wrong with it.
std::int32_t size_of(MPI_Comm comm) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  int size = 0;
  if (initialised != 0 && comm != MPI_COMM_NULL) MPI_Comm_size(comm, &size);
  return size;
}

Options options_of(const sortlast_options& from, MPI_Comm comm, std::string& problem) {
  Options options;
  if (from.algorithm != nullptr) options.algorithm = from.algorithm;
  options.ring = ranks_of(from.ring, size_of(comm));
  if (from.timeout > 0) {
    options.timeout = from.timeout;
  } else if (from.timeout != 0) {
    problem = "timeout is " + std::to_string(from.timeout) + " s; expected more than 0, or 0 for " +
              std::to_string(options.timeout) + " s";
  }
  options.node_ranks = from.node_ranks;
  options.check = !from.no_check;
  options.sparse = !from.dense_only;
  options.wire = from.half ? Wire::float16 : Wire::image;
  if (from.chunk_bytes != 0) options.chunk_bytes = from.chunk_bytes;
  try {
    options.partition = partition_of(from.partition);
  } catch (const ArgumentError& error) {
    problem = error.what();
  }
  return options;
}

struct Arguments {
  ImageView image;
  Composition composition;
};

Arguments arguments_of(const sortlast_image* image, const sortlast_composition* composition, std::int32_t p) {
  if (image == nullptr) {
    throw ArgumentError(
        "the image is NULL; expected its size and format, with colour NULL on a rank without pixels");
  }
  const sortlast_composition how = composition == nullptr ? sortlast_composition{} : *composition;
  const Format format = format_of(image->format);
  return {{pixels_of(*image), {image->width, image->height}, format, bounds_of(*image)},
          {op_of(how.op), ranks_of(how.order, p), background_of(how.background, format)}};
}

}  // namespace

sortlast_status sortlast_compositor_create(MPI_Comm comm, const sortlast_options* options,
                                           sortlast_compositor** compositor) {
  return make_handle(compositor, [&](sortlast_compositor& handle) {
    std::string problem;
    const Options all = options_of(options == nullptr ? sortlast_options{} : *options, comm, problem);
    if (compositor == nullptr) problem = "the place for the compositor is NULL";
    handle.compositor.emplace(detail::CompositorAccess::make(comm, all, problem));
    handle.algorithm = handle.compositor->algorithm();
  });
}

const char* sortlast_compositor_message(const sortlast_compositor* compositor) {
  return message_of(compositor);
}

void sortlast_compositor_free(sortlast_compositor* compositor) { delete compositor; }

sortlast_status sortlast_compositor_allocate(sortlast_compositor* compositor, int64_t bytes,
                                             sortlast_memory** memory) {
  if (memory != nullptr) *memory = nullptr;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    Compositor& worker = made(*compositor);
    if (memory == nullptr) throw ArgumentError("the place for the memory is NULL");
    if (bytes < 0) throw ArgumentError(std::to_string(bytes) + " bytes of memory; expected 0 or more");
    auto result = std::make_unique<sortlast_memory>();
    result->memory = worker.allocate(static_cast<std::size_t>(bytes));
    *memory = result.release();
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
    const Arguments arguments = parse_or_refuse(worker, "composite", [&] {
      if (tile == nullptr) throw ArgumentError("the place for the tile is NULL");
      return arguments_of(image, composition, worker.size());
    });
    auto result = std::make_unique<sortlast_tile>();
    result->tile = worker.composite(arguments.image, arguments.composition);
    for (const Range range : result->tile.ranges()) result->ranges.push_back({range.begin, range.end});
    compositor->algorithm = worker.algorithm();
    *tile = result.release();
  });
}

sortlast_status sortlast_compositor_gather(sortlast_compositor* compositor, const sortlast_tile* tile,
                                           int32_t root, bool with_depth, sortlast_frame** frame) {
  if (frame != nullptr) *frame = nullptr;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    Compositor& worker = made(*compositor);
    const Tile& mine = parse_or_refuse(worker, "gather", [&]() -> std::reference_wrapper<const Tile> {
      if (frame == nullptr) throw ArgumentError("the place for the frame is NULL");
      if (tile == nullptr) throw ArgumentError("the tile is NULL; expected the one that composite made");
      return tile->tile;
    });
    auto result = std::make_unique<sortlast_frame>();
    std::optional<Frame> whole = worker.gather(mine, root, with_depth);
    if (!whole) return;
    result->frame = std::move(*whole);
    *frame = result.release();
  });
}

sortlast_timing sortlast_compositor_timing(const sortlast_compositor* compositor) {
  if (compositor == nullptr || !compositor->compositor) return {};
  const Timing& timing = compositor->compositor->timing();
  return {timing.agree,          timing.wait,          timing.blend,
          timing.gather,         timing.total,         timing.bytes_sent,
          timing.bytes_received, timing.messages_sent, timing.messages_received,
          timing.stages,         timing.peak_bytes};
}

const char* sortlast_compositor_algorithm(const sortlast_compositor* compositor) {
  return compositor == nullptr ? "" : compositor->algorithm.c_str();
}
