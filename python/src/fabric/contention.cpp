// Contention, host orders with little of it, effective bisection bandwidth, and the time of a pattern.
#include "sortlast/fabric/contention.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "errors.hpp"
#include "progress.hpp"
#include "sortlast/fabric/loads.hpp"
#include "value.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

void bind_patterns(nb::module_& module);

namespace {

// Contention with its inputs, for further queries.
struct Analysis {
  fabric::Routes routes;
  std::shared_ptr<const fabric::Pattern> pattern;
  fabric::Placement placement;
  fabric::Contention result;
};

fabric::AnalysisOptions analysis_options(std::int32_t threads, const ProgressCall& progress) {
  return {.threads = threads, .progress = progress_of(progress)};
}

using fabric::Bisection;
using fabric::Pattern;
using fabric::PatternTime;
using fabric::Placement;
using Shared = std::shared_ptr<Pattern>;

Analysis analyse(const fabric::Routes& routes, const Shared& pattern, const Placement& placement,
                 std::int32_t threads, const ProgressCall& progress) {
  const fabric::AnalysisOptions options = analysis_options(threads, progress);
  const nb::gil_scoped_release release;
  return {routes, pattern, placement, contention(routes, *pattern, placement, options)};
}

Vector<std::int32_t> loads_of(const Analysis& a, std::int64_t stage) {
  std::vector<std::int32_t> loads;
  {
    const nb::gil_scoped_release release;
    loads = fabric::loads(a.routes, *a.pattern, a.placement, stage);
  }
  return array_of(std::move(loads));
}

std::vector<std::tuple<std::int32_t, std::int32_t, std::int64_t>> crossing_of(const Analysis& a,
                                                                              std::int64_t stage,
                                                                              fabric::Channel channel) {
  std::vector<std::tuple<std::int32_t, std::int32_t, std::int64_t>> result;
  for (const fabric::Flow& flow : fabric::crossing(a.routes, *a.pattern, a.placement, stage, channel)) {
    result.emplace_back(flow.source, flow.destination, flow.bytes);
  }
  return result;
}

void bind_contention_value(nb::module_& module) {
  nb::class_<Analysis>(module, "Contention",
                       "Number of flows that share each link at each stage of a pattern.")
      .def_ro("routes", &Analysis::routes)
      .def_prop_ro("pattern",
                   [](const Analysis& a) { return std::const_pointer_cast<fabric::Pattern>(a.pattern); })
      .def_ro("placement", &Analysis::placement, "Host of each participant; -1: a dummy.")
      .def_prop_ro("contention_free", [](const Analysis& a) { return a.result.contention_free(); })
      .def_prop_ro(
          "stages", [](const Analysis& a) { return a.result.stages; },
          "Number of stages that differ from the previous one.")
      .def_prop_ro(
          "steps", [](const Analysis& a) { return a.result.steps; },
          "Number of stages with their repetitions.")
      .def_prop_ro(
          "flows", [](const Analysis& a) { return a.result.flows; },
          "Number of flows in all steps, except flows of dummies and flows within a host.")
      .def_prop_ro(
          "max_flows", [](const Analysis& a) { return a.result.max_flows; },
          "Maximum number of flows on a channel, over all stages.")
      .def_prop_ro(
          "mean_share", [](const Analysis& a) { return a.result.mean_share; },
          "Mean over steps and flows of 1 / (maximum number of flows on a channel of the flow's path).")
      .def_prop_ro(
          "worst_stage", [](const Analysis& a) { return a.result.worst_stage; },
          "The first stage with max_flows, counted from 0.")
      .def_prop_ro(
          "worst_channel", [](const Analysis& a) { return a.result.worst_channel; },
          "The first channel that has max_flows at worst_stage.")
      .def_prop_ro(
          "stage_max", [](const Analysis& a) { return array_of(a.result.stage_max); }, owned,
          "Maximum number of flows on a channel: int32 array (stages,).")
      .def_prop_ro(
          "stage_share", [](const Analysis& a) { return array_of(a.result.stage_share); }, owned,
          "Mean share of a flow: float64 array (stages,).")
      .def_prop_ro(
          "histogram", [](const Analysis& a) { return array_of(a.result.histogram); }, owned,
          "[f]: how often, over steps, a used channel carries f flows: int64 array (max_flows + 1,).")
      .def_prop_ro(
          "channel_max", [](const Analysis& a) { return array_of(a.result.channel_max); }, owned,
          "Maximum number of flows on each channel over all stages: int32 array (channels,).")
      .def("loads", &loads_of, "stage"_a, "Flows on each channel at a stage: int32 array (channels,).")
      .def(
          "loads_table",
          [](nb::handle a, const nb::object& stages) {
            return nb::module_::import_("sortlast.fabric.tables").attr("loads_table")(a, stages);
          },
          "stages"_a = nb::none(),
          nb::sig("def loads_table(self, stages: collections.abc.Sequence[int] | None = None) ->"
                  " numpy.typing.NDArray[typing.Any]"),
          "Flows on every used channel, at all stages or at the given ones, counted from 0: a structured "
          "array with\n"
          "one row per channel and stage, and the columns from, from_port, to, to_port, stage (counted from "
          "1, as\n"
          "in reports) and flows. Raises ArgumentError above 10^7 rows.")
      .def("crossing", &crossing_of, "stage"_a, "channel"_a,
           "The flows of a stage that cross a channel, as (source, destination, bytes), where source and "
           "destination\n"
           "are participants.")
      .def("__repr__", [](const Analysis& a) {
        return "<Contention of " + a.pattern->name() + " on " + a.routes.topology->name() + ": " +
               (a.result.contention_free() ? "free" : "max_flows " + std::to_string(a.result.max_flows)) +
               ">";
      });
  module.def(
      "contention", &analyse, "routes"_a, "pattern"_a, "placement"_a, "threads"_a = 0,
      "progress"_a = nb::none(),
      "Count the flows on every channel at every stage. `placement`: host of each participant, -1: a dummy;\n"
      "`threads`: 0: one per core; `progress`: called now and then with the finished part, 0 to 1; an "
      "exception\n"
      "that it raises, or a result of False, ends the analysis. Raises ArgumentError for a placement that "
      "does\n"
      "not fit, Error for tables that lead nowhere.");
}

void bind_bisection(nb::module_& module) {
  nb::class_<Bisection> value(module, "Bisection",
                              "Effective bisection bandwidth, as a share of a link's bandwidth.");
  value.def_ro("one_way", &Bisection::one_way, "One half sends to the other: mean share of a flow.")
      .def_ro("both_ways", &Bisection::both_ways,
              "Both halves send to each other at once: mean share of a flow.")
      .def_prop_ro(
          "one_way_samples", [](const Bisection& b) { return array_of(b.one_way_samples); }, owned,
          "float64 array (samples,)")
      .def_prop_ro(
          "both_ways_samples", [](const Bisection& b) { return array_of(b.both_ways_samples); }, owned,
          "float64 array (samples,)")
      .def("__repr__", [](const Bisection& b) {
        return nb::str("<Bisection one_way={:.4g} both_ways={:.4g} samples={}>")
            .format(b.one_way, b.both_ways, b.one_way_samples.size());
      });
  bind_pickle(value, [](auto& b) {
    return std::tie(b.one_way, b.both_ways, b.one_way_samples, b.both_ways_samples);
  });
  module.def(
      "bisection",
      [](const fabric::Routes& routes, const Placement& placement, std::int64_t samples, std::uint64_t seed,
         std::int32_t threads, const ProgressCall& progress) {
        const fabric::AnalysisOptions options = analysis_options(threads, progress);
        const nb::gil_scoped_release release;
        return fabric::bisection(routes, placement, samples, seed, options);
      },
      "routes"_a, "placement"_a, "samples"_a = 1000, "seed"_a = 1, "threads"_a = 0, "progress"_a = nb::none(),
      "Effective bisection bandwidth (Hoefler et al. 2008) over random bisections of a placement's hosts.");
}

void bind_time(nb::module_& module) {
  nb::class_<PatternTime> time(module, "PatternTime", "Duration of a pattern.");
  bind_value(
      time,
      field("synchronised", &PatternTime::synchronised,
            "If every stage lasts as long as its slowest message [s]."),
      field("free_running", &PatternTime::free_running,
            "If every participant proceeds by itself: the sum of the slowest one [s]."),
      field("mean_bandwidth", &PatternTime::mean_bandwidth,
            "Mean over messages between hosts of bytes / duration [byte/s]."),
      field("bound", &PatternTime::bound, "`synchronised`, if messages shared only the links of hosts [s]."),
      field("worst_stage", &PatternTime::worst_stage, "The first stage with the slowest message of all."),
      field("worst_channel", &PatternTime::worst_channel,
            "The channel on which that message takes so long; -1: no messages."));
  module.def(
      "cut_bound",
      [](const fabric::Topology& topology, const Shared& pattern, const Placement& placement,
         double link_bytes_per_second, std::int32_t threads, const ProgressCall& progress) {
        const fabric::AnalysisOptions options = analysis_options(threads, progress);
        const nb::gil_scoped_release release;
        return fabric::cut_bound(topology, *pattern, placement, link_bytes_per_second, options);
      },
      "topology"_a, "pattern"_a, "placement"_a, "link_bytes_per_second"_a, "threads"_a = 0,
      "progress"_a = nb::none(),
      "Time that a pattern takes at least under any routing [s]: what the links of hosts, and the links "
      "that\n"
      "leave each switch or subtree, can carry. Arguments are as for pattern_time().");
  module.def(
      "pattern_time",
      [](const fabric::Routes& routes, const Shared& pattern, const Placement& placement,
         double link_bytes_per_second, double stage_seconds, std::int32_t threads,
         const ProgressCall& progress) {
        const fabric::AnalysisOptions options = analysis_options(threads, progress);
        const nb::gil_scoped_release release;
        return fabric::pattern_time(routes, *pattern, placement, link_bytes_per_second, stage_seconds,
                                    options);
      },
      "routes"_a, "pattern"_a, "placement"_a, "link_bytes_per_second"_a, "stage_seconds"_a, "threads"_a = 0,
      "progress"_a = nb::none(),
      "Time of a pattern in which a message takes stage_seconds plus its bytes at link_bytes_per_second,\n"
      "divided among the flows on the busiest channel of its path. link_bytes_per_second 0: each link has "
      "the\n"
      "rate of the topology; raises ArgumentError if it is unknown.");
}

void bind_loads(nb::module_& module) {
  module.def("data_rate", &fabric::data_rate, "gbps"_a,
             "Data rate in one direction of a link with a signalling rate in Gbit/s [byte/s].");
  module.def(
      "channel_bytes",
      [](const fabric::Routes& routes, const Shared& pattern, const Placement& placement) {
        std::vector<std::int64_t> bytes;
        {
          const nb::gil_scoped_release release;
          bytes = fabric::channel_bytes(routes, *pattern, placement);
        }
        return array_of(std::move(bytes));
      },
      "routes"_a, "pattern"_a, "placement"_a,
      "Bytes that cross each channel over all stages of a pattern: int64 array (channels,).");
  module.def(
      "read_counters",
      [](const fabric::Topology& topology, std::string_view text, const std::string& file) {
        return array_of(fabric::read_counters(topology, text, file));
      },
      "topology"_a, "text"_a, "file"_a,
      "Bytes that each channel has carried, from the output of perfquery -x or ibqueryerrors --counters: "
      "int64\n"
      "array (channels,), -1 for unknown counters. Raises ArgumentError with file and line.");
}

using PatternCall = std::optional<nb::callable>;

struct Ordered {
  fabric::BestOrder order;
  Analysis analysis;
};

fabric::OrderOptions order_options(bool dummies, std::int64_t steps, std::uint64_t seed, double seconds,
                                   const PatternCall& pattern, std::int32_t threads,
                                   const ProgressCall& progress) {
  fabric::OrderOptions options;
  options.seconds = seconds;
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
             std::int64_t steps, std::uint64_t seed, double seconds, const PatternCall& pattern,
             std::int32_t threads, const ProgressCall& progress) {
  const fabric::OrderOptions options =
      order_options(dummies, steps, seed, seconds, pattern, threads, progress);
  const nb::gil_scoped_release release;
  fabric::BestOrder best = best_order(routes, hosts, options);
  const auto p = static_cast<std::int32_t>(best.placement.size());
  Analysis analysis{routes, options.pattern ? options.pattern(p) : fabric::shift_pattern(p), best.placement,
                    best.contention};
  return {std::move(best), std::move(analysis)};
}

void bind_order(nb::module_& module) {
  nb::class_<Ordered>(module, "BestOrder",
                      "An order of a job's hosts, and what is known about better orders.")
      .def_prop_ro(
          "placement", [](const Ordered& o) { return o.order.placement; },
          "Host of each participant; -1: a dummy.")
      .def_ro("contention", &Ordered::analysis, "Contention in this order.")
      .def_prop_ro(
          "how", [](const Ordered& o) { return o.order.how; },
          "Name of the order, or a report of the search.")
      .def_prop_ro(
          "proven_best", [](const Ordered& o) { return o.order.proven_best; },
          "Whether it is free of contention, or `proof` applies.")
      .def_prop_ro(
          "proof", [](const Ordered& o) { return o.order.proof; },
          "Why no order of these hosts is free of contention under this routing; empty: unknown.")
      .def("__repr__", [](const Ordered& o) { return "<BestOrder: " + o.order.how + ">"; });
  module.def(
      "best_order", &find, "routes"_a, "hosts"_a, "dummies"_a = false, "steps"_a = -1, "seed"_a = 1,
      "seconds"_a = 60.0, "pattern"_a = nb::none(), "threads"_a = 0, "progress"_a = nb::none(),
      "Search for the order of hosts, given by number, with the least contention: known orders, then "
      "annealing\n"
      "in `steps` swaps (-1: as many as take a few seconds), and for at most `seconds` of wall time. "
      "`dummies`:\n"
      "places may stay empty; `pattern`: called with the number of participants, including dummies, returns "
      "the\n"
      "Pattern (none: shift). False from `progress` ends the search, with the best order so far.");
}

}  // namespace

void bind_contention(nb::module_& module) {
  bind_patterns(module);
  bind_contention_value(module);
  bind_bisection(module);
  bind_time(module);
  bind_loads(module);
  bind_order(module);
}

}  // namespace sortlast::python
