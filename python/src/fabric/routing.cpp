// Routing: engines, routes and their paths, credit loops, tables as NumPy arrays.
#include "sortlast/fabric/routing.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
namespace {

using fabric::Channel;
using fabric::Routes;
using fabric::Topology;
using Numbers = std::vector<std::int32_t>;
using Release = nb::call_guard<nb::gil_scoped_release>;
using Table = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>, nb::c_contig>;

void check_number(const char* what, std::int32_t number, std::int32_t count) {
  if (number >= 0 && number < count) return;
  throw ArgumentError(std::string(what) + " " + std::to_string(number) + " does not exist: there are " +
                      std::to_string(count));
}

void check_hosts(const Routes& routes, std::int32_t source, std::int32_t destination) {
  check_number("host", source, routes.topology->hosts());
  check_number("host", destination, routes.topology->hosts());
}

std::int32_t port_of(const Routes& routes, std::int32_t s, std::int32_t vertex, std::int32_t plane) {
  check_number("switch", s, routes.topology->switches());
  check_number("vertex", vertex, routes.topology->vertices());
  check_number("plane", plane, routes.forwarding->planes());
  return routes.forwarding->port(s, vertex, plane);
}

// The array owns its data.
Table table_of(const Routes& routes, std::int32_t plane) {
  check_number("plane", plane, routes.forwarding->planes());
  const auto rows = static_cast<std::size_t>(routes.topology->switches());
  const auto columns = static_cast<std::size_t>(routes.topology->vertices());
  auto ports = std::make_unique<Numbers>();
  {
    const nb::gil_scoped_release release;
    ports->reserve(rows * columns);
    for (std::int32_t s = 0; s < routes.topology->switches(); ++s) {
      for (std::int32_t v = 0; v < routes.topology->vertices(); ++v) {
        ports->push_back(routes.forwarding->port(s, v, plane));
      }
    }
  }
  std::int32_t* const data = ports->data();
  const nb::capsule owner(ports.release(), [](void* kept) noexcept { delete static_cast<Numbers*>(kept); });
  return Table(data, {rows, columns}, owner);
}

void bind_routes(nb::module_& module) {
  nb::class_<Routes>(module, "Routes", "A topology with its forwarding tables and their origin.")
      .def_prop_ro("topology", [](const Routes& r) { return std::const_pointer_cast<Topology>(r.topology); })
      .def_ro("engine", &Routes::engine, "The engine that was used, or the file of the tables.")
      .def_ro("asked", &Routes::asked, "The engine that was requested.")
      .def_ro("fallback", &Routes::fallback, "Why the engine is not the requested one; empty: it is.")
      .def_prop_ro(
          "planes", [](const Routes& r) { return r.forwarding->planes(); },
          "Alternative paths to each host, of which a flow takes one from end to end (2**lmc LIDs).")
      .def_prop_ro(
          "lanes", [](const Routes& r) { return r.forwarding->lanes(); },
          "Number of virtual lanes: flows wait for each other's buffers only within a lane.")
      .def(
          "plane",
          [](const Routes& r, std::int32_t source, std::int32_t destination) {
            check_hosts(r, source, destination);
            return r.forwarding->plane(source, destination);
          },
          "source"_a, "destination"_a, "Plane that a flow between two hosts takes.")
      .def(
          "lane",
          [](const Routes& r, std::int32_t source, std::int32_t destination) {
            check_hosts(r, source, destination);
            return r.forwarding->lane(source, destination);
          },
          "source"_a, "destination"_a, "Lane that a flow between two hosts uses.")
      .def("port", &port_of, "switch"_a, "vertex"_a, "plane"_a = 0,
           "Port through which a switch, given by number, forwards traffic for a vertex. 0: the switch "
           "itself; -1:\n"
           "no route.")
      .def("walk", &fabric::walk, "source"_a, "destination"_a,
           "Channels from one host, given by number, to another, in order; none if they are the same. Raises "
           "Error,\n"
           "with the switch, if the tables lead nowhere or in a circle.")
      .def(
          "describe",
          [](const Routes& r, std::int32_t source, std::int32_t destination) {
            return describe_channels(*r.topology, walk(r, source, destination));
          },
          "source"_a, "destination"_a,
          "The path as text, one line for each channel: 'host00000 HCA-1 [1] -> [1] sw-L1-0000'.")
      .def("table", &table_of, "plane"_a = 0,
           "All ports of a plane, computed on request: int32 array (switches, vertices), with the values of "
           "port().")
      .def("__repr__", [](const Routes& r) {
        return "<Routes of " + r.topology->name() + ", engine='" + r.engine + "'" +
               (r.fallback.empty() ? "" : ", asked='" + r.asked + "'") + ">";
      });
}

Routes route(std::shared_ptr<Topology> topology, const std::string& engine, const Numbers& roots,
             const Numbers& compute, std::uint64_t seed, std::int32_t lmc) {
  return fabric::route(std::move(topology), engine, {roots, compute, seed, lmc});
}

}  // namespace

void bind_routing(nb::module_& module) {
  bind_routes(module);
  nb::class_<fabric::Engine> engine(module, "Engine", "A routing engine, as accepted by route().");
  bind_value(engine, field("name", &fabric::Engine::name),
             field("summary", &fabric::Engine::summary, "One sentence."));
  module.def(
      "engines",
      [] { return std::vector<fabric::Engine>(fabric::engines().begin(), fabric::engines().end()); },
      "The routing engines.");
  module.def("route", &route, "topology"_a, "engine"_a, "roots"_a = Numbers{}, "compute"_a = Numbers{},
             "seed"_a = 1, "lmc"_a = 0, Release(),
             "Route a topology. `roots`: numbers of switches, none: the engine finds them; `compute`: "
             "numbers of hosts\n"
             "that ftree, sssp and dfsssp balance for, none: all; `seed`: for random and ecmp; 2**lmc "
             "planes. An\n"
             "engine that rejects the fabric is replaced by minhop, and the Routes give the reason. Raises\n"
             "ArgumentError.");
  module.def(
      "find_credit_loop", [](const Routes& routes) { return find_credit_loop(routes).cycle; }, "routes"_a,
      Release(),
      "Channels that wait for each other in a circle, each for the next, the last for the first; none: the\n"
      "routes are free of deadlock.");
  module.def(
      "describe_channels",
      [](const Topology& topology, const Numbers& channels) {
        for (const Channel c : channels) check_number("channel", c, topology.channels());
        return describe_channels(topology, channels);
      },
      "topology"_a, "channels"_a, "Channels as text, one line each, with the port at both ends.");
}

}  // namespace sortlast::python
