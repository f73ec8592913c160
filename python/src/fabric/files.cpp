// Files of the fabric's tools: text in, value out, and back. Nothing here opens a file.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "sortlast/fabric/read.hpp"
#include "sortlast/fabric/write.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
namespace {

// Long files are read without the interpreter's lock.
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

void bind_topologies(nb::module_& module) {
  module.def("read_topology", &fabric::read_topology, "text"_a, "file"_a, Unlocked(),
             "The topology in a file of any known format, recognised by its content: ibnetdiscover, ibsim's\n"
             "netlist, opensm-subnet.lst, Slurm's topology.conf. `file` is the name that messages show.\n"
             "Raises ArgumentError 'FILE:LINE: expected ..., found ...', as all readers do.");
  module.def("read_ibnetdiscover", &fabric::read_ibnetdiscover, "text"_a, "file"_a, Unlocked(),
             "The topology of ibnetdiscover's output or of an ibsim netlist.");
  module.def("read_subnet_list", &fabric::read_subnet_list, "text"_a, "file"_a, Unlocked(),
             "The topology of opensm-subnet.lst.");
  module.def("read_slurm_topology", &fabric::read_slurm_topology, "text"_a, "file"_a, Unlocked(),
             "The topology of Slurm's topology.conf. It says nothing of ports: every pair gets one link.");
  module.def(
      "write_ibsim", &fabric::write_ibsim, "topology"_a, Unlocked(),
      "A netlist for ibsim, without LIDs. Raises ArgumentError for a vertex without a GUID of its own.");
  module.def(
      "write_ibnetdiscover", &fabric::write_ibnetdiscover, "topology"_a, Unlocked(),
      "The form that ibnetdiscover prints, with LIDs and rates. ibsim reads it too, and then gives its\n"
      "ports these LIDs.");
  module.def("write_slurm_topology", &fabric::write_slurm_topology, "topology"_a, Unlocked(),
             "Slurm's topology.conf. Raises ArgumentError for a fabric that is no tree.");
  module.def("assign_lids", &fabric::assign_lids, "topology"_a, Unlocked(),
             "The same topology with a LID for every vertex that has none: the lowest that are free.");
}

void bind_tables(nb::module_& module) {
  module.def(
      "read_routes", &fabric::read_routes, "topology"_a, "text"_a, "file"_a, Unlocked(),
      "The Routes that a dump of forwarding tables holds: opensm-lfts.dump, dump_fts, ibroute or\n"
      "opensm.fdbs. Switches are found by GUID, destinations by LID; for those without a LID the dump\n"
      "must name port GUIDs.");
  module.def("write_lfts", &fabric::write_lfts, "routes"_a, Unlocked(),
             "Tables for `opensm -R file -U FILE`. Raises ArgumentError if a vertex has no LID, or a host\n"
             "fewer LIDs than the routes have planes.");
}

void bind_lists(nb::module_& module) {
  module.def("read_ca_order", &fabric::read_ca_order, "topology"_a, "text"_a, "file"_a, Unlocked(),
             "The hosts of opensm-ftree-ca-order.dump in order; dummies are -1.");
  module.def("read_node_list", &fabric::read_node_list, "text"_a, "file"_a, Unlocked(),
             "Names of a list in Slurm's bracket form, \"node[001-004,7],login\", over any number of lines.");
  module.def(
      "read_traffic", &fabric::read_traffic, "text"_a, "file"_a, Unlocked(),
      "A Pattern of lines \"stage source destination [bytes]\", all numbered from 0; # begins a comment.");
  module.def("fold_node_list", &fabric::fold_node_list, "names"_a,
             "The list in Slurm's bracket form. Keeps the order: only neighbours that count up are folded.");
}

void bind_launch(nb::module_& module) {
  module.def(
      "write_hostfile", &fabric::write_hostfile, "topology"_a, "placement"_a, "launcher"_a,
      "A hostfile by which participant i becomes rank i; dummies are left out. `launcher` is 'mpich'\n"
      "(mpiexec -f FILE), 'openmpi' (mpiexec --hostfile FILE --map-by slot) or 'slurm' (srun -m arbitrary,\n"
      "with SLURM_HOSTFILE=FILE). Raises ArgumentError if Open MPI would order the ranks otherwise.");
  module.def(
      "write_rankfile", &fabric::write_rankfile, "topology"_a, "placement"_a, "launcher"_a,
      "A line a rank: for 'openmpi' (mpiexec --hostfile HOSTS --map-by rankfile:file=FILE); for 'mpich' and\n"
      "'slurm' the form of their hostfiles that does so.");
  module.def(
      "write_mpigraph", &fabric::write_mpigraph, "names"_a, "matrix"_a,
      "Tables of bandwidths [MB/s] as mpiGraph prints them. `matrix` is row by row, a row a sender, and\n"
      "has len(names) squared entries; its diagonal is ignored.");
}

}  // namespace

void bind_files(nb::module_& module) {
  bind_topologies(module);
  bind_tables(module);
  bind_lists(module);
  bind_launch(module);
}

}  // namespace sortlast::python
