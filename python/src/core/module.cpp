// sortlast._core, the module: timing and trace events, the oracle, the serial executor and the visibility
// order.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "errors.hpp"
#include "image_arrays.hpp"
#include "sortlast/serial.hpp"
#include "sortlast/timing.hpp"
#include "sortlast/visibility.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

void bind_schedule(nb::module_& module);
void bind_builder(nb::module_& module);
void bind_device_array(nb::module_& module);

void bind_timing(nb::module_& module) {
  nb::class_<Timing> timing(module, "Timing",
                            "Seconds of one frame by phase, and the data moved: measured on this rank, or "
                            "priced or simulated for the slowest rank. Unknown phases are 0.");
  bind_value(
      timing, field("total", &Timing::total, "Seconds of the whole frame."),
      field("agree", &Timing::agree,
            "Seconds for checking that all ranks passed the same arguments; ``late`` is a part of it."),
      field("late", &Timing::late, "Seconds of waiting for ranks that joined the frame later; 0 if unknown."),
      field("search", &Timing::search,
            "Seconds of searching for active pixels, before the ranks meet and as messages are made."),
      field("wait", &Timing::wait, "Seconds of transfers not hidden by blending."),
      field("blend", &Timing::blend, "Seconds of merging fragments."),
      field("gather", &Timing::gather, "Seconds of collecting the tiles at the root."),
      field("bytes_sent", &Timing::bytes_sent), field("bytes_received", &Timing::bytes_received),
      field("messages_sent", &Timing::messages_sent), field("messages_received", &Timing::messages_received),
      field("stages", &Timing::stages),
      field("peak_bytes", &Timing::peak_bytes,
            "Peak memory beyond the input image and the result, in bytes."));

  nb::class_<Event> event(module, "Event",
                          "One action of a rank, in seconds on a clock shared by all processes of a host.");
  bind_value(
      event, field("activity", &Event::activity, "agree, search, send, receive, wait, blend or gather."),
      field("begin", &Event::begin), field("end", &Event::end),
      field("peer", &Event::peer, "The other rank of a send or receive, the root of a gather; otherwise -1."),
      field("stage", &Event::stage, "Stage of a send or receive, counted from 1; otherwise -1."),
      field("bytes", &Event::bytes, "Bytes moved, or read by a blend."));
}

namespace {

using Arrays = std::vector<std::optional<Array>>;

std::vector<ConstPixels> views(const Arrays& colours, const Arrays& depths) {
  std::vector<ConstPixels> images;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    images.push_back(colours[i] ? pixels_of(*colours[i], i < depths.size() ? depths[i] : std::nullopt)
                                : ConstPixels{});
  }
  return images;
}

// (colour, depth or None), as a type that appears in the stub.
using Planes = nb::typed<nb::tuple, nb::ndarray<nb::numpy>, std::optional<nb::ndarray<nb::numpy>>>;

Planes result(const Frame& frame) {
  const std::vector<std::size_t> shape{static_cast<std::size_t>(frame.size.height),
                                       static_cast<std::size_t>(frame.size.width)};
  return nb::make_tuple(colour_array(frame.pixels, frame.format, shape),
                        depth_array(frame.pixels, frame.format, shape));
}

}  // namespace

void bind_serial(nb::module_& module) {
  module.def(
      "composite_serial",
      [](const Arrays& colours, const Arrays& depths, std::int64_t height, std::int64_t width, int channels,
         const std::string& scalar, bool depth, const std::string& op, const std::vector<std::int32_t>& order,
         const std::vector<float>& background) {
        const Format format{scalar_from_name(scalar), channels, depth};
        return result(composite_serial(views(colours, depths), {width, height}, format, op_from_name(op),
                                       order, background));
      },
      "colours"_a, "depths"_a, "height"_a, "width"_a, "channels"_a, "scalar"_a, "depth"_a, "op"_a, "order"_a,
      "background"_a, "The oracle; see sortlast.composite_serial.");
  module.def(
      "composite_boxes_serial",
      [](const Arrays& colours, const Arrays& depths, const std::vector<std::int64_t>& positions,
         const std::vector<std::array<std::int64_t, 4>>& boxes, std::int64_t height, std::int64_t width,
         int channels, const std::string& scalar, bool depth, const std::string& op,
         const std::vector<float>& background) {
        const Format format{scalar_from_name(scalar), channels, depth};
        const std::vector<ConstPixels> pixels = views(colours, depths);
        std::vector<BoxImage> images;
        for (std::size_t i = 0; i < pixels.size(); ++i) {
          const Size size{static_cast<std::int64_t>(colours[i]->shape(1)),
                          static_cast<std::int64_t>(colours[i]->shape(0))};
          images.push_back({{pixels[i], size, format, {}},
                            positions[i],
                            Rectangle{boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3]}});
        }
        return result(composite_serial(images, {width, height}, format, op_from_name(op), background));
      },
      "colours"_a, "depths"_a, "positions"_a, "boxes"_a, "height"_a, "width"_a, "channels"_a, "scalar"_a,
      "depth"_a, "op"_a, "background"_a,
      "The oracle for several images per rank; see sortlast.composite_serial.");
  module.def(
      "execute_serial",
      [](const Schedule& schedule, const Arrays& colours, const Arrays& depths, std::int64_t height,
         std::int64_t width, int channels, const std::string& scalar, bool depth, const std::string& op,
         std::uint32_t seed) {
        const Format format{scalar_from_name(scalar), channels, depth};
        return result(execute_serial(schedule, views(colours, depths), {width, height}, format,
                                     op_from_name(op), seed));
      },
      "schedule"_a, "colours"_a, "depths"_a, "height"_a, "width"_a, "channels"_a, "scalar"_a, "depth"_a,
      "op"_a, "seed"_a, "Run a schedule in one thread; see sortlast.execute_serial.");
  module.def(
      "check_images",
      [](const nb::list& arrays, const nb::type_object& type) {
        for (const nb::handle array : arrays)
          if (Py_TYPE(array.ptr()) != reinterpret_cast<PyTypeObject*>(type.ptr()) ||
              !image_of_array(array.ptr()))
            return false;
        return true;
      },
      "arrays"_a, "type"_a,
      "Whether all are arrays of exactly that type, contiguous, with the shape and dtype of images.");
  module.def(
      "ops",
      [] {
        std::vector<std::string> names;
        for (const Op op : {Op::over, Op::closest, Op::add, Op::max, Op::min})
          names.emplace_back(op_name(op));
        return names;
      },
      "Names of the operators.");
  module.def(
      "visibility_order",
      [](const std::vector<std::array<double, 6>>& bounds, const std::array<double, 3>& position,
         bool parallel) {
        std::vector<Box> boxes;
        for (const auto& b : bounds) boxes.push_back({{b[0], b[2], b[4]}, {b[1], b[3], b[5]}});
        return visibility_order(boxes, {position, parallel});
      },
      "bounds"_a, "position"_a, "parallel"_a, "Ranks from front to back; see sortlast.visibility_order.");
}

}  // namespace sortlast::python

NB_MODULE(_core, module) {
  module.doc() = "Schedules, images and the serial executor of sortlast.";
  sortlast::python::register_errors();
  sortlast::python::bind_timing(module);
  sortlast::python::bind_schedule(module);
  sortlast::python::bind_builder(module);
  sortlast::python::bind_device_array(module);
  sortlast::python::bind_serial(module);
}
