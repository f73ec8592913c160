// sortlast._simulate: traffic with causes, and the packet simulator.
#include <nanobind/nanobind.h>

#include "errors.hpp"

namespace sortlast::python {
void bind_packet(nanobind::module_& module);
void bind_traffic(nanobind::module_& module);
}  // namespace sortlast::python

NB_MODULE(_simulate, module) {
  module.doc() = "The network simulator of sortlast: traffic with causes, and packets on a fabric.";
  sortlast::python::register_errors();
  nanobind::module_::import_("sortlast._fabric");  // Topology, Routes; and with it Schedule
  sortlast::python::bind_traffic(module);
  sortlast::python::bind_packet(module);
}
