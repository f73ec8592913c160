// sortlast._core: schedules, images and the serial executor; no MPI.
#include <nanobind/nanobind.h>

#include "errors.hpp"

namespace sortlast::python {
void bind_choice(nanobind::module_& module);
void bind_schedule(nanobind::module_& module);
void bind_serial(nanobind::module_& module);
void bind_timing(nanobind::module_& module);
}  // namespace sortlast::python

NB_MODULE(_core, module) {
  module.doc() = "Schedules, images and the serial executor of sortlast.";
  sortlast::python::register_errors();
  sortlast::python::bind_timing(module);
  sortlast::python::bind_schedule(module);
  sortlast::python::bind_choice(module);
  sortlast::python::bind_serial(module);
}
