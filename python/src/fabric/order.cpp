// The best order of a job's hosts.
#include "sortlast/fabric/order.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "fabric/analysis.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
namespace {

using fabric::Pattern;
using Shared = std::shared_ptr<Pattern>;
using PatternCall = std::optional<nb::callable>;

struct Ordered {
  fabric::BestOrder order;
  Analysis analysis;
};

fabric::OrderOptions order_options(bool dummies, std::int64_t steps, std::uint64_t seed,
                                   const PatternCall& pattern, std::int32_t threads,
                                   const ProgressCall& progress) {
  fabric::OrderOptions options;
  options.dummies = dummies;
  options.steps = steps;
  options.seed = seed;
  options.analysis = analysis_options(threads, progress);
  if (pattern) {
    options.pattern = [pattern](std::int32_t p) -> std::shared_ptr<const Pattern> {
      const nb::gil_scoped_acquire acquire;
      return nb::cast<Shared>((*pattern)(p));
    };
  }
  return options;
}

Ordered find(const fabric::Routes& routes, const std::vector<std::int32_t>& hosts, bool dummies,
             std::int64_t steps, std::uint64_t seed, const PatternCall& pattern, std::int32_t threads,
             const ProgressCall& progress) {
  const fabric::OrderOptions options = order_options(dummies, steps, seed, pattern, threads, progress);
  const nb::gil_scoped_release release;
  fabric::BestOrder best = best_order(routes, hosts, options);
  const auto p = static_cast<std::int32_t>(best.placement.size());
  Analysis analysis{routes, options.pattern ? options.pattern(p) : fabric::shift_pattern(p), best.placement,
                    best.contention};
  return {std::move(best), std::move(analysis)};
}

}  // namespace

void bind_order(nb::module_& module) {
  nb::class_<Ordered>(module, "BestOrder", "An order of a job's hosts, and what is known about better ones.")
      .def_prop_ro(
          "placement", [](const Ordered& o) { return o.order.placement; },
          "Host of each participant; -1: a dummy.")
      .def_ro("contention", &Ordered::analysis, "Contention under it.")
      .def_prop_ro(
          "how", [](const Ordered& o) { return o.order.how; }, "Which order it is, or what the search did.")
      .def_prop_ro(
          "proven_best", [](const Ordered& o) { return o.order.proven_best; },
          "Whether it is free, or `proof` holds.")
      .def_prop_ro(
          "proof", [](const Ordered& o) { return o.order.proof; },
          "Why no order of these hosts is free under this routing; empty: not known.")
      .def("__repr__", [](const Ordered& o) { return "<BestOrder: " + o.order.how + ">"; });
  module.def("best_order", &find, "routes"_a, "hosts"_a, "dummies"_a = false, "steps"_a = -1, "seed"_a = 1,
             "pattern"_a = nb::none(), "threads"_a = 0, "progress"_a = nb::none(),
             "Find an order of hosts, given by number, in which a pattern contends least: known orders, then "
             "annealing\n"
             "in `steps` swaps (-1: as many as take some seconds). `dummies`: places may stay empty; "
             "`pattern`: called\n"
             "with the number of participants, dummies among them, returns the Pattern (none: shift).");
}

}  // namespace sortlast::python
