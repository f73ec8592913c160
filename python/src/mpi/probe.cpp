// Measuring a communicator's machine, and the profile that is kept of it.
#include "sortlast/tune/probe.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <string>

#include "communicator.hpp"
#include "signals.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
namespace {

nb::tuple measure(std::uintptr_t comm, double seconds, int nodes, std::function<void(int, int)> progress,
                  const std::string& problem) {
  MachineReport report;
  {
    const nb::gil_scoped_release release;
    TuneOptions options;
    options.seconds = seconds;
    options.node_ranks = nodes;
    options.progress = std::move(progress);
    options.interrupt = see_signals;
    report = detail::measure_machine(communicator(comm), options, problem);
  }
  return nb::make_tuple(report.machine, report.low, report.high, report.measured, report.ranks,
                        report.messages);
}

}  // namespace

void bind_probe(nb::module_& module) {
  module.def("measure_machine", &measure, "comm"_a, "seconds"_a, "nodes"_a, "progress"_a, "problem"_a,
             "See sortlast.tune.measure.");
  module.def("kept_profile_path", &kept_profile_path, "See sortlast.tune.kept_profile.");
  module.def("keep_profile", &keep_profile, "machine"_a, "See sortlast.tune.keep.");
}

}  // namespace sortlast::python
