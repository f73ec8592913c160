// Links of a topology that look wrong.
#include "fabric/findings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "sortlast/fabric/routing.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

std::vector<SlowRecord> slow_links(const fabric::Topology& topology) {
  std::vector<SlowRecord> records;
  for (const fabric::SlowLink& slow : fabric::slow_links(topology)) {
    std::string link = describe_channels(topology, {slow.channel});
    link.erase(link.find_last_not_of('\n') + 1);
    records.push_back({slow, link});
  }
  return records;
}

std::vector<MissingRecord> missing_links(const fabric::Topology& topology) {
  std::vector<MissingRecord> records;
  for (const fabric::MissingLinks& missing : fabric::missing_links(topology)) {
    records.push_back({missing, topology.label(topology.vertex_of_switch(missing.lower)),
                       topology.label(topology.vertex_of_switch(missing.upper))});
  }
  return records;
}

void bind_findings(nb::module_& module) {
  nb::class_<MissingRecord> missing(
      module, "MissingLinks", "A lower and an upper switch with fewer links than such pairs normally have.");
  missing
      .def_prop_ro(
          "lower", [](const MissingRecord& m) { return m.value.lower; }, "Number of the lower switch.")
      .def_prop_ro(
          "upper", [](const MissingRecord& m) { return m.value.upper; }, "Number of the upper switch.")
      .def_ro("lower_name", &MissingRecord::lower)
      .def_ro("upper_name", &MissingRecord::upper)
      .def_prop_ro("present", [](const MissingRecord& m) { return m.value.present; })
      .def_prop_ro("expected", [](const MissingRecord& m) { return m.value.expected; })
      .def("__repr__", [](const MissingRecord& m) {
        return "<MissingLinks '" + m.lower + "' - '" + m.upper + "': " + std::to_string(m.value.present) +
               " of " + std::to_string(m.value.expected) + ">";
      });
  bind_pickle(missing, [](auto& m) { return std::tie(m.value, m.lower, m.upper); });
  nb::class_<SlowRecord> slow(module, "SlowLink", "A link that is slower than its neighbours.");
  slow.def_prop_ro(
          "channel", [](const SlowRecord& s) { return s.value.channel; }, "One direction of the link.")
      .def_ro("link", &SlowRecord::link, "Both ends with their ports, as text.")
      .def_prop_ro(
          "gbps", [](const SlowRecord& s) { return s.value.gbps; }, "Its signalling rate [Gbit/s].")
      .def_prop_ro(
          "expected", [](const SlowRecord& s) { return s.value.expected; },
          "The rate of most of its neighbours [Gbit/s].")
      .def("__repr__", [](const SlowRecord& s) { return "<SlowLink " + s.link + ">"; });
  bind_pickle(slow, [](auto& s) { return std::tie(s.value, s.link); });
}

}  // namespace sortlast::python
