// sortlast._simulate: traffic with causes, and the simulators of packets and flows.
#include <nanobind/nanobind.h>

#include "errors.hpp"

namespace sortlast::python {
void bind_flow(nanobind::module_& module);
void bind_packet(nanobind::module_& module);
void bind_traffic(nanobind::module_& module);
}  // namespace sortlast::python

NB_MODULE(_simulate, module) {
  module.doc() = "The network simulator of sortlast: traffic with causes, as packets or flows on a fabric.";
  sortlast::python::register_errors();
  nanobind::module_::import_("sortlast._fabric");  // Topology, Routes; and with it Schedule
  sortlast::python::bind_traffic(module);
  sortlast::python::bind_packet(module);
  sortlast::python::bind_flow(module);
}
