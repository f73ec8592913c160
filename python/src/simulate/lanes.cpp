// Packets on virtual lanes, and throughput and delay as functions of the load.
#include "sortlast/simulate/lanes.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "results.hpp"
#include "sortlast/error.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

namespace {

using simulate::LaneOptions;
using simulate::LaneRoutes;
using simulate::LoadResult;
using simulate::PacketOptions;
using Release = nb::call_guard<nb::gil_scoped_release>;

simulate::LoadTraffic load_traffic_of(const std::string& name) {
  if (name == "uniform") return simulate::LoadTraffic::uniform;
  if (name == "next-group") return simulate::LoadTraffic::next_group;
  throw ArgumentError("traffic is '" + name + "'; expected 'uniform' or 'next-group'");
}

simulate::LaneAllocation allocation_of(const std::string& name) {
  if (name == "together") return simulate::LaneAllocation::together;
  if (name == "lane-first") return simulate::LaneAllocation::lane_first;
  throw ArgumentError("allocation is '" + name + "'; expected 'together' or 'lane-first'");
}

void bind_routings(nb::module_& module) {
  nb::class_<LaneRoutes>(module, "LaneRoutes", "A routing of packets on lanes, on a topology.")
      .def_ro("name", &LaneRoutes::name)
      .def_ro("classes", &LaneRoutes::classes, "Number of lanes needed for freedom from deadlock.");
  module.def(
      "lane_routings",
      [] {
        std::vector<std::pair<std::string, std::string>> entries;
        for (const simulate::LaneRouting& routing : simulate::lane_routings()) {
          entries.emplace_back(routing.name, routing.summary);
        }
        return entries;
      },
      "Name and summary of each routing of packets in addition to the engines of the fabric lab.");
  module.def(
      "lane_routes",
      [](std::shared_ptr<fabric::Topology> topology, const std::string& name,
         const std::vector<std::int32_t>& roots, std::uint64_t seed) {
        return simulate::lane_routes(std::move(topology), name, {.roots = roots, .seed = seed});
      },
      "topology"_a, "name"_a, "roots"_a = std::vector<std::int32_t>{}, "seed"_a = 1, Release(),
      "One of lane_routings(), or the tables of an engine. `roots`: numbers of switches. Raises "
      "ArgumentError:\n"
      "an unknown name, or an unsuitable fabric with the reason.");
  module.def(
      "lane_routes_of", [](const fabric::Routes& routes) { return simulate::lane_routes(routes); },
      "routes"_a, "Existing tables, with their lanes.");
  module.def(
      "find_lane_loop",
      [](const LaneRoutes& routes) {
        std::vector<std::pair<std::int32_t, std::int32_t>> cycle;
        for (const simulate::LaneLoop::Hop& hop : simulate::find_lane_loop(routes).cycle) {
          cycle.emplace_back(hop.channel, hop.hop_class);
        }
        return cycle;
      },
      "routes"_a, Release(),
      "Channels and classes of hops that packets may hold while they wait for the next, in a circle; none: "
      "the\n"
      "routing is free of deadlock.");
}

void bind_load(nb::module_& module) {
  nb::class_<LoadResult> result(module, "LoadResult", "Statistics of the packets at a load.");
  result
      .def_ro("offered", &LoadResult::offered,
              "Phits per cycle and host that started in the measured cycles.")
      .def_ro("accepted", &LoadResult::accepted,
              "Phits per cycle and host that arrived in the measured cycles.")
      .def_ro("begun", &LoadResult::begun,
              "Packets that started in the measured cycles; only these are counted.")
      .def_prop_ro(
          "arrived", [](const LoadResult& r) { return r.delay.count(); },
          "Number of counted packets that arrived.")
      .def_prop_ro(
          "mean_delay",
          [](const LoadResult& r) {
            return r.delay.count() > 0 ? std::optional(r.delay.mean()) : std::nullopt;
          },
          "Mean cycles from the start of a counted packet to the arrival of its tail; None: none arrived.")
      .def(
          "delay_percentile",
          [](const LoadResult& r, double percent) -> std::optional<std::int64_t> {
            if (!(percent >= 0 && percent <= 100)) {
              throw ArgumentError("percent is " + std::to_string(percent) + "; expected 0 to 100");
            }
            if (r.delay.count() == 0) return std::nullopt;
            return r.delay.percentile(percent / 100);
          },
          "percent"_a,
          "Cycles not exceeded by `percent` of the counted packets, within 1/32; None: none arrived.")
      .def_ro("cycles", &LoadResult::cycles, "Number of simulated cycles.")
      .def_ro("packet_hops", &LoadResult::packet_hops, "Number of links that packets crossed.")
      .def("__repr__", [](const LoadResult& r) {
        return "<LoadResult offered=" + std::to_string(r.offered) +
               " accepted=" + std::to_string(r.accepted) + ">";
      });
  bind_pickle(result, [](auto& r) {
    return std::tie(r.offered, r.accepted, r.begun, r.delay, r.cycles, r.packet_hops);
  });
  module.def(
      "simulate_load",
      [](const LaneRoutes& routes, double load, const std::string& traffic, PacketOptions options,
         const LaneOptions& lanes, std::int32_t warm_up, std::int32_t measured, std::int32_t drain,
         const ProgressCall& progress) {
        options.progress = progress_of(progress);
        const simulate::LoadOptions asked{load, load_traffic_of(traffic), warm_up, measured, drain};
        const nb::gil_scoped_release release;
        return simulate::simulate_load(routes, asked, options, lanes);
      },
      "routes"_a, "load"_a, "traffic"_a, "options"_a, "lanes"_a, "warm_up"_a = 3000, "measured"_a = 5000,
      "drain"_a = 20000, "progress"_a = nb::none(),
      "Packets that start at random: packets that start within `measured` cycles after `warm_up` are "
      "counted,\n"
      "and awaited for `drain` cycles.");
}

}  // namespace

void bind_lanes(nb::module_& module) {
  nb::class_<LaneOptions>(module, "LaneOptions", "Settings of virtual lanes; 0 lanes: as many as needed.")
      .def(
          "__init__",
          [](LaneOptions* self, std::int32_t lanes, std::int32_t ugal_threshold, std::int32_t link_cycles,
             std::int32_t global_cycles, const std::string& allocation) {
            new (self)
                LaneOptions{lanes, ugal_threshold, link_cycles, global_cycles, allocation_of(allocation)};
          },
          nb::kw_only(), "lanes"_a = 0, "ugal_threshold"_a = 0, "link_cycles"_a = 0, "global_cycles"_a = 0,
          "allocation"_a = "together");
  bind_routings(module);
  bind_load(module);
  module.def(
      "simulate_lanes",
      [](const LaneRoutes& routes, const simulate::Traffic& traffic, const fabric::Placement& placement,
         PacketOptions options, const LaneOptions& lanes, const ProgressCall& progress) {
        options.progress = progress_of(progress);
        return timed([&] { return simulate_packets(routes, traffic, placement, options, lanes); });
      },
      "routes"_a, "traffic"_a, "placement"_a, "options"_a, "lanes"_a, "progress"_a = nb::none(),
      "Simulate traffic on virtual lanes.");
}

}  // namespace sortlast::python
