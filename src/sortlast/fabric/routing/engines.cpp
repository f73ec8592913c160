// The engines by name, and what happens when one refuses the fabric.
//
// OpenSM tries the engine that it was told, and where that fails takes minhop: it exits with status 0, and
// only a line in its log says so. route() does the same, but the value that it makes knows what was asked
// for, what was used, and why.
#include <array>
#include <set>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {

namespace {

using Make = Outcome (*)(const Topology&, const RouteOptions&);

struct Entry {
  Engine engine;
  Make make;
};

const std::array<Entry, 8>& entries() {
  static const std::array<Entry, 8> all = {{
      {{"d-mod-k", "Up-port by destination on a regular tree (Zahavi 2010): shifts are free of contention."},
       engine::d_mod_k},
      {{"s-mod-k", "Up-port by source on a regular tree; large ones need more LIDs than an LMC gives."},
       engine::s_mod_k},
      {{"ftree", "OpenSM's fat-tree engine: d-mod-k on intact trees, the least loaded port on damaged ones."},
       engine::ftree},
      {{"minhop", "OpenSM's default: shortest paths, spread over ports by destination."}, engine::minhop},
      {{"updn", "OpenSM's Up*/Down*: shortest of the paths that never go up again."}, engine::updn},
      {{"dor", "OpenSM's dimension order: along x first, then y, then z."}, engine::dor},
      {{"lash", "OpenSM's LASH: shortest paths, kept apart on virtual lanes so that none can deadlock."},
       engine::lash},
      {{"random", "A random one of the shortest up*/down* paths, which the seed fixes."}, engine::random},
  }};
  return all;
}

Make maker(std::string_view name) {
  std::string names;
  for (const auto& [known, make] : entries()) {
    if (known.name == name) return make;
    names += (names.empty() ? "" : ", ") + known.name;
  }
  throw ArgumentError("no routing engine '" + std::string(name) + "'; expected one of " + names);
}

void check_numbers(const char* what, const std::vector<std::int32_t>& numbers, std::int32_t count) {
  std::set<std::int32_t> seen;
  for (const std::int32_t number : numbers) {
    if (number < 0 || number >= count) {
      throw ArgumentError(std::string(what) + " " + std::to_string(number) + " does not exist: there are " +
                          std::to_string(count));
    }
    if (!seen.insert(number).second) {
      throw ArgumentError(std::string(what) + " " + std::to_string(number) + " is listed twice");
    }
  }
}

}  // namespace

std::span<const Engine> engines() {
  static const std::vector<Engine> all = [] {
    std::vector<Engine> list;
    for (const Entry& entry : entries()) list.push_back(entry.engine);
    return list;
  }();
  return all;
}

Routes route(std::shared_ptr<const Topology> topology, std::string_view engine, const RouteOptions& options) {
  const Make make = maker(engine);
  check_numbers("root switch", options.roots, topology->switches());
  check_numbers("compute host", options.compute, topology->hosts());
  if (options.lmc < 0 || options.lmc > 7) {
    throw ArgumentError("an LMC of " + std::to_string(options.lmc) + "; expected 0 to 7 (1 to 128 LIDs)");
  }

  Routes routes{std::move(topology), nullptr, std::string(engine), std::string(engine), ""};
  Outcome outcome = make(*routes.topology, options);
  if (!outcome.forwarding) {
    routes.fallback = routes.asked + " refuses this fabric: " + outcome.refusal + "; minhop is used instead";
    routes.engine = "minhop";
    outcome = engine::minhop(*routes.topology, options);
  }
  routes.forwarding = std::move(outcome.forwarding);
  return routes;
}

}  // namespace sortlast::fabric
