// sortlast._fabric, the module; and the sources of topologies, routes and lists: families by name, and the
// files of existing tools. Nothing here opens a file.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "errors.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

void bind_contention(nb::module_& module);
void bind_failures(nb::module_& module);
void bind_nodes(nb::module_& module);
void bind_placement(nb::module_& module);
void bind_routing(nb::module_& module);
void bind_spreading(nb::module_& module);
void bind_table_search(nb::module_& module);
void bind_topology(nb::module_& module);

namespace {

using fabric::Counts;
// Large fabrics are built, and long files parsed, without the interpreter's lock.
using Release = nb::call_guard<nb::gil_scoped_release>;

// Wraps a builder in a function that returns the type held by Python.
template <auto builder, typename... Parameters>
std::shared_ptr<fabric::Topology> build(Parameters... parameters) {
  return std::make_shared<fabric::Topology>(builder(parameters...));
}

void bind_trees(nb::module_& module) {
  using Number = std::int32_t;
  module.def("crossbar", &build<fabric::crossbar, Number>, "n"_a, Release(), "One switch with n hosts.");
  module.def("k_ary_n_tree", &build<fabric::k_ary_n_tree, Number, Number>, "k"_a, "n"_a, Release(),
             "k**n hosts under n levels of k**(n-1) switches (Petrini and Vanneschi, 1997).");
  module.def("var_ary_n_tree", &build<fabric::var_ary_n_tree, const Counts&>, "k"_a, Release(),
             "Arity k[l-1] at level l, with as many links up as down (Zahavi et al., 2010).");
  module.def(
      "gft", &build<fabric::gft, Number, Number, Number>, "h"_a, "m"_a, "w"_a, Release(),
      "GFT(h, m, w) of Oehring et al. (1995): m children and w parents everywhere, adapters of w ports.");
  module.def("xgft", &build<fabric::xgft, const Counts&, const Counts&>, "m"_a, "w"_a, Release(),
             "XGFT(h; m; w) of Oehring et al. (1995): children and parents by level, from the hosts up.");
  module.def("pgft", &build<fabric::pgft, const Counts&, const Counts&, const Counts&>, "m"_a, "w"_a, "p"_a,
             Release(),
             "PGFT(h; m; w; p) of Zahavi (2010): an XGFT with p parallel links to each parent, by level.");
  module.def("rlft", &build<fabric::rlft, Number, Number>, "ports"_a, "levels"_a, Release(),
             "Largest Real Life Fat-Tree (Zahavi, 2010) of switches with `ports` ports.");
  module.def("thin_tree", &build<fabric::thin_tree, Number, Number, Number>, "k"_a, "up"_a, "n"_a, Release(),
             "Thin-tree k:up,n of Navaridas et al.; a fat-tree if up = k.");
  module.def("slender_tree", &build<fabric::slender_tree, Number, Number, Number>, "k"_a, "up"_a, "n"_a,
             Release(), "Slender-tree k:up,n of Navaridas et al.; up is a divisor of k below k.");
  module.def(
      "why_no_rlft",
      [](const Counts& m, const Counts& w, const Counts& p) { return fabric::why_no_rlft({m, w, p}); }, "m"_a,
      "w"_a, "p"_a, "Why PGFT(h; m; w; p) is not a Real Life Fat-Tree; empty: it is one.");
}

}  // namespace

void bind_families(nb::module_& module) {
  bind_trees(module);
  module.def("mesh", &build<fabric::mesh, const Counts&, std::int32_t>, "size"_a, "hosts"_a = 1, Release(),
             "One switch with `hosts` hosts at every coordinate, x fastest.");
  module.def("torus", &build<fabric::torus, const Counts&, std::int32_t>, "size"_a, "hosts"_a = 1, Release(),
             "A mesh with its ends joined.");
  using Number = std::int32_t;
  module.def("dragonfly", &build<fabric::dragonfly, Number, Number, Number, Number>, "p"_a, "a"_a, "h"_a,
             "g"_a, Release(),
             "Dragonfly of Kim et al. (2008): g groups of a routers, all joined, each with p hosts and h "
             "global links.");
  module.def("dragonfly_plus", &build<fabric::dragonfly_plus, Number, Number, Number, Number, Number>, "p"_a,
             "l"_a, "s"_a, "h"_a, "g"_a, Release(),
             "Dragonfly+ of Shpiner et al. (2017): g groups of l leaves with p hosts each, joined to s "
             "spines with h\n"
             "global links each.");
  module.def(
      "hyperx", &build<fabric::hyperx, const Counts&, std::int32_t>, "size"_a, "hosts"_a = 1, Release(),
      "HyperX of Ahn et al. (2009): a switch with `hosts` hosts at every coordinate, joined to all switches\n"
      "that differ in one coordinate.");

  nb::class_<fabric::Family> family(module, "Family",
                                    "A family of topologies, as accepted by make_topology().");
  bind_value(family, field("name", &fabric::Family::name), field("usage", &fabric::Family::usage),
             field("summary", &fabric::Family::summary));
  module.def("families", [] {
    const auto all = fabric::families();
    return std::vector<fabric::Family>(all.begin(), all.end());
  });
  module.def(
      "make_topology",
      [](const std::string& text) { return std::make_shared<fabric::Topology>(fabric::make_topology(text)); },
      "text"_a, Release(), "A topology by name: 'pgft:18,12;1,9;1,2', 'k-ary-n-tree:12,2', 'torus:8,8,8'.");
}

namespace {

void bind_topologies(nb::module_& module) {
  module.def(
      "read_topology", &fabric::read_topology, "text"_a, "file"_a, Release(),
      "The topology in a file of any known format, recognised by its content: ibnetdiscover (also -p), "
      "ibsim's\n"
      "netlist, iblinkinfo, opensm-subnet.lst, ibdiagnet2.db_csv, Slurm's topology.conf. `file` is the name\n"
      "shown in messages. Raises ArgumentError 'FILE:LINE: expected ..., found ...', like all readers.");
  module.def("format_of", &fabric::format_of, "text"_a, Release(),
             "The name of the format of a text, such as 'topology.yaml'; empty: unknown.");
  module.def("read_ibnetdiscover", &fabric::read_ibnetdiscover, "text"_a, "file"_a, Release(),
             "The topology in ibnetdiscover's output or in an ibsim netlist.");
  module.def("read_subnet_list", &fabric::read_subnet_list, "text"_a, "file"_a, Release(),
             "The topology in opensm-subnet.lst.");
  module.def("read_slurm_topology", &fabric::read_slurm_topology, "text"_a, "file"_a, "links"_a = 1,
             Release(),
             "The topology in Slurm's topology.conf. The file does not mention ports: every pair of switches "
             "gets this\n"
             "number of links.");
  nb::class_<fabric::SlurmLine> line(module, "SlurmLine", "A line of Slurm's configuration.");
  line.def(nb::init<std::string, std::int64_t, std::vector<std::pair<std::string, std::string>>>(), "file"_a,
           "line"_a, "settings"_a);
  bind_value(line, field("file", &fabric::SlurmLine::file), field("line", &fabric::SlurmLine::line),
             field("settings", &fabric::SlurmLine::settings,
                   "Its settings in order, with keys in lower case; ('include', FILE) for an Include."));
  module.def("read_slurm_lines", &fabric::read_slurm_lines, "text"_a, "file"_a, Release(),
             "The lines of a file of Slurm's configuration that have settings.");
  module.def(
      "make_slurm_topology", &fabric::make_slurm_topology, "lines"_a, "file"_a, "links"_a = 1, Release(),
      "The topology in lines of topology.conf, from any number of files; `file` names it. Every pair of\n"
      "switches gets this number of links.");
  nb::class_<fabric::NodeRecord> node(module, "NodeRecord",
                                      "A switch or an adapter of a file, for make_net().");
  node.def(nb::init<std::string, std::string, std::uint64_t, bool, std::int64_t>(), "id"_a, "name"_a = "",
           "guid"_a = 0, "is_switch"_a = false, "line"_a = 0);
  bind_value(node, field("id", &fabric::NodeRecord::id, "By which cables refer to it."),
             field("name", &fabric::NodeRecord::name, "Empty: the id."),
             field("guid", &fabric::NodeRecord::guid, "0: the next free one."),
             field("is_switch", &fabric::NodeRecord::is_switch), field("line", &fabric::NodeRecord::line));
  nb::class_<fabric::CableRecord> cable(module, "CableRecord", "A cable of a file, for make_net().");
  cable.def(nb::init<std::string, std::int32_t, std::string, std::int32_t, double, std::int64_t>(), "a"_a,
            "a_port"_a, "b"_a, "b_port"_a, "gbps"_a = 0.0, "line"_a = 0);
  bind_value(cable, field("a", &fabric::CableRecord::a, "Id of a node."),
             field("a_port", &fabric::CableRecord::a_port), field("b", &fabric::CableRecord::b),
             field("b_port", &fabric::CableRecord::b_port),
             field("gbps", &fabric::CableRecord::gbps, "Signalling rate in Gbit/s; 0: unknown."),
             field("line", &fabric::CableRecord::line));
  module.def("make_net", &fabric::make_net, "nodes"_a, "cables"_a, "file"_a, Release(),
             "The topology of nodes and cables that were read from `file`. A cable may be given from one end "
             "or both.\n"
             "Raises ArgumentError, with file and line, for an unknown or repeated id, a port outside 1 .. "
             "65534 or with\n"
             "two cables, and a cable between two adapters.");
  module.def("write_ibsim", &fabric::write_ibsim, "topology"_a, Release(),
             "A netlist for ibsim, without LIDs. Raises ArgumentError for a vertex without a unique GUID.");
  module.def("write_ibnetdiscover", &fabric::write_ibnetdiscover, "topology"_a, Release(),
             "The format of ibnetdiscover's output, with LIDs and rates. ibsim reads it too, and then "
             "assigns these\n"
             "LIDs to its ports.");
  module.def("assign_lids", &fabric::assign_lids, "topology"_a, Release(),
             "The same topology with a LID for every vertex: vertices without one get the lowest free LIDs.");
}

void bind_tables(nb::module_& module) {
  module.def("read_routes", &fabric::read_routes, "topology"_a, "text"_a, "file"_a, Release(),
             "The Routes in a dump of forwarding tables: opensm-lfts.dump, dump_fts, ibroute or opensm.fdbs. "
             "Switches\n"
             "are found by GUID, destinations by LID; for destinations without a LID the dump must name port "
             "GUIDs.");
  module.def("write_lfts", &fabric::write_lfts, "routes"_a, Release(),
             "Tables for `opensm -R file -U FILE`. Raises ArgumentError if a vertex has no LID, or a host "
             "has fewer\n"
             "LIDs than the routes have planes.");
  module.def(
      "write_simgrid", &fabric::write_simgrid, "routes"_a, "link_bytes_per_second"_a = 0.0,
      "link_seconds"_a = 0.0, Release(),
      "A SimGrid platform (XML, version 4.1): hosts, switches as routers, links of two directions with\n"
      "bandwidth [byte/s] (0: each link's own rate, or 1.25e9 if it has none) and latency [s], and the route "
      "of\n"
      "every pair of hosts. Raises ArgumentError above 400,000 pairs of hosts, and for names that XML "
      "cannot\n"
      "hold or that two vertices share.");
}

void bind_lists(nb::module_& module) {
  module.def("read_ca_order", &fabric::read_ca_order, "topology"_a, "text"_a, "file"_a, Release(),
             "The hosts of opensm-ftree-ca-order.dump in order; dummies are -1.");
  module.def("read_node_name_map", &fabric::read_node_name_map, "text"_a, "file"_a, Release(),
             "Names by GUID, from OpenSM's node name map: lines '0xGUID \"NAME\"'.");
  module.def("read_node_list", &fabric::read_node_list, "text"_a, "file"_a, Release(),
             "Names in a list in Slurm's bracket form, \"node[001-004,7],login\", over any number of lines.");
  module.def(
      "read_traffic", &fabric::read_traffic, "text"_a, "file"_a, Release(),
      "A Pattern of lines \"stage source destination [bytes]\", all numbered from 0; # begins a comment.");
  module.def("fold_node_list", &fabric::fold_node_list, "names"_a,
             "The list in Slurm's bracket form. Keeps the order: only neighbours with consecutive numbers "
             "are folded.");
}

void bind_launch(nb::module_& module) {
  module.def(
      "write_hostfile", &fabric::write_hostfile, "topology"_a, "placement"_a, "launcher"_a,
      "A hostfile that makes participant i rank i; dummies are left out. `launcher` is 'mpich' (mpiexec -f\n"
      "FILE), 'openmpi' (mpiexec --hostfile FILE --map-by slot), 'openmpi-rankfile', 'slurm' (srun -m\n"
      "arbitrary, with SLURM_HOSTFILE=FILE) or 'torchrun' (one line per node: its name, and its options of\n"
      "torchrun). Raises ArgumentError if the launcher would order the ranks differently.");
  module.def("write_rankfile", &fabric::write_rankfile, "topology"_a, "placement"_a, "launcher"_a,
             "A file with one line for each rank: for 'openmpi' (mpiexec --hostfile HOSTS --map-by\n"
             "rankfile:file=FILE); for 'mpich' and 'slurm' the matching form of their hostfiles; for "
             "'torchrun' its\n"
             "hostfile.");
  module.def(
      "write_mpigraph", &fabric::write_mpigraph, "names"_a, "matrix"_a,
      "Tables of bandwidths [MB/s] in the format of mpiGraph. `matrix` has one row for each sender and\n"
      "len(names) squared entries; its diagonal is ignored.");
}

}  // namespace

void bind_files(nb::module_& module) {
  bind_topologies(module);
  bind_tables(module);
  bind_lists(module);
  bind_launch(module);
}

}  // namespace sortlast::python

NB_MODULE(_fabric, module) {
  module.doc() =
      "The fabric lab of sortlast: topologies, routing, contention, and the files of existing tools.";
  sortlast::python::register_errors();
  nb::module_::import_("sortlast._core");  // Schedule
  sortlast::python::bind_topology(module);
  sortlast::python::bind_placement(module);
  sortlast::python::bind_nodes(module);
  sortlast::python::bind_routing(module);
  sortlast::python::bind_contention(module);
  sortlast::python::bind_failures(module);
  sortlast::python::bind_spreading(module);
  sortlast::python::bind_table_search(module);
  sortlast::python::bind_files(module);
}
