// Schedules, the registry, the cost model, machines and the choice of an algorithm.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "sortlast/cost.hpp"
#include "sortlast/error.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/nodes.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

namespace {

using Ranks = std::vector<std::int32_t>;
using SomeRanks = std::optional<Ranks>;
using Positions = std::vector<std::vector<std::int64_t>>;
using SomePositions = std::optional<Positions>;

CostModel cost_model(double alpha, double beta, double gamma, const std::string& latency, bool overlap) {
  if (latency != "per_message" && latency != "per_round") {
    throw ArgumentError("latency is '" + latency + "'; expected 'per_message' or 'per_round'");
  }
  return {alpha, beta, gamma, latency == "per_round" ? Latency::per_round : Latency::per_message, overlap};
}

std::vector<std::vector<Transfer>> stages(const Schedule& schedule) {
  std::vector<std::vector<Transfer>> result(static_cast<std::size_t>(schedule.stages()));
  for (const Transfer& transfer : schedule.transfers()) {
    result[static_cast<std::size_t>(transfer.stage) - 1].push_back(transfer);
  }
  return result;
}

void bind_steps(nb::module_& module) {
  nb::class_<Fragment> fragment(
      module, "Fragment", "Pixels [begin, end) that hold the composite of depth positions [first, last).");
  bind_value(fragment, field("pixels", &Fragment::pixels), field("depth", &Fragment::depth));
  nb::class_<Send> send(module, "Send", "Send a part of a value to a peer.");
  bind_value(send, field("stage", &Send::stage), field("peer", &Send::peer), field("value", &Send::value),
             field("pixels", &Send::pixels));
  nb::class_<Receive> receive(module, "Receive", "Receive a whole value.");
  bind_value(receive, field("stage", &Receive::stage), field("peer", &Receive::peer),
             field("value", &Receive::value));
  nb::class_<Merge> merge(module, "Merge",
                          "Join a part of several values into one, in the order of the list.");
  bind_value(
      merge, field("value", &Merge::value), field("pixels", &Merge::pixels),
      field("inputs", &Merge::inputs, "Pairs (value, whether it joins in front of the result so far)."));
  nb::class_<Program> program(module, "Program", "The work of one rank.");
  bind_value(program, field("rank", &Program::rank), field("values", &Program::values),
             field("sends", &Program::sends), field("receives", &Program::receives),
             field("merges", &Program::merges),
             field("result", &Program::result, "Value with the finished pixels; -1: none."));
  nb::class_<Transfer> transfer(module, "Transfer",
                                "One message in the list of all transfers of a schedule.");
  bind_value(transfer, field("stage", &Transfer::stage), field("source", &Transfer::source),
             field("destination", &Transfer::destination), field("fragment", &Transfer::fragment),
             field("layers", &Transfer::layers,
                   "Number of runs of consecutive positions in the fragment, each with its own pixels; 1 "
                   "without positions."));
  transfer.def_prop_ro("pixels", [](const Transfer& t) { return t.fragment.pixels; })
      .def_prop_ro("depth", [](const Transfer& t) { return t.fragment.depth; });
}

void bind_schedules(nb::module_& module) {
  nb::class_<Schedule>(module, "Schedule", "Which rank sends which pixels to whom, and how they are merged.")
      .def_prop_ro("name", &Schedule::name, "The algorithm with its parameters, as accepted by make().")
      .def_prop_ro("p", &Schedule::p)
      .def_prop_ro("n", &Schedule::n)
      .def_prop_ro(
          "order", [](const Schedule& s) { return s.setting().order; },
          "Ranks from front to back; empty: rank order.")
      .def_prop_ro(
          "ring", [](const Schedule& s) { return s.setting().ring; },
          "Ranks in communication order; empty: rank order.")
      .def_prop_ro("commutes", [](const Schedule& s) { return s.setting().commutes; })
      .def_prop_ro(
          "nodes", [](const Schedule& s) { return s.setting().nodes; },
          "Node of each rank; empty: every rank has its own node.")
      .def_prop_ro(
          "positions", [](const Schedule& s) { return s.setting().positions; },
          "For each rank, the positions of its images, front to back over all ranks; empty: one image per "
          "rank.")
      .def_prop_ro(
          "depth_runs", [](const Schedule& s) { return depth_runs(s.setting()); },
          "For each node, the number of runs of depth positions that its ranks hold, which is the number of "
          "fragments that a two-level schedule sends over the network.")
      .def_prop_ro("stage_count", &Schedule::stages)
      .def_prop_ro("window", &Schedule::window,
                   "Maximum number of stages in progress at once on a rank; 0: no limit.")
      .def_prop_ro(
          "incremental", &Schedule::incremental,
          "Whether ranks may start before all others have arrived, and merge images in any order of arrival.")
      .def("program", &Schedule::program, "rank"_a, "The work of one rank. Costs O(its own steps).")
      .def("piece", &Schedule::piece, "rank"_a, "Range of pixels that a rank finishes.")
      .def("stages", &stages, "Transfers of all ranks by stage. Costs O(all steps).")
      .def("verify", nb::overload_cast<>(&Schedule::verify, nb::const_),
           nb::call_guard<nb::gil_scoped_release>(),
           "Execute the schedule symbolically; raises Error with the first violation.")
      .def("to_json", &Schedule::to_json)
      .def("__getstate__",
           [](const Schedule& s) {
             const Setting& setting = s.setting();
             return std::make_tuple(s.name(), setting.p, setting.n, setting.order, setting.ring,
                                    setting.commutes, setting.nodes, setting.positions);
           })
      .def("__setstate__",
           [](Schedule& self, const std::tuple<std::string, std::int32_t, std::int64_t, Ranks, Ranks, bool,
                                               Ranks, Positions>& state) {
             const auto& [name, p, n, order, ring, commutes, nodes, positions] = state;
             new (&self) Schedule(make_schedule(name, {p, n, order, ring, commutes, nodes, positions}));
           })
      .def("__repr__", [](const Schedule& s) {
        return "<Schedule " + s.name() + " p=" + std::to_string(s.p()) + " n=" + std::to_string(s.n()) + ">";
      });
}

void bind_registry(nb::module_& module) {
  nb::class_<AlgorithmEntry> entry(module, "AlgorithmEntry",
                                   "An algorithm of the registry and its published cost.");
  bind_value(entry, field("name", &AlgorithmEntry::name), field("usage", &AlgorithmEntry::usage),
             field("summary", &AlgorithmEntry::summary), field("latency", &AlgorithmEntry::latency),
             field("transfer", &AlgorithmEntry::transfer), field("overlap", &AlgorithmEntry::overlap));
  module.def("algorithms", [] {
    const auto entries = algorithms();
    return std::vector<AlgorithmEntry>(entries.begin(), entries.end());
  });
  module.def(
      "make",
      [](const std::string& name, std::int32_t p, std::int64_t n,
         const std::optional<std::vector<std::int32_t>>& order,
         const std::optional<std::vector<std::int32_t>>& ring, bool commutes,
         const std::optional<std::vector<std::int32_t>>& nodes, const SomePositions& positions) {
        const std::vector<std::int32_t> none;
        return make_schedule(name, {p, n, order.value_or(none), ring.value_or(none), commutes,
                                    nodes.value_or(none), positions.value_or(Positions{})});
      },
      "name"_a, "p"_a, "n"_a, "order"_a = nb::none(), "ring"_a = nb::none(), "commutes"_a = false,
      "nodes"_a = nb::none(), "positions"_a = nb::none(),
      "Make a schedule by name for p ranks and n pixels. Raises ArgumentError.\n\n"
      "`nodes` gives the node of each rank, numbered from 0 without gaps. `positions` lists, for each rank, "
      "the\n"
      "depth positions of its images, front to back over all ranks: any distinct integers. A rank may have\n"
      "none. It needs commutes=True, because images that carry their positions can be joined in any order.");
}

void bind_cost(nb::module_& module) {
  const CostModel standard;
  module.def(
      "price",
      [](const Schedule& schedule, double alpha, double beta, double gamma, const std::string& latency,
         bool overlap) { return price(schedule, cost_model(alpha, beta, gamma, latency, overlap)); },
      "schedule"_a, "alpha"_a = standard.alpha, "beta"_a = standard.beta, "gamma"_a = standard.gamma,
      "latency"_a = "per_message", "overlap"_a = false,
      "Price a schedule by walking it: alpha [s] per message (or round), beta [s] per pixel sent, gamma [s] "
      "per pixel blended.");
  module.def(
      "formula",
      [](const std::string& name, std::int32_t p, std::int64_t n, double alpha, double beta, double gamma,
         const std::string& latency, bool overlap) {
        return published_cost(name, p, n, cost_model(alpha, beta, gamma, latency, overlap));
      },
      "name"_a, "p"_a, "n"_a, "alpha"_a = standard.alpha, "beta"_a = standard.beta,
      "gamma"_a = standard.gamma, "latency"_a = "per_message", "overlap"_a = false,
      "The published closed form of an algorithm's cost.");
}

void bind_machine(nb::module_& module) {
  const Machine standard;
  nb::class_<Machine> machine(
      module, "Machine",
      "Measured figures of a communicator's machine, for one rank with a core of its own.\n\n"
      "The defaults are the values that \"auto\" uses without a profile.");
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
  bind_settings(machine, field("alpha", &Machine::alpha, "Latency of a message between nodes [s]."),
                field("beta", &Machine::beta,
                      "Time per byte between nodes, on the link that a node's ranks share [s]."),
                field("node_alpha", &Machine::node_alpha, "Latency of a message within a node [s]."),
                field("node_beta", &Machine::node_beta, "Time per byte within a node, by message [s]."),
                field("gamma_read", &Machine::gamma_read, "Time to read a byte in blending [s]."),
                field("gamma_write", &Machine::gamma_write, "Time to write a byte in blending [s]."),
                field("copy", &Machine::copy, "Time to copy a byte [s]."),
                field("cores", &Machine::cores, "Cores of a node for its ranks; 0: one per rank."),
                field("ranks", &Machine::ranks, "Ranks of a node, if the node of each rank is not given."));
  machine.def("to_json", [](const Machine& machine) { return to_json(machine); })
      .def_static(
          "from_json", &machine_from_json, "text"_a, "source"_a = "profile",
          "The machine described by a profile's text; `source` names it in messages. Raises ArgumentError.")
      .def("save", &save_machine, "path"_a, "Write the profile. Raises ArgumentError.")
      .def_static("load", &load_machine, "path"_a, "Read a profile. Raises ArgumentError.");
}

void bind_predictions(nb::module_& module) {
  nb::class_<Prediction> prediction(module, "Prediction", "Seconds that an algorithm takes for one frame.");
  bind_value(
      prediction, field("name", &Prediction::name, "Full name, with all parameters."),
      field("transfer", &Prediction::transfer, "Waiting for messages, and moving data within nodes [s]."),
      field("blend", &Prediction::blend, "Blending that no transfer hides [s]."),
      field("copy", &Prediction::copy, "Copying images to memory that others can read [s]."));
  prediction.def_prop_ro("total", &Prediction::total);
  module.def(
      "choose",
      [](std::int32_t p, std::int64_t n, const Machine& machine, double pixel_bytes, double active,
         bool staged, const SomeRanks& order, const SomeRanks& ring, bool commutes, const SomeRanks& nodes,
         const std::optional<std::vector<std::string>>& candidates, const SomePositions& positions,
         double spread) {
        const Ranks none;
        return choose({p, n, order.value_or(none), ring.value_or(none), commutes, nodes.value_or(none),
                       positions.value_or(Positions{})},
                      {pixel_bytes, active, staged, spread}, machine,
                      candidates.value_or(std::vector<std::string>{}));
      },
      "p"_a, "n"_a, "machine"_a = Machine{}, "pixel_bytes"_a = Workload{}.pixel_bytes,
      "active"_a = Workload{}.active, "staged"_a = Workload{}.staged, "order"_a = nb::none(),
      "ring"_a = nb::none(), "commutes"_a = false, "nodes"_a = nb::none(), "candidates"_a = nb::none(),
      "positions"_a = nb::none(), "spread"_a = Workload{}.spread,
      "Predict the times of algorithms on a machine, fastest first. Raises ArgumentError.\n\n"
      "`active` is the share of an image's pixels that are active (1: dense). `staged` states whether "
      "images\n"
      "must be copied before the other ranks of a node can read them. `candidates` are names of algorithms "
      "(by\n"
      "default all that may be worth using). `positions` are the positions of the ranks' images, as in "
      "make().\n"
      "`spread` is the time between the first and the last rank's arrival [s].");
}

}  // namespace

void bind_schedule(nb::module_& module) {
  bind_steps(module);
  bind_schedules(module);
  bind_registry(module);
  bind_cost(module);
  bind_machine(module);
  bind_predictions(module);
}

}  // namespace sortlast::python
