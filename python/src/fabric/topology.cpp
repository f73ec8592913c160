// Topologies: the value, the records of its hosts, switches and links, and the removal of parts.
#include "sortlast/fabric/topology.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fabric/findings.hpp"
#include "sortlast/error.hpp"
#include "sortlast/fabric/nodes.hpp"
#include "sortlast/fabric/routing.hpp"
#include "value.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

void bind_families(nb::module_& module);
void bind_findings(nb::module_& module);
void bind_shapes(nb::module_& module);

namespace {

using fabric::Channel;
using fabric::End;
using fabric::Topology;
using fabric::Vertex;
using Shared = std::shared_ptr<Topology>;
using Numbers = std::vector<std::int32_t>;
using Release = nb::call_guard<nb::gil_scoped_release>;

struct HostRecord {
  std::int32_t number;
  fabric::Host host;
  std::int32_t on;  // switch
  std::int32_t switch_port;
};

struct SwitchRecord {
  std::int32_t number, vertex;
  fabric::Switch value;
  std::int32_t level;
};

struct LinkRecord {
  Channel channel;
  End a, b;
  std::string a_name, b_name;
  double gbps;
};

// Sequences of records, which are made on access.
struct Hosts {
  using Record = HostRecord;
  Shared topology;

  std::size_t size() const { return static_cast<std::size_t>(topology->hosts()); }
  Record at(std::size_t i) const {
    const auto h = static_cast<std::int32_t>(i);
    const End& end = topology->attachment(h);
    return {h, topology->host(h), topology->switch_of(end.vertex), end.port};
  }
};

struct Switches {
  using Record = SwitchRecord;
  Shared topology;

  std::size_t size() const { return static_cast<std::size_t>(topology->switches()); }
  Record at(std::size_t i) const {
    const auto s = static_cast<std::int32_t>(i);
    return {s, topology->vertex_of_switch(s), topology->switch_at(s), topology->level(s)};
  }
};

struct Links {
  using Record = LinkRecord;
  Shared topology;
  std::vector<Channel> channels;  // the direction of each link with the lower number

  explicit Links(Shared of) : topology(std::move(of)) {
    for (Channel c = 0; c < topology->channels(); ++c) {
      if (topology->target(c).connected() && c < topology->reverse(c)) channels.push_back(c);
    }
  }
  std::size_t size() const { return channels.size(); }
  Record at(std::size_t i) const {
    const Channel c = channels[i];
    const End a = topology->source(c), b = topology->target(c);
    return {c, a, b, topology->vertex_name(a.vertex), topology->vertex_name(b.vertex), topology->gbps(c)};
  }
};

// `iterates`: the signature of __iter__, which names the record.
template <typename Sequence>
void bind_sequence(nb::module_& module, const char* name, const char* iterates, const char* doc) {
  using Record = typename Sequence::Record;
  nb::class_<Sequence>(module, name, doc)
      .def("__len__", &Sequence::size)
      .def(
          "__iter__", [](nb::handle sequence) { return nb::steal(PySeqIter_New(sequence.ptr())); },
          nb::sig(iterates))
      .def(
          "__getitem__",
          [](const Sequence& sequence, std::ptrdiff_t i) {
            const auto size = static_cast<std::ptrdiff_t>(sequence.size());
            if (i < -size || i >= size) {
              throw nb::index_error(
                  ("index " + std::to_string(i) + " is outside a sequence of " + std::to_string(size))
                      .c_str());
            }
            return sequence.at(static_cast<std::size_t>(i < 0 ? i + size : i));
          },
          "index"_a)
      .def(
          "__getitem__",
          [](const Sequence& sequence, const nb::slice& slice) {
            const auto [start, stop, step, length] = slice.compute(sequence.size());
            std::vector<Record> part;
            for (std::size_t i = 0; i < length; ++i) {
              part.push_back(
                  sequence.at(static_cast<std::size_t>(start + static_cast<Py_ssize_t>(i) * step)));
            }
            return part;
          },
          "part"_a);
}

std::string hex(std::uint64_t guid) {
  std::ostringstream text;
  text << "0x" << std::hex << guid;
  return text.str();
}

void bind_parts(nb::module_& module) {
  nb::class_<HostRecord> host(module, "Host", "A host: one port of an adapter.");
  host.def_ro("number", &HostRecord::number, "Number of the host, also of its vertex and its channel.")
      .def_prop_ro("name", [](const HostRecord& h) { return h.host.name; })
      .def_prop_ro(
          "guid", [](const HostRecord& h) { return h.host.guid; }, "GUID of the adapter.")
      .def_prop_ro(
          "port_guid", [](const HostRecord& h) { return h.host.port_guid; }, "GUID of the port; 0: unknown.")
      .def_prop_ro(
          "port", [](const HostRecord& h) { return h.host.port; }, "Port of the adapter, from 1.")
      .def_prop_ro(
          "lid", [](const HostRecord& h) { return h.host.lid; }, "0: not assigned.")
      .def_prop_ro(
          "lmc", [](const HostRecord& h) { return h.host.lmc; },
          "The host answers to 2**lmc consecutive LIDs, starting with its own.")
      .def_prop_ro(
          "aggregates", [](const HostRecord& h) { return is_aggregation_node(h.host); },
          "Whether it is an aggregation node of a switch, on which no job runs.")
      .def_prop_ro(
          "router", [](const HostRecord& h) { return h.host.router; },
          "Whether it is a port of a router between InfiniBand subnets, on which no job runs.")
      .def_ro("switch", &HostRecord::on, "Number of the switch to which it is connected.")
      .def_ro("switch_port", &HostRecord::switch_port, "Port of that switch.")
      .def("__repr__", [](const HostRecord& h) {
        return "<Host " + std::to_string(h.number) + " '" + h.host.name + "' guid=" + hex(h.host.guid) +
               " switch=" + std::to_string(h.on) + " switch_port=" + std::to_string(h.switch_port) + ">";
      });
  bind_pickle(host, [](auto& h) {
    return std::tie(h.number, h.host.name, h.host.guid, h.host.port_guid, h.host.port, h.host.lid, h.host.lmc,
                    h.host.router, h.on, h.switch_port);
  });
  nb::class_<SwitchRecord> on(module, "Switch", "A switch.");
  on.def_ro("number", &SwitchRecord::number)
      .def_ro("vertex", &SwitchRecord::vertex, "Its vertex: the number of hosts plus its own number.")
      .def_prop_ro("name", [](const SwitchRecord& s) { return s.value.name; })
      .def_prop_ro("guid", [](const SwitchRecord& s) { return s.value.guid; })
      .def_prop_ro(
          "lid", [](const SwitchRecord& s) { return s.value.lid; }, "0: not assigned.")
      .def_prop_ro(
          "ports", [](const SwitchRecord& s) { return s.value.ports; },
          "Number of ports; they are numbered 1 .. ports.")
      .def_ro("level", &SwitchRecord::level, "1: next to hosts; 0: no level.")
      .def("__repr__", [](const SwitchRecord& s) {
        return "<Switch " + std::to_string(s.number) + " '" + s.value.name + "' guid=" + hex(s.value.guid) +
               " ports=" + std::to_string(s.value.ports) + " level=" + std::to_string(s.level) + ">";
      });
  bind_pickle(on, [](auto& s) {
    return std::tie(s.number, s.vertex, s.value.name, s.value.guid, s.value.ports, s.value.lid,
                    s.value.system_guid, s.level);
  });
  nb::class_<LinkRecord> link(module, "Link",
                              "A cable between port a_port of vertex a and port b_port of vertex b.");
  link.def_ro("channel", &LinkRecord::channel, "The channel from a to b; accepted by without_links().")
      .def_prop_ro("a", [](const LinkRecord& l) { return l.a.vertex; })
      .def_prop_ro("a_port", [](const LinkRecord& l) { return l.a.port; })
      .def_ro("a_name", &LinkRecord::a_name)
      .def_prop_ro("b", [](const LinkRecord& l) { return l.b.vertex; })
      .def_prop_ro("b_port", [](const LinkRecord& l) { return l.b.port; })
      .def_ro("b_name", &LinkRecord::b_name)
      .def_ro("gbps", &LinkRecord::gbps, "Signalling rate in Gbit/s; 0: unknown.")
      .def("__repr__", [](const LinkRecord& l) {
        return "<Link '" + l.a_name + "' port " + std::to_string(l.a.port) + " - '" + l.b_name + "' port " +
               std::to_string(l.b.port) + ">";
      });
  bind_pickle(link, [](auto& l) { return std::tie(l.channel, l.a, l.b, l.a_name, l.b_name, l.gbps); });
  bind_sequence<Hosts>(module, "Hosts", "def __iter__(self) -> collections.abc.Iterator[Host]",
                       "The hosts of a topology, by number.");
  bind_sequence<Switches>(module, "Switches", "def __iter__(self) -> collections.abc.Iterator[Switch]",
                          "The switches of a topology, by number.");
  bind_sequence<Links>(module, "Links", "def __iter__(self) -> collections.abc.Iterator[Link]",
                       "The cables of a topology, cables of hosts first.");
}

void bind_levels(nb::module_& module) {
  nb::class_<fabric::Levels> levels(module, "Levels", "Levels of switches.");
  bind_value(levels,
             field("level", &fabric::Levels::level,
                   "By switch, 1 next to hosts; all 0 if the fabric is not a tree."),
             field("roots", &fabric::Levels::roots, "Switches of the highest level."),
             field("why", &fabric::Levels::why, "Why the fabric is not a tree; empty: it is one."));
}

std::optional<std::pair<Vertex, std::int32_t>> pair_of(const End& end) {
  if (!end.connected()) return std::nullopt;
  return std::pair(end.vertex, end.port);
}

void check_channel(const Topology& topology, Channel c) {
  if (c >= 0 && c < topology.channels()) return;
  throw nb::index_error(
      ("channel " + std::to_string(c) + " does not exist: there are " + std::to_string(topology.channels()))
          .c_str());
}

void check_vertex(const Topology& topology, Vertex v) {
  if (v >= 0 && v < topology.vertices()) return;
  throw nb::index_error(
      ("vertex " + std::to_string(v) + " does not exist: there are " + std::to_string(topology.vertices()))
          .c_str());
}

const std::string& vertex_name(const Topology& topology, Vertex v) {
  check_vertex(topology, v);
  return topology.vertex_name(v);
}

std::string label(const Topology& topology, Vertex v) {
  check_vertex(topology, v);
  return topology.label(v);
}

Shared shared(Topology topology) { return std::make_shared<Topology>(std::move(topology)); }

void bind_edits(nb::class_<Topology>& topology) {
  topology
      .def(
          "without_hosts",
          [](const Topology& t, const Numbers& hosts) { return shared(without_hosts(t, hosts)); }, "hosts"_a,
          Release(),
          "The topology without some hosts, given by number. The rest is renumbered in the same order; the "
          "shape is lost.")
      .def(
          "without_links",
          [](const Topology& t, const Numbers& channels) { return shared(without_links(t, channels)); },
          "channels"_a, Release(),
          "The topology without some links between switches, given by one channel of each.")
      .def(
          "without_switches",
          [](const Topology& t, const Numbers& switches) { return shared(without_switches(t, switches)); },
          "switches"_a, Release(),
          "The topology without some switches, given by number, and without their hosts.")
      .def(
          "without_stranded", [](const Topology& t) { return shared(without_stranded(t)); }, Release(),
          "The topology without switches from which no compute host can be reached, and without their other "
          "hosts.")
      .def(
          "with_levels",
          [](const Topology& t, const Numbers& levels) { return shared(with_levels(t, levels)); }, "levels"_a,
          Release(), "The topology with the given levels of its switches.")
      .def(
          "with_names",
          [](const Topology& t, const fabric::NodeNames& names) { return shared(with_names(t, names)); },
          "names"_a, Release(),
          "The topology with other names of hosts and switches, by GUID (of the adapter, its port or the "
          "switch).")
      .def("rank_switches", &fabric::rank_switches, "roots"_a = Numbers{}, Release(),
           "Find the levels of the switches of a tree, from its roots if they are given.")
      .def("slow_links", &slow_links, Release(),
           "Links that are slower than most links of the same kind at one of their ends, sorted by channel; "
           "links\n"
           "of unknown rate are left out.")
      .def("missing_links", &missing_links, Release(),
           "Pairs of switches with fewer links than a regular fabric would have. Raises ArgumentError if it "
           "is not a tree.");
}

void bind_topologies(nb::module_& module) {
  nb::class_<Topology> topology(
      module, "Topology",
      "Hosts, switches, and the links between their ports. Vertices are the hosts, then the switches. "
      "Channels are the directions of links, identified by the port at their start: channel h starts at host "
      "h, and the channels of the switches follow, switch by switch and port by port.");
  topology.def_prop_ro("name", [](const Topology& t) { return t.name(); })
      .def_prop_ro("hosts", [](Shared t) { return Hosts{std::move(t)}; })
      .def_prop_ro("switches", [](Shared t) { return Switches{std::move(t)}; })
      .def_prop_ro("links", [](Shared t) { return Links(std::move(t)); })
      .def_prop_ro("channels", &Topology::channels, "Number of channels.")
      .def_prop_ro(
          "channel_gbps",
          [](const Topology& t) {
            std::vector<double> gbps;
            for (Channel c = 0; c < t.channels(); ++c) {
              gbps.push_back(t.target(c).connected() ? t.gbps(c) : std::numeric_limits<double>::quiet_NaN());
            }
            return array_of(std::move(gbps));
          },
          owned,
          "Signalling rate of each channel in Gbit/s: float64 array (channels,); 0: unknown, NaN: no cable.")
      .def_prop_ro("vertices", &Topology::vertices, "Number of vertices.")
      .def_prop_ro("levels", &Topology::levels, "The highest level; 0: the switches have no levels.")
      .def_prop_ro(
          "shape", [](const Topology& t) { return t.shape(); },
          "TreeShape, SlenderShape, GridShape, DragonflyShape, DragonflyPlusShape or HyperXShape of an "
          "intact\n"
          "fabric of such a family, otherwise None.")
      .def("vertex_name", &vertex_name, "vertex"_a)
      .def("label", &label, "vertex"_a,
           "The name of a vertex, with its GUID (a host's port GUID) if another vertex has the same name.")
      .def(
          "source",
          [](const Topology& t, Channel c) {
            check_channel(t, c);
            const End end = t.source(c);
            return std::pair(end.vertex, end.port);
          },
          "channel"_a, "(vertex, port) where a channel starts.")
      .def(
          "target",
          [](const Topology& t, Channel c) {
            check_channel(t, c);
            return pair_of(t.target(c));
          },
          "channel"_a, "(vertex, port) where a channel ends; None: its port has no cable.")
      .def(
          "gbps",
          [](const Topology& t, Channel c) {
            check_channel(t, c);
            return t.gbps(c);
          },
          "channel"_a, "Signalling rate in Gbit/s; 0: unknown.")
      .def("__repr__", [](const Topology& t) {
        return "<Topology '" + t.name() + "' hosts=" + std::to_string(t.hosts()) +
               " switches=" + std::to_string(t.switches()) + " links=" + std::to_string(t.links()) + ">";
      });
  topology.def(
      "to_networkx",
      [](nb::handle t) { return nb::module_::import_("sortlast.fabric.tables").attr("to_networkx")(t); },
      nb::sig("def to_networkx(self) -> typing.Any"),
      "A networkx.MultiGraph. Nodes are vertices by number, with kind (\"host\" or \"switch\"), name, guid, "
      "and\n"
      "level if it is known (0: a host). Edges are links, with a, a_port, b, b_port, channel, and gbps if it "
      "is\n"
      "known. Raises MissingExtraError without NetworkX.");
  bind_edits(topology);
}

}  // namespace

void bind_topology(nb::module_& module) {
  bind_parts(module);
  bind_shapes(module);
  bind_levels(module);
  bind_findings(module);
  bind_topologies(module);
  bind_families(module);
}

}  // namespace sortlast::python
