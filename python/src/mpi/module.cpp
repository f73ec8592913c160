// sortlast._mpi_<family>: the compositor over one family of MPI libraries.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <variant>

#include "arrays.hpp"
#include "communicator.hpp"
#include "device_array.hpp"
#include "errors.hpp"
#include "image_arrays.hpp"
#include "mpi/image_arguments.hpp"
#include "registered.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/execute/box_frames.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/tune/probe.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

void bind_visibility(nb::module_& module);

namespace {

nb::object composite(Compositor& compositor, const nb::tuple& picture, const std::string& op,
                     const std::vector<std::int32_t>& order, const std::vector<float>& background,
                     const std::optional<std::array<std::int64_t, 4>>& bounds, bool premultiplied,
                     const Out& out, const Out& out_depth, const nb::object& described, int root,
                     std::optional<double> deadline) {
  const std::vector<Channel> channels = channels_of(described);
  const ImageView image = view_of(picture, bounds);
  const Composition composition{op_from_name(op), order, background, premultiplied, root, deadline};
  const PixelBuffer output = output_of(out, out_depth);
  std::optional<Tile> tile;
  {
    const nb::gil_scoped_release release;
    tile = channels.empty() ? compositor.composite(image, composition, output)
                            : compositor.composite(image, composition, channels, output);
  }
  for (const nb::handle plane : {nb::handle(picture[0]), nb::handle(picture[1])})
    if (nb::isinstance<DeviceArray>(plane))
      detail::CompositorAccess::keep(compositor, image, nb::cast<const DeviceArray&>(plane).memory);
  return nb::cast(std::move(*tile));
}

// Several images in the form of sortlast._box_images.BoxImages.
std::vector<BoxImage> box_images_of(nb::handle several) {
  const auto colours = nb::cast<nb::list>(several.attr("colours"));
  const auto positions =
      nb::cast<nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(
          several.attr("positions"));
  const auto boxes = nb::cast<std::optional<Rows<std::int64_t, 4>>>(several.attr("boxes"));
  const auto depths = nb::cast<std::optional<nb::list>>(several.attr("depths"));
  std::vector<BoxImage> images;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const std::optional<ImageView> view = image_of_array(nb::handle(colours[i]).ptr());
    if (!view) throw ArgumentError("image " + std::to_string(i) + " is no array of an image");
    BoxImage image{*view, positions.data()[i], {}};
    const auto plane = depths ? nb::cast<std::optional<Array>>((*depths)[i]) : std::nullopt;
    if (plane) image.image.pixels.depth = static_cast<const float*>(plane->data());
    image.image.format.depth = plane.has_value();
    if (boxes) {
      const std::int64_t* const box = boxes->data() + 4 * i;
      image.box = Rectangle{box[0], box[1], box[2], box[3]};
    }
    images.push_back(image);
  }
  return images;
}

nb::object composite_images(Compositor& compositor, nb::handle several, const std::string& op,
                            const std::vector<float>& background, bool premultiplied, int root,
                            const Out& out, const Out& out_depth, nb::handle out_picture) {
  const std::vector<BoxImage> images = box_images_of(several);
  const Composition composition{op_from_name(op), {}, background, premultiplied, root};
  BoxCall call{
      images,
      {nb::cast<std::int64_t>(several.attr("width")), nb::cast<std::int64_t>(several.attr("height"))},
      composition,
      output_of(out, out_depth)};
  if (!out_picture.is_none()) call.format = view_of(nb::cast<nb::tuple>(out_picture), std::nullopt).format;
  std::optional<Tile> tile;
  {
    const nb::gil_scoped_release release;
    tile = detail::CompositorAccess::composite_boxes(compositor, call);
  }
  return nb::cast(std::move(*tile));
}

// An array of zeros in memory that the other ranks of the machine can read: of a GPU, or (-1) of the host.
nb::object allocate(Compositor& compositor, const std::vector<std::size_t>& shape, const std::string& scalar,
                    int gpu) {
  std::size_t bytes = scalar_bytes(scalar_from_name(scalar));
  for (const std::size_t extent : shape) bytes *= extent;
  if (gpu >= 0) {
    const Memory memory = compositor.allocate_on_device(bytes, gpu);
    return nb::cast(DeviceArray{memory, memory.get(), shape, scalar_from_name(scalar), gpu, nullptr});
  }
  const Memory memory = compositor.allocate(bytes);
  return array_of({memory, Pixels{memory.get(), nullptr}}, memory.get(), dtype_of(scalar_from_name(scalar)),
                  shape);
}

nb::object gather(Compositor& compositor, const Tile& tile, int root, bool depth, const Out& out,
                  const Out& out_depth, bool channels) {
  const PixelBuffer output = output_of(out, out_depth);
  std::optional<Frame> frame;
  {
    const nb::gil_scoped_release release;
    frame = compositor.gather(tile, root, depth, output, channels);
  }
  if (!frame) return nb::none();
  const std::vector<std::size_t> shape{static_cast<std::size_t>(frame->size.height),
                                       static_cast<std::size_t>(frame->size.width)};
  return nb::make_tuple(colours_on(frame->pixels, frame->format, frame->stream, shape),
                        depths_on(frame->pixels, frame->format, frame->stream, shape),
                        channel_arrays(frame->channels, shape));
}

// Spans of a rank's data; empty for null.
template <typename Value>
std::span<const Value> span_of(const std::optional<Array>& array) {
  if (!array) return {};
  return {static_cast<const Value*>(array->data()), array->size()};
}

nb::object composite_fragments(Compositor& compositor, std::int64_t width, std::int64_t height,
                               const std::optional<Array>& counts, const std::optional<Array>& colour,
                               const std::optional<Array>& depth, const std::optional<Array>& depth_back,
                               const nb::object& channels, const std::optional<Array>& surface,
                               const std::optional<Array>& surface_depth, const std::string& scalar,
                               const std::vector<float>& background, bool keep_lists, std::int64_t max_bytes,
                               const Out& out) {
  FragmentsView view{{width, height}, span_of<std::int32_t>(counts), {}, span_of<float>(depth), {}};
  view.scalar = scalar_from_name(scalar);
  if (view.scalar == Scalar::uint8) {
    view.colour_uint8 = span_of<std::uint8_t>(colour);
  } else {
    view.colour = span_of<float>(colour);
  }
  if (surface) view.surface = pixels_of(*surface, surface_depth);
  view.intervals = depth_back.has_value();
  view.depth_back = span_of<float>(depth_back);
  const std::vector<Channel> further = channels_of(channels);
  view.channels = further;
  const FragmentComposition composition{background, keep_lists, max_bytes};
  const PixelBuffer output = output_of(out, {});
  std::optional<Tile> tile;
  {
    const nb::gil_scoped_release release;
    tile = compositor.composite_fragments(view, composition, output);
  }
  return nb::cast(std::move(*tile));
}

// An array on the values of a vector; `owner` keeps them alive.
template <typename Value>
nb::object vector_array(std::vector<Value>& values, const std::vector<std::size_t>& shape,
                        const nb::capsule& owner) {
  return nb::cast(nb::ndarray<nb::numpy, Value>(values.data(), shape.size(), shape.data(), owner));
}

// ((width, height), counts, colour, depth, depth_back or None, channels or None), or None.
nb::object gather_fragments(Compositor& compositor, const Tile& tile, int root) {
  std::optional<Fragments> found;
  {
    const nb::gil_scoped_release release;
    found = compositor.gather_fragments(tile, root);
  }
  if (!found) return nb::none();
  auto* const kept = new Fragments(std::move(*found));
  const nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<Fragments*>(pointer); });
  const auto width = static_cast<std::size_t>(kept->size.width);
  const auto height = static_cast<std::size_t>(kept->size.height);
  const std::size_t n = kept->depth.size();
  const nb::object colour = kept->scalar == Scalar::uint8 ? vector_array(kept->colour_uint8, {n, 4}, owner)
                                                          : vector_array(kept->colour, {n, 4}, owner);
  return nb::make_tuple(
      nb::make_tuple(kept->size.width, kept->size.height), vector_array(kept->counts, {height, width}, owner),
      colour, vector_array(kept->depth, {n}, owner),
      kept->intervals ? vector_array(kept->depth_back, {n}, owner) : nb::none(),
      kept->channels.empty() ? nb::object(nb::none()) : channel_arrays(kept->channels, {n}));
}

// For contiguous tiles, which begin and end describe completely.
Range only_range(const Tile& tile) {
  if (tile.contiguous()) return tile.range();
  throw ArgumentError("the tile holds " + std::to_string(tile.ranges().size()) +
                      " ranges of the image, not one, as it was dealt out in blocks; use its ranges");
}

void bind_tile(nb::module_& module) {
  const auto shape = [](const Tile& tile) {
    return std::vector{static_cast<std::size_t>(tile.range().size())};
  };
  nb::class_<Tile>(module, "Tile", "Finished pixels of this rank, in row-major order.")
      .def_prop_ro("begin", [](const Tile& tile) { return only_range(tile).begin; })
      .def_prop_ro("end", [](const Tile& tile) { return only_range(tile).end; })
      .def_prop_ro(
          "ranges",
          [](const Tile& tile) {
            nb::list ranges;
            for (const Range range : tile.ranges()) ranges.append(nb::make_tuple(range.begin, range.end));
            return ranges;
          },
          "[(begin, end), ...] of the image, in the order of the pixels.")
      .def_prop_ro(
          "shape",
          [](const Tile& tile) {
            return nb::make_tuple(tile.size().height, tile.size().width, tile.format().channels);
          },
          "(H, W, C) of the whole image.")
      .def_prop_ro(
          "pixels",
          [shape](const Tile& tile) {
            return colours_on(tile.pixels(), tile.format(), tile.stream(), shape(tile));
          },
          "(n, C), without a copy.")
      .def_prop_ro(
          "depth",
          [shape](const Tile& tile) {
            return depths_on(tile.pixels(), tile.format(), tile.stream(), shape(tile));
          },
          "(n,) float32, or None.")
      .def_prop_ro("frame", &Tile::frame, "Number of its frame, from 1.")
      .def_prop_ro("left_out", &Tile::left_out, "Ranks that are not in the frame.")
      .def_prop_ro(
          "channels", [shape](const Tile& tile) { return channel_arrays(tile.channels(), shape(tile)); },
          "Arrays (n,) or (n, width) by name.");
}

void bind_compositor(nb::module_& module) {
  const Options standard;
  nb::class_<Compositor>(module, "Compositor", "See sortlast.Compositor.")
      .def(
          "__init__",
          [](Compositor* self, std::uintptr_t comm, const std::string& problem, const std::string& algorithm,
             const std::vector<std::int32_t>& ring, double timeout, int node_ranks, int threads, bool check,
             const std::string& wire, const std::variant<std::string, Machine>& profile,
             const std::optional<double>& deadline) {
            Options options;
            options.algorithm = algorithm;
            options.ring = ring;
            options.timeout = timeout;
            options.node_ranks = node_ranks;
            options.threads = threads;
            options.check = check;
            options.wire = wire == "float16" ? Wire::float16 : Wire::image;
            options.profile = profile;
            options.deadline = deadline;
            options.interrupt = see_signals;
            const nb::gil_scoped_release release;
            new (self) Compositor(detail::CompositorAccess::make(communicator(comm), options, problem));
          },
          "comm"_a, "problem"_a = "", "algorithm"_a = standard.algorithm, "ring"_a = standard.ring,
          "timeout"_a = standard.timeout, "node_ranks"_a = 0, "threads"_a = 0, "check"_a = true,
          "wire"_a = "image", "profile"_a = "", "deadline"_a = nb::none())
      .def("close", &Compositor::close, nb::call_guard<nb::gil_scoped_release>())
      .def("shrink", &Compositor::shrink, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("ranks", &Compositor::ranks)
      .def("composite", &composite, "picture"_a, "op"_a, "order"_a, "background"_a, "bounds"_a.none(),
           "premultiplied"_a, "out"_a.none(), "out_depth"_a.none(), "channels"_a, "root"_a = -1,
           "deadline"_a = nb::none())
      .def("composite_images", &composite_images, "several"_a, "op"_a, "background"_a, "premultiplied"_a,
           "root"_a, "out"_a.none(), "out_depth"_a.none(), "out_picture"_a.none())
      .def("allocate", &allocate, "shape"_a, "scalar"_a, "gpu"_a = -1)
      .def("composite_fragments", &composite_fragments, "width"_a, "height"_a, "counts"_a.none(),
           "colour"_a.none(), "depth"_a.none(), "depth_back"_a.none(), "channels"_a, "surface"_a.none(),
           "surface_depth"_a.none(), "scalar"_a, "background"_a, "keep_lists"_a, "max_bytes"_a,
           "out"_a.none())
      .def("gather_fragments", &gather_fragments, "tile"_a, "root"_a)
      .def("gather", &gather, "tile"_a, "root"_a, "depth"_a, "out"_a.none(), "out_depth"_a.none(),
           "channels"_a)
      .def("refuse", &detail::CompositorAccess::refuse, "call"_a, "problem"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def("give_up", &detail::CompositorAccess::give_up, "cause"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("timing", [](const Compositor& compositor) { return compositor.timing(); })
      .def_prop_ro("algorithm", &Compositor::algorithm)
      .def("explain", &Compositor::explain)
      .def_prop_ro("rank", &Compositor::rank)
      .def_prop_ro("size", &Compositor::size)
      .def_prop_ro("usable", &Compositor::usable)
      .def("trace", &Compositor::trace, "on"_a)
      .def("events", &Compositor::events)
      .def("clear_events", &Compositor::clear_events);
}

// ---- Measuring a communicator's machine, and keeping its profile ----------------------------------

nb::tuple measure(std::uintptr_t comm, double seconds, int node_ranks, std::function<void(int, int)> progress,
                  const std::string& problem) {
  MachineReport report;
  {
    const nb::gil_scoped_release release;
    TuneOptions options;
    options.seconds = seconds;
    options.node_ranks = node_ranks;
    options.progress = std::move(progress);
    options.interrupt = see_signals;
    report = detail::measure_machine(communicator(comm), options, problem);
  }
  return nb::make_tuple(report.machine, report.low, report.high, report.measured, report.ranks,
                        report.messages);
}

void bind_probe(nb::module_& module) {
  module.def("measure_machine", &measure, "comm"_a, "seconds"_a, "node_ranks"_a, "progress"_a, "problem"_a,
             "See sortlast.tune.measure.");
  module.def("kept_profile_path", &kept_profile_path, "See sortlast.tune.kept_profile.");
  module.def("machine_name", &machine_name, "See sortlast.tune.machine_name.");
}

}  // namespace
}  // namespace sortlast::python

NB_MODULE(SORTLAST_MPI_MODULE, module) {
  module.doc() = "The compositor of sortlast over one family of MPI libraries.";
  nanobind::module_::import_("sortlast._core");  // defines Timing and Event
  sortlast::python::use_registered();
  sortlast::python::register_errors();
  sortlast::python::bind_tile(module);
  sortlast::python::bind_compositor(module);
  sortlast::python::bind_visibility(module);
  sortlast::python::bind_probe(module);
}
