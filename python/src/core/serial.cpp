// The oracle, the serial executor and the visibility order.
#include "sortlast/serial.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "sortlast/visibility.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
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

// (colour, depth or None), as a type that the stub can tell.
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
