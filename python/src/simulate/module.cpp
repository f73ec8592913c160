// sortlast._simulate, the module; and traffic from patterns, schedules and the text of files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/simulate/traffic.hpp"
#include "value.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

void bind_flow(nb::module_& module);
void bind_lanes(nb::module_& module);
void bind_loggops(nb::module_& module);
void bind_packet(nb::module_& module);
void bind_traffic(nb::module_& module);

namespace {

using simulate::Traffic;
using Release = nb::call_guard<nb::gil_scoped_release>;

// Rejects totals that no simulator can represent.
Traffic goal(std::string_view text, std::string name) {
  Traffic traffic = simulate::read_goal(text, std::move(name));
  (void)totals(traffic);
  return traffic;
}

std::string written(const Traffic& traffic, void (*write)(const Traffic&, std::ostream&)) {
  const nb::gil_scoped_release release;
  std::ostringstream out;
  write(traffic, out);
  return std::move(out).str();
}

void bind_messages(nb::module_& module) {
  nb::class_<Traffic> type(
      module, "Traffic",
      "Messages with dependencies: who sends how much to whom, and which messages each one waits for.");
  type.def_ro("name", &Traffic::name)
      .def_ro("tasks", &Traffic::tasks)
      .def_ro("repeats", &Traffic::repeats, "Number of repetitions of all messages.")
      .def_ro("in_order", &Traffic::in_order,
              "Whether each task sends its messages in sequence, or as soon as their dependencies allow.")
      .def_prop_ro(
          "messages", [](const Traffic& t) { return totals(t).messages; },
          "Number of messages in all repetitions.")
      .def_prop_ro(
          "bytes", [](const Traffic& t) { return totals(t).bytes; }, "Bytes of all messages.")
      .def_prop_ro(
          "source", [](const Traffic& t) { return array_of(sources(t)); }, owned,
          "Task that sends each message of one repetition: int32 array.")
      .def_prop_ro(
          "destination", [](const Traffic& t) { return array_of(t.destination); }, owned,
          "Task that receives it: int32 array; the source itself: a computation.")
      .def_prop_ro(
          "size", [](const Traffic& t) { return array_of(t.size); }, owned,
          "Its bytes, or for a computation its nanoseconds: int64 array.")
      .def_prop_ro(
          "first_cause", [](const Traffic& t) { return array_of(t.first_cause); }, owned,
          "Where its causes begin in `causes`, and at the end where they end: int64 array.")
      .def_prop_ro(
          "causes", [](const Traffic& t) { return array_of(t.causes); }, owned,
          "Messages that it waits for: int32 array.")
      .def(
          "to_goal", [](const Traffic& t) { return written(t, &simulate::write_goal); },
          "GOAL text, the input of LogGOPSim.")
      .def(
          "to_fsin", [](const Traffic& t) { return written(t, &simulate::write_fsin); },
          "A trace for FSIN. Raises ArgumentError if the traffic is not in order.")
      .def("__repr__", [](const Traffic& t) {
        return "<Traffic " + t.name + " of " + std::to_string(t.tasks) + " tasks, " +
               std::to_string(totals(t).messages) + " messages>";
      });
  bind_pickle(type, [](auto& t) {
    return std::tie(t.name, t.tasks, t.first, t.destination, t.size, t.first_cause, t.causes, t.repeats,
                    t.in_order);
  });
}

}  // namespace

void bind_traffic(nb::module_& module) {
  bind_messages(module);
  module.def(
      "pattern", &simulate::pattern, "name"_a, "ranks"_a, "size"_a, Release(),
      "One of patterns() with messages of `size` bytes. Raises ArgumentError: an unknown name, a number of\n"
      "ranks that is not the required square, cube or power of two, a size below 1.");
  module.def(
      "patterns",
      [] {
        std::vector<std::pair<std::string, std::string>> entries;
        for (const simulate::PatternEntry& entry : simulate::patterns()) {
          entries.emplace_back(entry.name, entry.summary);
        }
        return entries;
      },
      "Name and summary of each pattern of Navaridas et al.");
  module.def("all_to_all", &simulate::all_to_all, "ranks"_a, "size"_a, Release(),
             "Every rank sends to rank + 1, rank + 2, ...; no rank waits.");
  module.def(
      "shift", &simulate::shift, "ranks"_a, "size"_a, "first"_a, "last"_a, Release(),
      "Stages s of [first, last), 1 <= s < ranks: i sends to (i + s) mod ranks, and continues when it has\n"
      "received its message of this stage. Raises ArgumentError for other stages.");
  module.def(
      "from_pattern",
      [](const fabric::Pattern& pattern, std::int64_t first, std::optional<std::int64_t> last) {
        return simulate::pattern_traffic(pattern, first, last ? *last : fabric::steps(pattern) + 1);
      },
      "pattern"_a, "first"_a = 1, "last"_a = nb::none(), Release(),
      "The stages [first, last) of a pattern of the fabric lab, counted from 1 with their repetitions (None: "
      "to\n"
      "the last): task i is participant i, and continues when it has received its messages of a stage. "
      "Raises\n"
      "ArgumentError for other stages.");
  module.def(
      "join_jobs",
      [](const std::vector<std::pair<Traffic, fabric::Placement>>& jobs, bool share_hosts) {
        std::vector<simulate::JobTraffic> given;
        for (const auto& [traffic, hosts] : jobs) given.push_back({traffic, hosts});
        simulate::Joined made = simulate::join(given, share_hosts);
        return std::tuple(std::move(made.traffic), std::move(made.placement), std::move(made.tasks),
                          std::move(made.job));
      },
      "jobs"_a, "share_hosts"_a = false, Release(),
      "The traffic of several jobs, each with the host of each of its tasks, as one: the traffic, the host "
      "of\n"
      "each task, for each job and task the combined task, and for each message its job. Raises "
      "ArgumentError:\n"
      "no jobs, hosts that do not fit, with share_hosts two tasks of a job on one host, too many messages.");
  module.def("uniform", &simulate::uniform, "ranks"_a, "size"_a, "messages"_a, "seed"_a = 1, Release(),
             "Every rank sends `messages` to others drawn uniformly; no rank waits.");
  module.def(
      "halo", &simulate::halo, "grid"_a, "size"_a, "iterations"_a = 1, Release(),
      "The halo exchange of a simulation: the ranks of a grid, with the first axis fastest, send a face of\n"
      "`size` bytes to each neighbour along every axis, and the next one after they have received one from "
      "all.\n"
      "Borders have no neighbours. Raises ArgumentError for an empty grid, or values below 1.");
  module.def("from_schedule", &simulate::schedule_traffic, "schedule"_a, "pixel_bytes"_a = 16, Release(),
             "The transfers of a schedule, with pixel_bytes bytes per pixel. Each waits for the receives "
             "that its data\n"
             "depends on, and starts as soon as they have ended.");
  module.def("parse_goal", &goal, "text"_a, "name"_a = "GOAL", Release(),
             "Traffic in GOAL text. Raises Error with a message that begins with `name` and the line; "
             "ArgumentError\n"
             "for more than 2^63 - 1 bytes.");
  module.def("parse_fsin", &simulate::read_fsin, "text"_a, "name"_a = "FSIN trace", Release(),
             "Traffic in a trace of FSIN. Raises Error with a message that begins with `name` and the line;\n"
             "ArgumentError for more than 2^63 - 1 bytes.");
}

}  // namespace sortlast::python

NB_MODULE(_simulate, module) {
  module.doc() =
      "The network simulator of sortlast: traffic with dependencies, as packets or flows on a fabric.";
  sortlast::python::register_errors();
  nb::module_::import_("sortlast._fabric");  // Topology, Routes; and with it Schedule
  sortlast::python::bind_traffic(module);
  sortlast::python::bind_packet(module);
  sortlast::python::bind_lanes(module);
  sortlast::python::bind_flow(module);
  sortlast::python::bind_loggops(module);
}
