// Patterns: who sends how much to whom, stage by stage.
#include "sortlast/fabric/pattern.hpp"

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
#include "value.hpp"
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

void check_stage(const Pattern& pattern, std::int64_t stage) {
  if (stage >= 0 && stage < pattern.stages()) return;
  throw ArgumentError("stage " + std::to_string(stage) + " of " + pattern.name() + "; it has " +
                      std::to_string(pattern.stages()) + ", counted from 0");
}

Matrix<std::int64_t> flows_array(const Pattern& pattern, std::int64_t stage) {
  check_stage(pattern, stage);
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

void bind_collectives(nb::module_& module) {
  nb::class_<fabric::Collective> collective(module, "Collective", "A collective available in patterns.");
  bind_value(collective,
             field("name", &fabric::Collective::name, "Its name: 'ring', or 'rail:K' with a number K."),
             field("summary", &fabric::Collective::summary, "One sentence."));
  module.def("collectives", &fabric::collectives, "The collectives.");
  module.def(
      "collective_pattern",
      [](std::string_view name, std::int32_t p, std::int64_t bytes) {
        return handed(fabric::collective_pattern(name, p, bytes));
      },
      "name"_a, "p"_a, "bytes"_a, Release(),
      "A collective of p ranks that hold `bytes` each. Raises ArgumentError for an unknown name, or a number "
      "in\n"
      "the name that is missing, out of range or not allowed.");
  nb::class_<fabric::GroupKind> kind(module, "GroupKind", "Groups of one kind among the ranks of a job.");
  kind.def(
      "__init__",
      [](fabric::GroupKind* made, std::string name, std::int32_t size, std::string collective,
         std::int64_t bytes) {
        new (made) fabric::GroupKind{std::move(name), size, std::move(collective), bytes};
      },
      "name"_a, "size"_a, "collective"_a, "bytes"_a = 1);
  bind_value(kind, field("name", &fabric::GroupKind::name),
             field("size", &fabric::GroupKind::size, "Number of ranks in a group."),
             field("collective", &fabric::GroupKind::collective,
                   "The collective of its groups, one of collectives(); empty: none."),
             field("bytes", &fabric::GroupKind::bytes, "Bytes of each rank."));
  module.def(
      "groups_pattern",
      [](std::int32_t p, const std::vector<fabric::GroupKind>& kinds) {
        return handed(fabric::groups_pattern(p, kinds));
      },
      "p"_a, "kinds"_a, Release(),
      "All groups of all kinds at once, the innermost kind first: its groups are consecutive ranks. Raises\n"
      "ArgumentError unless the sizes multiply to p.");
  module.def(
      "node_pattern",
      [](const Shared& pattern, std::int32_t ranks_per_node) {
        return handed(fabric::node_pattern(pattern, ranks_per_node));
      },
      "pattern"_a, "ranks_per_node"_a,
      "The traffic of a pattern between nodes with consecutive ranks. Raises ArgumentError if the ranks do "
      "not\n"
      "fill their nodes.");
}

}  // namespace

void bind_patterns(nb::module_& module) {
  nb::class_<Pattern>(module, "Pattern", "Who sends to whom, stage by stage; made by ``pattern``.")
      .def_prop_ro("name", &Pattern::name)
      .def_prop_ro("participants", &Pattern::participants)
      .def_prop_ro("stages", &Pattern::stages, "Number of stages that differ from the previous one.")
      .def_prop_ro("steps", &fabric::steps, "Number of stages with their repetitions.")
      .def(
          "repeats",
          [](const Pattern& pattern, std::int64_t stage) {
            check_stage(pattern, stage);
            return pattern.repeats(stage);
          },
          "stage"_a, "How many times a stage, counted from 0, is repeated in sequence.")
      .def_prop_ro("is_shift", &Pattern::is_shift, "Whether stage s is i -> (i + s + 1) mod p for all i.")
      .def("flows", &flows_array, "stage"_a,
           "Flows of a stage, counted from 0: int64 array (flows, 3) of source, destination, bytes, where\n"
           "source and destination are participants.")
      .def("__repr__", [](const Pattern& pattern) {
        return "<Pattern " + pattern.name() + " of " + std::to_string(pattern.participants()) +
               " participants in " + std::to_string(steps(pattern)) + " stages>";
      });
  module.def(
      "same_in_any_order", [](const Shared& pattern) { return fabric::same_in_any_order(*pattern); },
      "pattern"_a, Release(),
      "Whether every stage has the same flows however the participants are numbered: no order of hosts "
      "matters.");
  module.def(
      "shift_pattern",
      [](std::int32_t p, std::int64_t bytes) { return handed(fabric::shift_pattern(p, bytes)); }, "p"_a,
      "bytes"_a = 1, "All p - 1 shift permutations, with messages of `bytes` bytes.");
  module.def(
      "all_to_all_pattern",
      [](std::int32_t p, std::int64_t bytes) { return handed(fabric::all_to_all_pattern(p, bytes)); }, "p"_a,
      "bytes"_a = 1, "All participants send to all others in one stage.");
  module.def(
      "permutation_pattern",
      [](const std::vector<std::int32_t>& destination, std::int64_t bytes) {
        return handed(fabric::permutation_pattern(destination, bytes));
      },
      "destination"_a, "bytes"_a = 1,
      "One stage in which i sends to destination[i]; -1: to nobody. Raises ArgumentError if two send to the "
      "same one.");
  module.def(
      "schedule_pattern",
      [](const Schedule& schedule, std::int64_t pixel_bytes) {
        return handed(fabric::schedule_pattern(schedule, pixel_bytes));
      },
      "schedule"_a, "pixel_bytes"_a, Release(), "The transfers of a Schedule by its stages.");
  module.def("traffic_pattern", &traffic, "name"_a, "p"_a, "stages"_a,
             "Given flows: for each stage a list of (source, destination, bytes), with participants from 0 "
             "to p - 1.");
  bind_collectives(module);
}

}  // namespace sortlast::python
