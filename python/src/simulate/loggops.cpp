// GOAL programs, and their time in the LogGOPS model.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "progress.hpp"
#include "sortlast/simulate/program.hpp"
#include "value.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

namespace {

using simulate::LogGopsRank;
using simulate::LogGopsResult;
using simulate::Program;
using Release = nb::call_guard<nb::gil_scoped_release>;

void bind_program(nb::module_& module) {
  nb::class_<Program> type(
      module, "Program",
      "The sends, receives and computations of each rank, and their dependencies, as in GOAL.");
  type.def_ro("name", &Program::name)
      .def_ro("ranks", &Program::ranks)
      .def_prop_ro(
          "actions", [](const Program& program) { return program.actions.size(); },
          "Number of sends, receives and computations.")
      .def(
          "to_goal",
          [](const Program& program) {
            const nb::gil_scoped_release release;
            std::ostringstream out;
            write_program(program, out);
            return std::move(out).str();
          },
          "GOAL text, the input of LogGOPSim.")
      .def("__repr__",
           [](const Program& program) {
             return "<Program " + program.name + " of " + std::to_string(program.ranks) + " ranks, " +
                    std::to_string(program.actions.size()) + " actions>";
           })
      .def(
          "__eq__", [](const Program& a, const Program& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, arg: object, /) -> bool"));
  type.attr("__hash__") = nb::none();
  bind_pickle(type, [](auto& program) {
    return std::tie(program.name, program.ranks, program.first, program.actions, program.first_requirement,
                    program.requirements);
  });
  module.def("parse_program", &simulate::read_program, "text"_a, "name"_a = "GOAL", Release(),
             "A program in GOAL text. Raises Error with a message that begins with `name` and the line.");
  module.def("program_of", &simulate::program_of, "traffic"_a, Release(),
             "Traffic as a program with its repetitions written out, in which receives have no dependencies. "
             "Raises\n"
             "ArgumentError for more than 2^31 - 1 actions.");
  module.def("traffic_of", &simulate::traffic_of, "program"_a, Release(),
             "The messages and computations of a program, for the simulators of fabrics. CPUs, NICs and the "
             "places of\n"
             "receives are lost.");
}

// One number per rank, in seconds.
template <class Number>
auto seconds_of(const LogGopsResult& result, Number number) {
  std::vector<double> seconds;
  for (const LogGopsRank& rank : result.ranks) seconds.push_back(1e-9 * static_cast<double>(rank.*number));
  return array_of(std::move(seconds));
}

void bind_result(nb::module_& module) {
  nb::class_<LogGopsResult> type(module, "LogGopsResult", "Duration of a program in the LogGOPS model.");
  type.def_ro("seconds", &LogGopsResult::seconds, "Time until the last rank has ended.")
      .def_ro("messages", &LogGopsResult::messages, "Number that arrived.")
      .def_ro("bytes", &LogGopsResult::bytes, "Bytes of these messages.")
      .def_prop_ro(
          "ends", [](const LogGopsResult& r) { return seconds_of(r, &LogGopsRank::end); }, owned,
          "End of the last CPU of each rank, in seconds: float array.")
      .def_prop_ro(
          "computing", [](const LogGopsResult& r) { return seconds_of(r, &LogGopsRank::computing); }, owned,
          "Computations of each rank, in seconds: float array.")
      .def_prop_ro(
          "overhead", [](const LogGopsResult& r) { return seconds_of(r, &LogGopsRank::overhead); }, owned,
          "Time that each rank's CPUs spend on messages, in seconds: float array.")
      .def("__repr__", [](const LogGopsResult& r) {
        return "<LogGopsResult seconds=" + std::to_string(r.seconds) +
               " messages=" + std::to_string(r.messages) + ">";
      });
  bind_pickle(type, [](auto& r) { return std::tie(r.seconds, r.messages, r.bytes, r.ranks); });
}

}  // namespace

void bind_loggops(nb::module_& module) {
  bind_program(module);
  bind_result(module);
  module.def(
      "simulate_loggops",
      [](const Program& program, std::int64_t L, std::int64_t o, std::int64_t g, double G, double O,
         std::int64_t S, const ProgressCall& progress) {
        const Progress told = progress_of(progress);
        const nb::gil_scoped_release release;
        return simulate::simulate_loggops(program, {L, o, g, G, O, S}, told);
      },
      "program"_a, nb::kw_only(), "L"_a = 2500, "o"_a = 1500, "g"_a = 1000, "G"_a = 6, "O"_a = 0,
      "S"_a = 65535, "progress"_a = nb::none(), "Run a program in the LogGOPS model.");
}

}  // namespace sortlast::python
