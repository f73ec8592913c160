// Machines and the choice of an algorithm.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "sortlast/machine.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
namespace {

using Ranks = std::optional<std::vector<std::int32_t>>;

void bind_machine(nb::module_& module) {
  const Machine standard;
  nb::class_<Machine> machine(
      module, "Machine",
      "Measured figures of a communicator's machine, of one rank that has a core to itself.\n\n"
      "The defaults are those of \"auto\" without a profile.");
  machine.def(
      "__init__",
      [](Machine* self, double alpha, double beta, double node_alpha, double node_beta, double gamma_read,
         double gamma_write, double copy, std::int32_t cores, std::int32_t ranks) {
        new (self) Machine{alpha, beta, node_alpha, node_beta, gamma_read, gamma_write, copy, cores, ranks};
      },
      nb::kw_only(), "alpha"_a = standard.alpha, "beta"_a = standard.beta,
      "node_alpha"_a = standard.node_alpha, "node_beta"_a = standard.node_beta,
      "gamma_read"_a = standard.gamma_read, "gamma_write"_a = standard.gamma_write, "copy"_a = standard.copy,
      "cores"_a = standard.cores, "ranks"_a = standard.ranks);
  bind_settings(
      machine, field("alpha", &Machine::alpha, "Latency of a message between nodes [s]."),
      field("beta", &Machine::beta, "A byte between nodes, on the link that a node's ranks share [s]."),
      field("node_alpha", &Machine::node_alpha, "Latency of a message within a node [s]."),
      field("node_beta", &Machine::node_beta, "A byte within a node, by message [s]."),
      field("gamma_read", &Machine::gamma_read, "To read a byte in blending [s]."),
      field("gamma_write", &Machine::gamma_write, "To write a byte in blending [s]."),
      field("copy", &Machine::copy, "To copy a byte [s]."),
      field("cores", &Machine::cores, "Cores of a node for its ranks; 0: one for each."),
      field("ranks", &Machine::ranks, "Ranks of a node, where nodes are not given rank by rank."));
  machine.def("to_json", [](const Machine& machine) { return to_json(machine); })
      .def_static("from_json", &machine_from_json, "text"_a, "source"_a = "profile",
                  "The machine of a profile's text; `source` names it in messages. Raises ArgumentError.")
      .def("save", &save_machine, "path"_a, "Write the profile. Raises ArgumentError.")
      .def_static("load", &load_machine, "path"_a, "Read a profile. Raises ArgumentError.");
}

void bind_predictions(nb::module_& module) {
  nb::class_<Prediction> prediction(module, "Prediction", "Seconds that an algorithm takes for one frame.");
  bind_value(
      prediction, field("name", &Prediction::name, "Full name, with all parameters."),
      field("transfer", &Prediction::transfer, "Waiting for messages, and moving those within nodes [s]."),
      field("blend", &Prediction::blend, "Blending that no transfer hides [s]."),
      field("copy", &Prediction::copy, "Copying images to where others can read them [s]."));
  prediction.def_prop_ro("total", &Prediction::total);
  module.def(
      "choose",
      [](std::int32_t p, std::int64_t n, const Machine& machine, double pixel_bytes, double active,
         bool staged, const Ranks& order, const Ranks& ring, bool commutes, const Ranks& nodes,
         const std::optional<std::vector<std::string>>& candidates) {
        const std::vector<std::int32_t> none;
        return choose({p, n, order.value_or(none), ring.value_or(none), commutes, nodes.value_or(none)},
                      {pixel_bytes, active, staged}, machine,
                      candidates.value_or(std::vector<std::string>{}));
      },
      "p"_a, "n"_a, "machine"_a = Machine{}, "pixel_bytes"_a = Workload{}.pixel_bytes,
      "active"_a = Workload{}.active, "staged"_a = Workload{}.staged, "order"_a = nb::none(),
      "ring"_a = nb::none(), "commutes"_a = false, "nodes"_a = nb::none(), "candidates"_a = nb::none(),
      "Predict what algorithms take on a machine, fastest first. Raises ArgumentError.\n\n"
      "`active` is the share of an image's pixels that are active (1: dense), `staged` tells whether images\n"
      "must be copied before the other ranks of a node can read them, `candidates` are names of algorithms\n"
      "(all that may be worth it if not given).");
}

}  // namespace

void bind_choice(nb::module_& module) {
  bind_machine(module);
  bind_predictions(module);
}

}  // namespace sortlast::python
