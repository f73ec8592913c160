// Spreading flows over all paths that switches allow.
#include "sortlast/fabric/spreading.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "progress.hpp"
#include "value.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

namespace {

using fabric::SpreadContention;
using fabric::Spreading;
using Release = nb::call_guard<nb::gil_scoped_release>;

template <std::vector<double> SpreadContention::* member>
auto column(const SpreadContention& found) {
  return array_of(found.*member);
}

void bind_result(nb::module_& module) {
  nb::class_<SpreadContention> type(
      module, "SpreadContention",
      "Flows on the busiest channel at every stage of a pattern, if flows are split over their paths.");
  type.def_prop_ro("even", &column<&SpreadContention::even>, owned,
                   "By stage, if every switch splits each flow evenly among its ports: float64 array.")
      .def_prop_ro("best", &column<&SpreadContention::best>, owned,
                   "By stage, with the best splitting that was found: float64 array.")
      .def_prop_ro("bound", &column<&SpreadContention::bound>, owned,
                   "By stage, a lower bound for all splittings over these paths: float64 array.");
  type.def("__repr__", [](const SpreadContention& found) {
    const auto most = [](const std::vector<double>& stages) {
      return stages.empty() ? 0 : *std::max_element(stages.begin(), stages.end());
    };
    return "<SpreadContention even=" + std::to_string(most(found.even)) +
           " best=" + std::to_string(most(found.best)) + " bound=" + std::to_string(most(found.bound)) + ">";
  });
  bind_pickle(type, [](auto& found) { return std::tie(found.even, found.best, found.bound); });
}

}  // namespace

void bind_spreading(nb::module_& module) {
  nb::class_<Spreading>(module, "Spreading", "The paths over which a flow may be split, on a topology.")
      .def_ro("name", &Spreading::name)
      .def_prop_ro("topology",
                   [](const Spreading& s) { return std::const_pointer_cast<fabric::Topology>(s.topology); });
  module.def(
      "spreadings",
      [] {
        std::vector<std::pair<std::string, std::string>> entries;
        for (const fabric::SpreadingEntry& entry : fabric::spreadings()) {
          entries.emplace_back(entry.name, entry.summary);
        }
        return entries;
      },
      "Name and summary of each set of paths over which flows can be spread.");
  module.def(
      "spread",
      [](std::shared_ptr<fabric::Topology> topology, const std::string& name,
         const std::vector<std::int32_t>& roots) {
        return fabric::spreading(std::move(topology), name, {.roots = roots});
      },
      "topology"_a, "name"_a, "roots"_a = std::vector<std::int32_t>{}, Release(),
      "One of spreadings(). `roots`: numbers of switches; none: they are searched for. Raises ArgumentError: "
      "an\n"
      "unknown name, or an unsuitable fabric with the reason.");
  module.def(
      "even_shares",
      [](const Spreading& spreading, std::int32_t source, std::int32_t destination) {
        std::vector<std::pair<fabric::Channel, double>> shares;
        for (const fabric::ChannelShare& each : even_shares(spreading, source, destination)) {
          shares.emplace_back(each.channel, each.share);
        }
        return shares;
      },
      "spreading"_a, "source"_a, "destination"_a,
      "Channels of a flow from host to host, and the share of it on each, if every switch splits it evenly\n"
      "among its ports. Raises Error if there is no path.");
  bind_result(module);
  module.def(
      "spread_contention",
      [](const Spreading& spreading, const std::shared_ptr<fabric::Pattern>& pattern,
         const fabric::Placement& placement, double gap, std::int32_t rounds, const ProgressCall& progress) {
        const fabric::SpreadOptions options{gap, rounds, progress_of(progress)};
        const nb::gil_scoped_release release;
        return spread_contention(spreading, *pattern, placement, options);
      },
      "spreading"_a, "pattern"_a, "placement"_a, "gap"_a = 0.01, "rounds"_a = 2000, "progress"_a = nb::none(),
      "Load of the busiest channel of each stage: with even splitting, with the best splitting, and a lower "
      "bound.");
}

}  // namespace sortlast::python
