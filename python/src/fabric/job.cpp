// Jobs: which hosts take part, in which order, and who sends to whom, stage by stage.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/placement.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

namespace {

using fabric::Flow;
using fabric::Pattern;
using Shared = std::shared_ptr<Pattern>;
using FlowTuple = std::tuple<std::int32_t, std::int32_t, std::int64_t>;
using Release = nb::call_guard<nb::gil_scoped_release>;

Shared handed(std::shared_ptr<const Pattern> pattern) {
  return std::const_pointer_cast<Pattern>(std::move(pattern));
}

Matrix<std::int64_t> flows_array(const Pattern& pattern, std::int64_t stage) {
  if (stage < 0 || stage >= pattern.stages()) {
    throw ArgumentError("stage " + std::to_string(stage) + " of " + pattern.name() + "; it has " +
                        std::to_string(pattern.stages()) + ", counted from 0");
  }
  const std::vector<Flow> flows = pattern.flows(stage);
  std::vector<std::int64_t> values;
  values.reserve(3 * flows.size());
  for (const Flow& flow : flows) values.insert(values.end(), {flow.source, flow.destination, flow.bytes});
  return matrix_of(std::move(values), 3);
}

Shared traffic(const std::string& name, std::int32_t p, const std::vector<std::vector<FlowTuple>>& stages) {
  std::vector<std::vector<Flow>> flows;
  for (const auto& stage : stages) {
    flows.emplace_back();
    for (const auto& [source, destination, bytes] : stage) {
      flows.back().push_back({source, destination, bytes});
    }
  }
  return handed(fabric::traffic_pattern(name, p, std::move(flows)));
}

}  // namespace

void bind_patterns(nb::module_& module) {
  nb::class_<Pattern>(module, "Pattern", "Who sends to whom, stage by stage; made by ``pattern``.")
      .def_prop_ro("name", &Pattern::name)
      .def_prop_ro("participants", &Pattern::participants)
      .def_prop_ro("stages", &Pattern::stages)
      .def_prop_ro("is_shift", &Pattern::is_shift, "Whether stage s is i -> (i + s + 1) mod p for all i.")
      .def("flows", &flows_array, "stage"_a,
           "Flows of a stage, counted from 0: int64 array (flows, 3) of source, destination, bytes, where\n"
           "source and destination are participants.")
      .def("__repr__", [](const Pattern& pattern) {
        return "<Pattern " + pattern.name() + " of " + std::to_string(pattern.participants()) +
               " participants in " + std::to_string(pattern.stages()) + " stages>";
      });
  module.def(
      "shift_pattern",
      [](std::int32_t p, std::int64_t bytes) { return handed(fabric::shift_pattern(p, bytes)); }, "p"_a,
      "bytes"_a = 1, "All p - 1 shift permutations, `bytes` a message.");
  module.def(
      "all_to_all_pattern",
      [](std::int32_t p, std::int64_t bytes) { return handed(fabric::all_to_all_pattern(p, bytes)); }, "p"_a,
      "bytes"_a = 1, "Everybody to everybody in one stage.");
  module.def(
      "permutation_pattern",
      [](const std::vector<std::int32_t>& destination, std::int64_t bytes) {
        return handed(fabric::permutation_pattern(destination, bytes));
      },
      "destination"_a, "bytes"_a = 1,
      "One stage in which i sends to destination[i]; -1: to nobody. Raises ArgumentError if two send to "
      "one.");
  module.def(
      "schedule_pattern",
      [](const Schedule& schedule, std::int64_t pixel_bytes) {
        return handed(fabric::schedule_pattern(schedule, pixel_bytes));
      },
      "schedule"_a, "pixel_bytes"_a, Release(), "The transfers of a Schedule by its stages.");
  module.def(
      "traffic_pattern", &traffic, "name"_a, "p"_a, "stages"_a,
      "Given flows: for each stage a list of (source, destination, bytes), participants from 0 to p - 1.");
}

void bind_placement(nb::module_& module) {
  using Hosts = std::vector<std::int32_t>;
  module.def("compute_hosts", &fabric::compute_hosts, "topology"_a, Release(),
             "Numbers of the hosts that jobs run on: those on leaf switches, without aggregation nodes.");
  module.def(
      "order_hosts", &fabric::order_hosts, "topology"_a, "order"_a, "hosts"_a = Hosts{}, "seed"_a = 1,
      "compute"_a = Hosts{}, Release(),
      "Hosts (all if none are given) in an order: 'routing', 'routing-dummies', 'listed', 'alphabetical', "
      "'natural' or 'random'. A dummy is -1. compute: hosts that routing balances for; none: "
      "compute_hosts(). Raises ArgumentError for an unknown order, or a host that does not exist or "
      "occurs twice.");
  module.def("host_orders", &fabric::host_orders, "Names of the orders.");
  module.def(
      "allocate_hosts", &fabric::allocate_hosts, "topology"_a, "scheduler"_a, "n"_a, "free"_a = Hosts{},
      "seed"_a = 1, Release(),
      "What a scheduler ('contiguous', 'random' or 'leaf') gives a job of n hosts out of those that are "
      "free (none given: compute_hosts()), in routing order. Raises ArgumentError if there are too few.");
  module.def("schedulers", &fabric::schedulers, "Names of the schedulers.");
  module.def(
      "find_hosts", &fabric::find_hosts, "topology"_a, "names"_a, Release(),
      "Numbers of hosts by name, by name up to its first space, or by GUID in hex. Raises ArgumentError "
      "with the names that the fabric does not have, and near ones.");
  module.def("block_mapping", &fabric::block_mapping, "grid"_a, "block"_a, Release(),
             "Hosts of a mesh or torus block by block, x fastest in and among blocks.");
}

}  // namespace sortlast::python
