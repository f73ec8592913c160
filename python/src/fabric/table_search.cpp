// Table search: tables optimised for patterns, and the possible choices as NumPy arrays.
#include "sortlast/fabric/table_search.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <vector>

#include "errors.hpp"
#include "progress.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

namespace {

using fabric::TableSearch;
using Numbers = std::vector<std::int32_t>;
using Release = nb::call_guard<nb::gil_scoped_release>;
Matrix<std::int32_t> ports_of(const TableSearch& search) {
  Numbers rows;
  for (std::int32_t number = 0; number < std::ssize(search.entries()); ++number) {
    for (const TableSearch::Port& port : search.entries()[static_cast<std::size_t>(number)].ports) {
      rows.insert(rows.end(), {number, port.port, port.channel, port.next});
    }
  }
  return matrix_of(std::move(rows), 4);
}

Matrix<std::int32_t> demands_of(const TableSearch& search) {
  Numbers rows;
  for (std::int32_t number = 0; number < std::ssize(search.classes()); ++number) {
    const TableSearch::Class& each = search.classes()[static_cast<std::size_t>(number)];
    for (const TableSearch::Demand& demand : each.demands) {
      rows.insert(rows.end(), {number, each.entry, demand.stage, demand.flows});
    }
  }
  return matrix_of(std::move(rows), 4);
}

std::int64_t run(TableSearch& search, std::int64_t moves, std::uint64_t seed, const ProgressCall& progress) {
  const Progress report = progress_of(progress);
  const nb::gil_scoped_release release;
  return search.search(moves, seed, report);
}

}  // namespace

void bind_table_search(nb::module_& module) {
  nb::class_<TableSearch>(module, "TableSearch",
                          "Forwarding tables of a tree, optimised for the stages of patterns. An entry is "
                          "the port through which a\n"
                          "switch forwards traffic for a host; a class is all flows from one switch to one "
                          "host, which follow the\n"
                          "same path.")
      .def(
          "__init__",
          [](TableSearch* self, const fabric::Routes& base,
             const std::vector<std::shared_ptr<fabric::Pattern>>& patterns, const Numbers& placement) {
            const nb::gil_scoped_release release;
            new (self) TableSearch(base, {patterns.begin(), patterns.end()}, placement);
          },
          "base"_a, "patterns"_a, "placement"_a,
          "The stages are the stages of all patterns, one pattern after the other. `base`: the initial "
          "tables.\n"
          "Raises ArgumentError: it has several planes, or its fabric has no levels; a pattern has another "
          "number\n"
          "of participants; the data is too large. Raises Error: there is no path between two hosts.")
      .def_prop_ro(
          "bound", [](const TableSearch& s) { return array_of(Numbers(s.bound().begin(), s.bound().end())); },
          owned,
          "Lower bound for the flows on the busiest channel of each stage, for any tables: int32 array "
          "(stages,).")
      .def_prop_ro(
          "host_flows",
          [](const TableSearch& s) {
            return array_of(Numbers(s.host_flows().begin(), s.host_flows().end()));
          },
          owned,
          "Flows on the busiest link of a host at each stage, which no table changes: int32 array (stages,).")
      .def_prop_ro(
          "bytes",
          [](const TableSearch& s) {
            return array_of(std::vector<std::int64_t>(s.bytes().begin(), s.bytes().end()));
          },
          owned, "Bytes of the longest message of each stage, times its repetitions: int64 array (stages,).")
      .def_prop_ro(
          "stage_max", [](const TableSearch& s) { return array_of(s.stage_max()); }, owned,
          "Flows on the busiest channel of each stage: int32 array (stages,).")
      .def_prop_ro("excess", &TableSearch::excess,
                   "Flows above the bounds; x too many on one channel count x (x + 1) / 2.")
      .def_prop_ro("ports", &ports_of, owned,
                   "All possible values of entries, in order: int32 array (choices, 4) of entry, port, "
                   "channel, and entry at\n"
                   "the other end (-1: the destination's switch).")
      .def_prop_ro(
          "demands", &demands_of, owned,
          "The stages of classes: int32 array (demands, 4) of class, its first entry, stage, and flows.")
      .def_prop_rw(
          "choices", [](const TableSearch& s) { return Numbers(s.choices().begin(), s.choices().end()); },
          [](TableSearch& s, const Numbers& choices) { s.set_choices(choices); },
          "The current port of each entry, as an index counted from 0. Setting raises ArgumentError for "
          "choices\n"
          "that do not exist.")
      .def("colour_edges", &TableSearch::colour_edges, Release(),
           "Reach the bound of every stage that shares no class with another, in a tree of two levels with "
           "one link\n"
           "between each leaf and root. Returns the number of these stages; 0 for other trees.")
      .def("search", &run, "moves"_a = -1, "seed"_a = 1, "progress"_a = nb::none(),
           "Tabu search for an excess of 0, in at most this number of moves (-1: as many as take a few "
           "seconds).\n"
           "Keeps the best tables found, and returns the number of moves. `progress` as for contention().")
      .def("routes", &TableSearch::routes, "engine"_a, Release(),
           "The current tables, under the name of an engine.");
}

}  // namespace sortlast::python
