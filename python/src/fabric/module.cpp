// sortlast._fabric: topologies, routing, contention and the files of the fabric's tools.
#include <nanobind/nanobind.h>

#include "errors.hpp"

namespace sortlast::python {
void bind_contention(nanobind::module_& module);
void bind_files(nanobind::module_& module);
void bind_placement(nanobind::module_& module);
void bind_routing(nanobind::module_& module);
void bind_topology(nanobind::module_& module);
}  // namespace sortlast::python

NB_MODULE(_fabric, module) {
  module.doc() = "The fabric lab of sortlast: topologies, routing, contention, and files of real tools.";
  sortlast::python::register_errors();
  nanobind::module_::import_("sortlast._core");  // Schedule
  sortlast::python::bind_topology(module);
  sortlast::python::bind_placement(module);
  sortlast::python::bind_routing(module);
  sortlast::python::bind_contention(module);
  sortlast::python::bind_files(module);
}
