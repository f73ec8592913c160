// Schedules, the registry and the cost model.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "sortlast/error.hpp"
#include "sortlast/cost.hpp"
#include "sortlast/schedule.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

Pair pair(Range range) { return {range.begin, range.end}; }

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
  nb::class_<Fragment>(module, "Fragment",
                       "Pixels [begin, end) that hold the composite of depth positions [first, last).")
      .def_prop_ro("pixels", [](const Fragment& fragment) { return pair(fragment.pixels); })
      .def_prop_ro("depth", [](const Fragment& fragment) { return pair(fragment.depth); });
  nb::class_<Send>(module, "Send", "Send a part of a value to a peer.")
      .def_ro("stage", &Send::stage)
      .def_ro("peer", &Send::peer)
      .def_ro("value", &Send::value)
      .def_prop_ro("pixels", [](const Send& send) { return pair(send.pixels); });
  nb::class_<Receive>(module, "Receive", "Receive a value whole.")
      .def_ro("stage", &Receive::stage)
      .def_ro("peer", &Receive::peer)
      .def_ro("value", &Receive::value);
  nb::class_<Merge>(module, "Merge", "Join a part of several values into one, in the order of the list.")
      .def_ro("value", &Merge::value)
      .def_prop_ro("pixels", [](const Merge& merge) { return pair(merge.pixels); })
      .def_prop_ro(
          "inputs",
          [](const Merge& merge) {
            std::vector<std::pair<Value, bool>> inputs;
            for (const Merge::Input& input : merge.inputs) inputs.emplace_back(input.value, input.front);
            return inputs;
          },
          "Pairs (value, whether it joins in front of what was gathered so far).");
  nb::class_<Program>(module, "Program", "All that one rank does.")
      .def_ro("rank", &Program::rank)
      .def_ro("values", &Program::values)
      .def_ro("sends", &Program::sends)
      .def_ro("receives", &Program::receives)
      .def_ro("merges", &Program::merges)
      .def_ro("result", &Program::result, "Value with the finished pixels; -1: none.");
  nb::class_<Transfer>(module, "Transfer", "One message of a schedule as seen from above.")
      .def_ro("stage", &Transfer::stage)
      .def_ro("source", &Transfer::source)
      .def_ro("destination", &Transfer::destination)
      .def_prop_ro("pixels", [](const Transfer& transfer) { return pair(transfer.fragment.pixels); })
      .def_prop_ro("depth", [](const Transfer& transfer) { return pair(transfer.fragment.depth); });
}

void bind_value(nb::module_& module) {
  nb::class_<Schedule>(module, "Schedule", "Who sends which pixels to whom, and what is merged with what.")
      .def_prop_ro("name", &Schedule::name, "The algorithm with its parameters, as make() takes it.")
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
          "Node of each rank; empty: every rank is a node of its own.")
      .def_prop_ro(
          "depth_runs", [](const Schedule& s) { return depth_runs(s.setting()); },
          "By node: how many runs of depth positions its ranks hold, which are the fragments that a "
          "two-level schedule leaves for the network.")
      .def_prop_ro("stage_count", &Schedule::stages)
      .def_prop_ro("window", &Schedule::window, "Most stages under way at once on a rank; 0: no limit.")
      .def("program", &Schedule::program, "rank"_a, "What one rank does. Costs O(its own steps).")
      .def(
          "piece", [](const Schedule& s, std::int32_t rank) { return pair(s.piece(rank)); }, "rank"_a,
          "Range of pixels that a rank ends with.")
      .def("stages", &stages, "Transfers of all ranks by stage. Costs O(all steps).")
      .def("verify", &Schedule::verify, nb::call_guard<nb::gil_scoped_release>(),
           "Execute the schedule symbolically; raises Error with the first thing that does not hold.")
      .def("to_json", &Schedule::to_json)
      .def("__repr__", [](const Schedule& s) {
        return "<Schedule " + s.name() + " p=" + std::to_string(s.p()) + " n=" + std::to_string(s.n()) + ">";
      });
}

void bind_registry(nb::module_& module) {
  nb::class_<AlgorithmEntry>(module, "AlgorithmEntry", "An algorithm of the registry and its published cost.")
      .def_ro("name", &AlgorithmEntry::name)
      .def_ro("usage", &AlgorithmEntry::usage)
      .def_ro("summary", &AlgorithmEntry::summary)
      .def_ro("latency", &AlgorithmEntry::latency)
      .def_ro("transfer", &AlgorithmEntry::transfer)
      .def_ro("overlap", &AlgorithmEntry::overlap);
  module.def("algorithms", [] {
    const auto entries = algorithms();
    return std::vector<AlgorithmEntry>(entries.begin(), entries.end());
  });
  module.def(
      "make",
      [](const std::string& name, std::int32_t p, std::int64_t n,
         const std::optional<std::vector<std::int32_t>>& order,
         const std::optional<std::vector<std::int32_t>>& ring, bool commutes,
         const std::optional<std::vector<std::int32_t>>& nodes) {
        const std::vector<std::int32_t> none;
        return make_schedule(
            name, {p, n, order.value_or(none), ring.value_or(none), commutes, nodes.value_or(none)});
      },
      "name"_a, "p"_a, "n"_a, "order"_a = nb::none(), "ring"_a = nb::none(), "commutes"_a = false,
      "nodes"_a = nb::none(),
      "Make a schedule by name for p ranks and n pixels. Raises ArgumentError.\n\n"
      "`nodes` gives the node of each rank, numbered from 0 without gaps.");
}

void bind_cost(nb::module_& module) {
  const CostModel standard;
  module.def(
      "price",
      [](const Schedule& schedule, double alpha, double beta, double gamma, const std::string& latency,
         bool overlap) { return price(schedule, cost_model(alpha, beta, gamma, latency, overlap)); },
      "schedule"_a, "alpha"_a = standard.alpha, "beta"_a = standard.beta, "gamma"_a = standard.gamma,
      "latency"_a = "per_message", "overlap"_a = false,
      "Price a schedule by walking it: alpha [s] a message (or round), beta [s] a pixel sent, gamma [s] a "
      "pixel blended.");
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

}  // namespace

void bind_schedule(nb::module_& module) {
  bind_steps(module);
  bind_value(module);
  bind_registry(module);
  bind_cost(module);
}

}  // namespace sortlast::python
