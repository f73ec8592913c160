// Files of the fabric's tools: text in, value out, and back. Nothing here opens a file.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "sortlast/fabric/read/read.hpp"
#include "sortlast/fabric/write/write.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
namespace {

using fabric::Topology;

// Long files are read without the interpreter's lock.
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

void bind_topologies(nb::module_& module) {
  module.def(
      "read_ibnetdiscover", &fabric::read_ibnetdiscover, "text"_a, "file"_a, Unlocked(),
      "The topology of ibnetdiscover's output or of an ibsim netlist. `file` is the name that messages\n"
      "show. Raises ArgumentError 'FILE:LINE: expected ..., found ...'.");
  module.def(
      "write_ibsim", &fabric::write_ibsim, "topology"_a, Unlocked(),
      "A netlist for ibsim, without LIDs. Raises ArgumentError for a vertex without a GUID of its own.");
  module.def("write_ibnetdiscover", &fabric::write_ibnetdiscover, "topology"_a, Unlocked(),
             "The form that ibnetdiscover prints, with LIDs and rates.");
  module.def("assign_lids", &fabric::assign_lids, "topology"_a, Unlocked(),
             "The same topology with a LID for every vertex that has none: the lowest that are free.");
}

void bind_tables(nb::module_& module) {
  module.def(
      "read_routes", &fabric::read_routes, "topology"_a, "text"_a, "file"_a, Unlocked(),
      "The Routes that a dump of forwarding tables holds: opensm-lfts.dump, dump_fts, ibroute or\n"
      "opensm.fdbs. Switches are found by GUID, destinations by LID; for those without a LID the dump\n"
      "must name port GUIDs. Raises ArgumentError 'FILE:LINE: ...'.");
}

}  // namespace

void bind_files(nb::module_& module) {
  bind_topologies(module);
  bind_tables(module);
}

}  // namespace sortlast::python
