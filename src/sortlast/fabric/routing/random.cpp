// random: for every switch and destination one of the shortest legal paths, drawn at random.
//
// Problem. A fair baseline: as short and as free of deadlock as the engines of trees, but without balancing.
// Its contention is due to chance.
//
// Model. Up*/down*: switches are ordered by their distance from the roots, ties by number; a path goes up (to
// a switch earlier in this order), then down, and never up again. Channels that only wait for later channels
// along such paths cannot wait in a circle. InfiniBand forwards by destination alone, without knowing whether
// a packet has gone down already; so a switch that can reach the destination by going down alone must go
// down. The others go up, to the neighbour with the shortest remaining path. On a tree with its levels these
// are the shortest paths; elsewhere (on a torus, for example) they are the shortest paths that tables can
// represent.
//
// Each choice is drawn from (seed, plane, switch, destination) and nothing else, so that tables do not depend
// on the order in which they are made, and 2^lmc planes are independent of each other.
#include <algorithm>
#include <memory>
#include <numeric>

#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/topology.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"
#include "sortlast/random.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int32_t never = -1;

struct Neighbour {
  std::int32_t s = 0;
  std::int32_t port = 0;  // port that leads to it
};

// Switches in their order, each with its neighbours above and below.
class UpDown {
 public:
  UpDown(const Topology& topology, const std::vector<std::int32_t>& roots)
      : order_(static_cast<std::size_t>(topology.switches())), up_(order_.size()), down_(order_.size()) {
    const SwitchGraph graph(topology);
    std::vector<std::int32_t> distance = distances(graph, roots);
    std::ranges::replace(distance, -1, topology.switches());  // switches that no link reaches are last
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
      return distance[static_cast<std::size_t>(a)] < distance[static_cast<std::size_t>(b)];
    });
    std::vector<std::size_t> position(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) position[static_cast<std::size_t>(order_[i])] = i;
    for (std::int32_t s = 0; s < topology.switches(); ++s) {
      for (const SwitchCable& cable : graph.cables(s)) {
        const std::int32_t other = cable.other, port = cable.port;
        if (other == s) continue;
        const bool up = position[static_cast<std::size_t>(other)] < position[static_cast<std::size_t>(s)];
        (up ? up_ : down_)[static_cast<std::size_t>(s)].push_back({other, port});
      }
    }
  }

  // Calls choose(s, nearest) for every switch other than t with a legal path to switch t; `nearest` are the
  // neighbours on shortest paths.
  template <typename Choose>
  void ways_to(std::int32_t t, Choose&& choose) {
    hops_.assign(order_.size(), never);
    hops_[static_cast<std::size_t>(t)] = 0;

    // Bottom up: switches that reach it by going down alone.
    for (std::size_t i = order_.size(); i-- > 0;) take_nearest(order_[i], down_, choose);
    // Top down: switches that have to go up first.
    for (const std::int32_t s : order_) take_nearest(s, up_, choose);
  }

 private:
  template <typename Choose>
  void take_nearest(std::int32_t s, const std::vector<std::vector<Neighbour>>& neighbours, Choose&& choose) {
    std::int32_t& hops = hops_[static_cast<std::size_t>(s)];
    if (hops != never) return;
    nearest_.clear();
    for (const Neighbour& neighbour : neighbours[static_cast<std::size_t>(s)]) {
      const std::int32_t further = hops_[static_cast<std::size_t>(neighbour.s)];
      if (further == never || (hops != never && further + 1 > hops)) continue;
      if (hops == never || further + 1 < hops) nearest_.clear();
      hops = further + 1;
      nearest_.push_back(neighbour);
    }
    if (hops != never) choose(s, nearest_);
  }

  std::vector<std::int32_t> order_;  // roots first
  std::vector<std::vector<Neighbour>> up_, down_;
  std::vector<std::int32_t> hops_;  // to the current destination
  std::vector<Neighbour> nearest_;
};

std::vector<std::int32_t> find_roots(const Topology& topology, const RouteOptions& options) {
  if (!options.roots.empty()) return options.roots;
  std::vector<std::int32_t> roots = rank_switches(topology).roots;
  if (roots.empty() && topology.switches() > 0) roots.push_back(0);
  return roots;
}

}  // namespace

Outcome engine::random(const Topology& topology, const RouteOptions& options) {
  const std::int32_t planes = 1 << options.lmc;
  auto tables = std::make_shared<Tables>(topology, planes);
  UpDown tree(topology, find_roots(topology, options));
  std::vector<std::vector<Vertex>> destinations(static_cast<std::size_t>(topology.switches()));
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const End& end = topology.attachment(h);
    const std::int32_t t = topology.switch_of(end.vertex);
    destinations[static_cast<std::size_t>(t)].push_back(h);
    for (std::int32_t plane = 0; plane < planes; ++plane) tables->set(t, h, end.port, plane);
  }
  for (std::int32_t t = 0; t < topology.switches(); ++t) {
    const Vertex itself = topology.vertex_of_switch(t);
    for (std::int32_t plane = 0; plane < planes; ++plane) tables->set(t, itself, 0, plane);
    destinations[static_cast<std::size_t>(t)].push_back(itself);
    tree.ways_to(t, [&](std::int32_t s, const std::vector<Neighbour>& nearest) {
      for (const Vertex d : destinations[static_cast<std::size_t>(t)]) {
        for (std::int32_t plane = 0; plane < planes; ++plane) {
          std::uint64_t state = SplitMix64(options.seed)();
          for (const std::int32_t part : {plane, s, d}) {
            state = SplitMix64(state ^ static_cast<std::uint64_t>(part))();
          }
          tables->set(s, d, nearest[state % nearest.size()].port, plane);
        }
      }
    });
  }
  return {tables, ""};
}

}  // namespace sortlast::fabric
