// sortlast._mpi_<family>: the compositor over one family of MPI libraries.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "communicator.hpp"
#include "errors.hpp"
#include "signals.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/execute/compositor_access.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

void bind_probe(nb::module_& module);  // probe.cpp

namespace {

nb::object composite(Compositor& compositor, const std::optional<Array>& colour,
                     const std::optional<Array>& depth, std::int64_t height, std::int64_t width, int channels,
                     const std::string& scalar, bool has_depth, const std::string& op,
                     const std::vector<std::int32_t>& order, const std::vector<float>& background,
                     const std::optional<std::array<std::int64_t, 4>>& bounds) {
  ImageView image{colour ? pixels_of(*colour, depth) : ConstPixels{},
                  {width, height},
                  {scalar_from_name(scalar), channels, has_depth}};
  if (bounds) image.bounds = Rectangle{(*bounds)[0], (*bounds)[1], (*bounds)[2], (*bounds)[3]};
  const Composition composition{op_from_name(op), order, background};
  const nb::gil_scoped_release release;
  Tile tile = compositor.composite(image, composition);
  const nb::gil_scoped_acquire acquire;
  return nb::cast(std::move(tile));
}

// An array of zeros in memory that the other ranks of the machine can read.
nb::object allocate(Compositor& compositor, const std::vector<std::size_t>& shape,
                    const std::string& scalar) {
  std::size_t bytes = scalar_bytes(scalar_from_name(scalar));
  for (const std::size_t extent : shape) bytes *= extent;
  const Memory memory = compositor.allocate(bytes);
  return array_of({memory, Pixels{memory.get(), nullptr}}, memory.get(), dtype_of(scalar_from_name(scalar)),
                  shape);
}

nb::object gather(Compositor& compositor, const Tile& tile, int root, bool depth) {
  std::optional<Frame> frame;
  {
    const nb::gil_scoped_release release;
    frame = compositor.gather(tile, root, depth);
  }
  if (!frame) return nb::none();
  const std::vector<std::size_t> shape{static_cast<std::size_t>(frame->size.height),
                                       static_cast<std::size_t>(frame->size.width)};
  return nb::make_tuple(colour_array(frame->pixels, frame->format, shape),
                        depth_array(frame->pixels, frame->format, shape));
}

// Where begin and end tell all.
Range only_range(const Tile& tile) {
  if (tile.contiguous()) return tile.range();
  throw ArgumentError("the tile holds " + std::to_string(tile.ranges().size()) +
                      " ranges of the image, not one, as the partition is interleaved; use its ranges");
}

void bind_tile(nb::module_& module) {
  const auto shape = [](const Tile& tile) {
    return std::vector{static_cast<std::size_t>(tile.range().size())};
  };
  nb::class_<Tile>(module, "Tile", "Finished pixels, in row-major order, that this rank holds.")
      .def_prop_ro("begin", [](const Tile& tile) { return only_range(tile).begin; })
      .def_prop_ro("end", [](const Tile& tile) { return only_range(tile).end; })
      .def_prop_ro(
          "ranges",
          [](const Tile& tile) {
            nb::list ranges;
            for (const Range range : tile.ranges()) ranges.append(nb::make_tuple(range.begin, range.end));
            return ranges;
          },
          "[(begin, end), ...] of the image, in the order in which the pixels lie.")
      .def_prop_ro(
          "shape",
          [](const Tile& tile) {
            return nb::make_tuple(tile.size().height, tile.size().width, tile.format().channels);
          },
          "(H, W, C) of the whole image.")
      .def_prop_ro(
          "pixels",
          [shape](const Tile& tile) { return colour_array(tile.pixels(), tile.format(), shape(tile)); },
          "(n, C), without a copy.")
      .def_prop_ro(
          "depth",
          [shape](const Tile& tile) { return depth_array(tile.pixels(), tile.format(), shape(tile)); },
          "(n,) float32, or None.");
}

void bind_compositor(nb::module_& module) {
  nb::class_<Compositor>(module, "Compositor", "See sortlast.Compositor.")
      .def(
          "__init__",
          [](Compositor* self, std::uintptr_t comm, const std::string& algorithm,
             const std::vector<std::int32_t>& ring, double timeout, int nodes, int threads, bool check,
             bool sparse, bool half, std::int64_t chunk_bytes, const std::string& partition,
             const std::string& profile, const std::string& problem) {
            const nb::gil_scoped_release release;
            Options options;
            options.algorithm = algorithm;
            options.ring = ring;
            options.timeout = timeout;
            options.node_ranks = nodes;
            options.threads = threads;
            options.check = check;
            options.sparse = sparse;
            options.wire = half ? Wire::float16 : Wire::image;
            options.chunk_bytes = chunk_bytes;
            options.partition = partition_from_name(partition);
            options.profile = profile;
            options.interrupt = see_signals;
            new (self) Compositor(detail::CompositorAccess::make(communicator(comm), options, problem));
          },
          "comm"_a, "algorithm"_a, "ring"_a, "timeout"_a, "nodes"_a, "threads"_a, "check"_a, "sparse"_a,
          "half"_a, "chunk_bytes"_a, "partition"_a, "profile"_a, "problem"_a)
      .def("composite", &composite, "colour"_a.none(), "depth"_a.none(), "height"_a, "width"_a, "channels"_a,
           "scalar"_a, "has_depth"_a, "op"_a, "order"_a, "background"_a, "bounds"_a.none())
      .def("allocate", &allocate, "shape"_a, "scalar"_a)
      .def("gather", &gather, "tile"_a, "root"_a, "depth"_a)
      .def("refuse", &detail::CompositorAccess::refuse, "call"_a, "problem"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("timing", [](const Compositor& compositor) { return compositor.timing(); })
      .def_prop_ro("algorithm", &Compositor::algorithm)
      .def("explain", &Compositor::explain)
      .def_prop_ro("rank", &Compositor::rank)
      .def_prop_ro("size", &Compositor::size)
      .def("trace", &Compositor::trace, "on"_a)
      .def("events", &Compositor::events)
      .def("clear_events", &Compositor::clear_events);
}

}  // namespace
}  // namespace sortlast::python

NB_MODULE(SORTLAST_MPI_MODULE, module) {
  module.doc() = "The compositor of sortlast over one family of MPI libraries.";
  nanobind::module_::import_("sortlast._core");  // defines Timing and Event
  sortlast::python::register_errors();
  sortlast::python::bind_tile(module);
  sortlast::python::bind_compositor(module);
  sortlast::python::bind_probe(module);
}
