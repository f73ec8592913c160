// Nodes: the machines that contain a fabric's adapters, their rails, and the ranks of a job.
#include "sortlast/fabric/nodes.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

namespace {

using fabric::Adapter;
using fabric::Node;
using fabric::NodeRanks;
using Nodes = std::vector<Node>;
using Release = nb::call_guard<nb::gil_scoped_release>;

void bind_values(nb::module_& module) {
  nb::class_<Adapter> adapter(module, "Adapter", "A port of an adapter, in its node.");
  adapter.def(nb::init<std::string, std::int32_t>(), "rail"_a, "host"_a);
  bind_value(adapter, field("rail", &Adapter::rail, "Its name, such as 'HCA-6' or 'mlx5_0'."),
             field("host", &Adapter::host, "Number of the host in the topology."));
  nb::class_<Node> node(module, "Node", "A machine and its adapters.");
  node.def(nb::init<std::string, std::vector<Adapter>>(), "name"_a, "adapters"_a);
  bind_value(node, field("name", &Node::name),
             field("adapters", &Node::adapters,
                   "Sorted by rail, 'mlx5_2' before 'mlx5_10'; or in the order in which ranks use them."));
  nb::class_<NodeRanks> ranks(module, "NodeRanks", "An entry of a list of nodes.");
  ranks.def(nb::init<std::string, std::int32_t, std::int64_t>(), "name"_a, "ranks"_a = 0, "line"_a = 0);
  bind_value(ranks, field("name", &NodeRanks::name, "Name of a node or a host, or a GUID in hex."),
             field("ranks", &NodeRanks::ranks, "Number of ranks in this entry; 0: not given."),
             field("line", &NodeRanks::line, "Line in the file; 0: not from a file."));
}

}  // namespace

void bind_nodes(nb::module_& module) {
  bind_values(module);
  module.def("find_nodes", &fabric::find_nodes, "topology"_a, Release(),
             "The machines named in the descriptions of hosts ('node07 HCA-6': node07), without aggregation "
             "nodes and\n"
             "without machines whose description is the default one of adapters.");
  module.def("read_adapters", &fabric::read_adapters, "topology"_a, "text"_a, "file"_a, Release(),
             "The machines in a table with lines 'NODE RAIL HOST', where HOST is a GUID or a host's name; "
             "other hosts\n"
             "are assigned as in find_nodes(). Raises ArgumentError with file and line.");
  module.def(
      "read_hostfile", &fabric::read_hostfile, "topology"_a, "text"_a, "file"_a, Release(),
      "The entries of a list of nodes: names, lists in brackets, and the hostfiles of Open MPI ('NAME\n"
      "slots=4'), MPICH ('NAME:4') and Slurm (one line for each rank).");
  module.def(
      "place_ranks",
      [](const fabric::Topology& topology, const Nodes& nodes, const std::vector<NodeRanks>& list,
         const std::string& rail, std::int32_t ranks_per_node, const std::string& file) {
        fabric::RankPlacement placed = place_ranks(topology, nodes, list, {rail, ranks_per_node, file});
        return std::pair(std::move(placed.placement), std::move(placed.nodes));
      },
      "topology"_a, "nodes"_a, "list"_a, "rail"_a = "", "ranks_per_node"_a = 0, "file"_a = "", Release(),
      "The host of each rank in a list, and the number of its node. rail: the adapters that ranks use, or "
      "'all'\n"
      "to alternate; ranks_per_node: 0: as in the list. Raises ArgumentError: an unknown name, a node "
      "without\n"
      "that rail, or with several where none was selected.");
  module.def(
      "between_nodes",
      [](const std::shared_ptr<fabric::Pattern>& pattern, std::vector<std::int32_t> nodes) {
        return std::const_pointer_cast<fabric::Pattern>(fabric::between_nodes(pattern, std::move(nodes)));
      },
      "pattern"_a, "nodes"_a,
      "The flows of a pattern that leave their node; nodes: number of each participant's node.");
  module.def(
      "write_slurm_topology",
      [](const fabric::Topology& topology, const std::optional<Nodes>& nodes, const std::string& rail) {
        return write_slurm_topology(topology, nodes ? *nodes : find_nodes(topology), rail);
      },
      "topology"_a, "nodes"_a = nb::none(), "rail"_a = "", Release(),
      "Slurm's topology.conf. nodes: the machines, by default those of find_nodes(); rail: used for machines "
      "on\n"
      "several switches. Raises ArgumentError for a fabric that is not a tree, a machine on several "
      "switches,\n"
      "and hosts with an unknown machine.");
  module.def("rails", &fabric::rails, "nodes"_a, "Names of all rails, 'mlx5_2' before 'mlx5_10'.");
}

}  // namespace sortlast::python
