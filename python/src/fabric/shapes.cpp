// Shapes: the parameters of topologies of a family.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "sortlast/fabric/topology.hpp"
#include "value.hpp"

namespace nb = nanobind;

namespace sortlast::python {

void bind_shapes(nb::module_& module) {
  using fabric::DragonflyPlusShape;
  using fabric::DragonflyShape;
  using fabric::GridShape;
  using fabric::HyperXShape;
  using fabric::SlenderShape;
  using fabric::TreeShape;
  nb::class_<TreeShape> tree(module, "TreeShape",
                             "PGFT(h; m; w; p): children, parents, and links to each, by level.");
  bind_value(tree, field("m", &TreeShape::m), field("w", &TreeShape::w), field("p", &TreeShape::p));
  nb::class_<SlenderShape> slender(module, "SlenderShape", "Slender-tree k:k',n, with up for k'.");
  bind_value(slender, field("k", &SlenderShape::k), field("up", &SlenderShape::up),
             field("n", &SlenderShape::n));
  nb::class_<GridShape> grid(module, "GridShape",
                             "Mesh, or torus if it wraps: switches along x, y, ..., and hosts on each.");
  bind_value(grid, field("size", &GridShape::size), field("wraps", &GridShape::wraps),
             field("hosts", &GridShape::hosts));
  nb::class_<DragonflyShape> dragonfly(
      module, "DragonflyShape", "Dragonfly: hosts p and global links h of a router, routers a, groups g.");
  bind_value(dragonfly, field("p", &DragonflyShape::p), field("a", &DragonflyShape::a),
             field("h", &DragonflyShape::h), field("g", &DragonflyShape::g));
  nb::class_<DragonflyPlusShape> plus(
      module, "DragonflyPlusShape",
      "Dragonfly+: hosts p of a leaf, leaves l, spines s, global links h of a spine, groups g.");
  bind_value(plus, field("p", &DragonflyPlusShape::p), field("l", &DragonflyPlusShape::l),
             field("s", &DragonflyPlusShape::s), field("h", &DragonflyPlusShape::h),
             field("g", &DragonflyPlusShape::g));
  nb::class_<HyperXShape> hyperx(module, "HyperXShape",
                                 "HyperX: switches along x, y, ..., and hosts on each.");
  bind_value(hyperx, field("size", &HyperXShape::size), field("hosts", &HyperXShape::hosts));
}

}  // namespace sortlast::python
