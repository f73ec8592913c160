// Visibility orders over a communicator.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "communicator.hpp"
#include "errors.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
namespace {

std::vector<SplitNode> split_tree_of(const std::vector<unsigned>& axes, const Rows<double, 3>& planes,
                                     const Rows<std::int32_t, 8>& children) {
  std::vector<SplitNode> tree(axes.size());
  for (std::size_t node = 0; node < tree.size(); ++node) {
    tree[node].axes = axes[node];
    std::copy_n(planes.data() + 3 * node, 3, tree[node].position.begin());
    std::copy_n(children.data() + 8 * node, 8, tree[node].children.begin());
  }
  return tree;
}

// Positions, boxes as rows, and sources. The three arrays of the tree have the same length.
nb::tuple visibility_positions(std::uintptr_t comm, const Rows<double, 6>& rows,
                               const std::array<double, 3>& position, bool parallel, bool split,
                               const std::vector<unsigned>& axes, const Rows<double, 3>& planes,
                               const Rows<std::int32_t, 8>& children, double timeout,
                               const std::string& problem) {
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    const double* const b = rows.data() + 6 * i;
    boxes.push_back({{b[0], b[2], b[4]}, {b[1], b[3], b[5]}});
  }
  const std::vector<SplitNode> tree = split_tree_of(axes, planes, children);
  BoxPositions found;
  {
    const nb::gil_scoped_release release;
    found = detail::CompositorAccess::visibility_positions(communicator(comm), boxes, {position, parallel},
                                                           {split, tree, timeout}, problem, see_signals);
  }
  std::vector<double> corners;
  for (const Box& box : found.boxes)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      corners.push_back(box.low[axis]);
      corners.push_back(box.high[axis]);
    }
  return nb::make_tuple(array_of(std::move(found.positions)), matrix_of(std::move(corners), 6),
                        array_of(std::move(found.sources)));
}

}  // namespace

void bind_visibility(nb::module_& module) {
  module.def(
      "visibility_order",
      [](std::uintptr_t comm, const std::array<double, 6>& b, const std::array<double, 3>& position,
         bool parallel, double timeout, const std::string& problem) {
        const Box box{{b[0], b[2], b[4]}, {b[1], b[3], b[5]}};
        const nb::gil_scoped_release release;
        return detail::CompositorAccess::visibility_order(communicator(comm), box, {position, parallel},
                                                          timeout, problem, see_signals);
      },
      "comm"_a, "box"_a, "position"_a, "parallel"_a, "timeout"_a, "problem"_a);
  module.def("visibility_positions", &visibility_positions, "comm"_a, "boxes"_a, "position"_a, "parallel"_a,
             "split"_a, "axes"_a, "planes"_a, "children"_a, "timeout"_a, "problem"_a,
             "See sortlast.visibility_positions.");
}

}  // namespace sortlast::python
