// The packet simulator.
#include "sortlast/simulate/packet.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <variant>

#include "results.hpp"
#include "sortlast/error.hpp"
#include "value.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace nanobind::detail {

using sortlast::simulate::OccupationSample;
using SamplePair = std::pair<std::int64_t, std::vector<std::int64_t>>;
inline SamplePair sample_pair(const OccupationSample& sample) { return {sample.cycle, sample.packets}; }
inline bool pair_sample(const SamplePair& pair, OccupationSample& sample) {
  sample = {pair.first, pair.second};
  return true;
}
template <>
struct type_caster<OccupationSample> : plain_caster<OccupationSample, SamplePair, sample_pair, pair_sample> {
};

}  // namespace nanobind::detail

namespace sortlast::python {
namespace {

using simulate::PacketOptions;
using simulate::Traffic;

simulate::Arbitration arbitration_of(const std::string& name) {
  if (name == "random") return simulate::Arbitration::random;
  if (name == "round-robin") return simulate::Arbitration::round_robin;
  throw ArgumentError("arbitration is '" + name + "'; expected 'random' or 'round-robin'");
}

simulate::Ties ties_of(const std::string& name) {
  if (name == "uniform") return simulate::Ties::uniform;
  if (name == "fsin") return simulate::Ties::fsin;
  throw ArgumentError("ties is '" + name + "'; expected 'uniform' or 'fsin'");
}

simulate::Requests requests_of(const std::string& name) {
  if (name == "each-cycle") return simulate::Requests::each_cycle;
  if (name == "persistent") return simulate::Requests::persistent;
  throw ArgumentError("requests is '" + name + "'; expected 'each-cycle' or 'persistent'");
}

void bind_results(nb::class_<TimedRun>& run) {
  run.def_prop_ro(
         "cycles", [](const TimedRun& r) { return r.run.cycles; }, "Time until everything has ended.")
      .def_prop_ro(
          "seconds", [](const TimedRun& r) { return r.run.seconds; },
          "`cycles` as simulated time, at the link rate.")
      .def_prop_ro(
          "elapsed", [](const TimedRun& r) { return r.elapsed; }, "Wall time of the simulation in seconds.")
      .def_prop_ro(
          "messages", [](const TimedRun& r) { return r.run.messages; }, "Number that arrived.")
      .def_prop_ro(
          "packets", [](const TimedRun& r) { return r.run.packets; }, "Number that arrived.")
      .def_prop_ro(
          "background_packets", [](const TimedRun& r) { return r.run.background_packets; },
          "Packets of other traffic that also arrived.")
      .def_prop_ro(
          "packet_hops", [](const TimedRun& r) { return r.run.packet_hops; },
          "Number of links that packets crossed, including hosts' links.")
      .def_prop_ro(
          "mean_delay", [](const TimedRun& r) { return r.run.delay.mean(); },
          "Mean cycles of a packet, from its injection queue to the arrival of its tail.")
      .def_prop_ro("delay_deviation", [](const TimedRun& r) { return r.run.delay.standard_deviation(); })
      .def_prop_ro("min_delay", [](const TimedRun& r) { return r.run.delay.min(); })
      .def_prop_ro("max_delay", [](const TimedRun& r) { return r.run.delay.max(); })
      .def(
          "delay_percentile",
          [](const TimedRun& r, double percent) {
            if (percent >= 0 && percent <= 100) return r.run.delay.percentile(percent / 100);
            throw ArgumentError("percent is " + std::to_string(percent) + "; expected 0 to 100");
          },
          "percent"_a, "Cycles not exceeded by `percent` of all packets, within 1/32.")
      .def_prop_ro(
          "bytes_used", [](const TimedRun& r) { return r.run.bytes_used; },
          "Memory of the simulation, without topology and traffic.");
}

void bind_arrays(nb::class_<TimedRun>& run) {
  run.def_prop_ro(
         "link_loads", [](const TimedRun& r) { return array_of(r.run.link_loads); }, owned,
         "Packets on each channel of the topology: int64 array (channels,).")
      .def_prop_ro(
          "delays",
          [](const TimedRun& r) {
            std::vector<std::int64_t> rows;
            for (const auto& [first, last, count] : r.run.delay.bins()) {
              rows.insert(rows.end(), {first, last, count});
            }
            return matrix_of(std::move(rows), 3);
          },
          owned,
          "Number of packets (third column) delayed by between the first and the second column's cycles, "
          "from the\n"
          "bin of the minimum delay to the bin of the maximum: int64 array (bins, 3).")
      .def_prop_ro(
          "occupation",
          [](const TimedRun& r) {
            std::vector<std::int64_t> rows;
            std::size_t columns = 1;
            for (const simulate::OccupationSample& sample : r.run.occupation) {
              columns = sample.packets.size() + 1;
              rows.push_back(sample.cycle);
              rows.insert(rows.end(), sample.packets.begin(), sample.packets.end());
            }
            return matrix_of(std::move(rows), columns);
          },
          owned,
          "For every sample_cycles: the cycle, and the packets in buffers of switches of level 0 (none), 1, "
          "2, ...:\n"
          "int64 array (samples, 2 + levels).")
      .def_prop_ro(
          "message_log",
          [](const TimedRun& r) {
            std::vector<std::int64_t> rows;
            for (const simulate::MessageRecord& record : r.run.log) {
              rows.insert(rows.end(), {record.message, record.iteration, record.start, record.end});
            }
            return matrix_of(std::move(rows), 4);
          },
          owned,
          "If requested: message, repetition, the cycle in which it entered the injection queue, and the "
          "cycle\n"
          "after the arrival of its last phit; in order of arrival: int64 array (messages, 4).");
}

}  // namespace

void bind_packet(nb::module_& module) {
  nb::class_<PacketOptions>(module, "PacketOptions", "Settings of the packet simulator.")
      .def(
          "__init__",
          [](PacketOptions* self, std::int32_t packet_bytes, std::int32_t packet_phits,
             std::int32_t switch_cycles, std::int32_t buffer_packets, std::int32_t injection_packets,
             const std::string& arbitration, const std::string& ties, const std::string& requests,
             std::uint64_t seed, double link_bytes_per_second, std::int64_t sample_cycles, bool message_log,
             double background) {
            new (self) PacketOptions{packet_bytes,
                                     packet_phits,
                                     switch_cycles,
                                     buffer_packets,
                                     injection_packets,
                                     arbitration_of(arbitration),
                                     ties_of(ties),
                                     requests_of(requests),
                                     seed,
                                     link_bytes_per_second,
                                     sample_cycles,
                                     message_log,
                                     background,
                                     {}};
          },
          nb::kw_only(), "packet_bytes"_a = 64, "packet_phits"_a = 16, "switch_cycles"_a = 1,
          "buffer_packets"_a = 4, "injection_packets"_a = 8, "arbitration"_a = "random", "ties"_a = "uniform",
          "requests"_a = "each-cycle", "seed"_a = 17, "link_bytes_per_second"_a = 1.25e9,
          "sample_cycles"_a = 0, "message_log"_a = false, "background"_a = 0.);
  nb::class_<TimedRun> run(module, "PacketResult", "Result of a packet simulation.");
  bind_results(run);
  bind_arrays(run);
  run.def("__repr__", [](const TimedRun& r) {
    return "<PacketResult cycles=" + std::to_string(r.run.cycles) +
           " packets=" + std::to_string(r.run.packets) + ">";
  });
  bind_pickle(run, [](auto& r) {
    return std::tie(r.elapsed, r.run.cycles, r.run.seconds, r.run.messages, r.run.packets, r.run.packet_hops,
                    r.run.delay, r.run.link_loads, r.run.occupation, r.run.log, r.run.bytes_used,
                    r.run.background_packets);
  });

  module.def(
      "simulate_adaptive",
      [](const fabric::Topology& topology, const Traffic& traffic, const fabric::Placement& placement,
         PacketOptions options, const ProgressCall& progress) {
        options.progress = progress_of(progress);
        return timed([&] { return simulate_packets(topology, traffic, placement, options); });
      },
      "topology"_a, "traffic"_a, "placement"_a, "options"_a, "progress"_a = nb::none(),
      "Simulate traffic with adaptive shortest paths. `placement`: host of each task; `progress`: called "
      "now\n"
      "and then with the finished part, 0 to 1; an exception that it raises, or a result of False, ends the\n"
      "run.");
  module.def(
      "simulate_static",
      [](const fabric::Routes& routes, const Traffic& traffic, const fabric::Placement& placement,
         PacketOptions options, const ProgressCall& progress) {
        options.progress = progress_of(progress);
        return timed([&] { return simulate_packets(routes, traffic, placement, options); });
      },
      "routes"_a, "traffic"_a, "placement"_a, "options"_a, "progress"_a = nb::none(),
      "Simulate traffic on the tables of a routing.");
}

}  // namespace sortlast::python
