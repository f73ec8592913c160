// Single failures: the cost of losing a link or a switch, for a job.
#include "sortlast/fabric/failures.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "progress.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

void bind_failures(nb::module_& module) {
  using fabric::Failure;
  using Numbers = std::vector<std::int32_t>;
  nb::class_<Failure> failure(module, "Failure", "The loss of one link or switch, and the job without it.");
  bind_value(failure,
             field("channel", &Failure::channel, "One direction of a failed link; -1: a switch failed."),
             field("failed_switch", &Failure::failed_switch, "Number of a failed switch; -1: a link failed."),
             field("lost", &Failure::lost, "Participants that are lost: the job stops; 0: it does not."),
             field("seconds", &Failure::seconds, "Time of the pattern [s]; 0 if the job stops."),
             field("max_flows", &Failure::max_flows, "Maximum number of flows on a channel at any stage."),
             field("engine", &Failure::engine, "The engine that routes the remaining fabric."),
             field("why", &Failure::why, "Why the job stops, or why the engine is not the requested one."));
  module.def(
      "single_failures",
      [](std::shared_ptr<fabric::Topology> topology, const std::string& engine,
         const std::shared_ptr<fabric::Pattern>& pattern, const fabric::Placement& placement,
         double link_bytes_per_second, const Numbers& roots, const Numbers& compute, std::uint64_t seed,
         std::int32_t threads, const ProgressCall& progress) {
        const fabric::AnalysisOptions options{.threads = threads, .progress = progress_of(progress)};
        const nb::gil_scoped_release release;
        return fabric::single_failures(std::move(topology), engine, {roots, compute, seed, 0}, *pattern,
                                       placement, link_bytes_per_second, options);
      },
      "topology"_a, "engine"_a, "pattern"_a, "placement"_a, "link_bytes_per_second"_a, "roots"_a = Numbers{},
      "compute"_a = Numbers{}, "seed"_a = 1, "threads"_a = 0, "progress"_a = nb::none(),
      "The cost of every single failure of a link between switches, or of a switch, the worst first. The\n"
      "remaining fabric is routed by the engine. Other arguments are as for route() and pattern_time().");
}

}  // namespace sortlast::python
