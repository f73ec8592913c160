// Circles of waits over all paths that the packets of a routing may take.
//
// The channel dependency graph (Dally and Seitz 1987) has a vertex for every class of every link between
// switches; an edge means that some packet may hold the first while it waits for the second. For adaptive
// routings all allowed ports count (which is more than Duato's condition requires). Paths are followed from
// every host to every other one, and for Valiant through every intermediate switch, starting from states that
// no earlier path to the same destination has reached.
#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "sortlast/simulate/packet/lanes/router.hpp"

namespace sortlast::simulate {

namespace {

class Dependencies {
 public:
  explicit Dependencies(const LaneRoutes& routes)
      : router_(routes), topology_(router_.topology()), classes_(routes.classes) {
    after_.resize(static_cast<std::size_t>(topology_.channels()) * static_cast<std::size_t>(classes_));
  }

  void collect() {
    for (std::int32_t d = 0; d < topology_.hosts(); ++d) {
      seen_.clear();
      for (std::int32_t source = 0; source < topology_.hosts(); ++source) {
        if (source == d) continue;
        if (router_.kind() != WayKind::valiant) follow(source, d, router_.start(source, d));
        if (router_.kind() == WayKind::valiant || router_.kind() == WayKind::ugal) {
          for (const std::int32_t by : router_.leaves()) {
            const std::int32_t s = router_.switch_of_host(source);
            if (router_.group(by) != router_.group(s)) follow(source, d, router_.start(source, d, by));
          }
        }
      }
    }
    for (std::vector<std::uint32_t>& next : after_) {
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
    }
  }

  LaneLoop find_circle() const {
    enum class Mark : std::uint8_t { none, on_path, done };
    std::vector<Mark> mark(after_.size(), Mark::none);
    std::vector<std::pair<std::uint32_t, std::size_t>> path;  // vertex, and its next edge
    for (std::uint32_t start = 0; start < after_.size(); ++start) {
      if (mark[start] != Mark::none) continue;
      path.assign(1, {start, 0});
      mark[start] = Mark::on_path;
      while (!path.empty()) {
        auto& [vertex, edge] = path.back();
        if (edge == after_[vertex].size()) {
          mark[vertex] = Mark::done;
          path.pop_back();
          continue;
        }
        const std::uint32_t next = after_[vertex][edge++];
        if (mark[next] == Mark::on_path) {
          auto first = path.begin();
          while (first->first != next) ++first;
          LaneLoop loop;
          for (; first != path.end(); ++first) loop.cycle.push_back(hop(first->first));
          return loop;
        }
        if (mark[next] == Mark::none) {
          mark[next] = Mark::on_path;
          path.emplace_back(next, 0);
        }
      }
    }
    return {};
  }

 private:
  struct Place {
    fabric::Channel held;  // by which it arrived; its host's channel at first
    std::uint8_t hop_class;
    WayState state;
  };

  LaneLoop::Hop hop(std::uint32_t vertex) const {
    const auto classes = static_cast<std::uint32_t>(classes_);
    return {static_cast<fabric::Channel>(vertex / classes), static_cast<std::int32_t>(vertex % classes)};
  }
  std::uint32_t vertex(fabric::Channel c, std::uint8_t hop_class) const {
    return static_cast<std::uint32_t>(c) * static_cast<std::uint32_t>(classes_) + hop_class;
  }

  void follow(std::int32_t source, std::int32_t d, const WayState& start) {
    std::vector<Place> open{{topology_.channel_of_host(source), 0, start}};
    while (!open.empty()) {
      const Place place = open.back();
      open.pop_back();
      const fabric::End& end = topology_.target(place.held);
      const std::int32_t s = topology_.switch_of(end.vertex);
      const LaneRouter::Hop next = router_.next(s, end.port, source, d, place.state);
      const std::vector<std::int32_t> ports(next.ports.begin(), next.ports.end());
      for (const std::int32_t port : ports) {
        const fabric::Channel c = topology_.channel(s, port);
        if (topology_.is_host(topology_.target(c).vertex)) continue;
        if (place.state.begun)
          after_[vertex(place.held, place.hop_class)].push_back(vertex(c, next.hop_class));
        const auto plane = router_.plane(source, d);
        if (seen_.emplace(c, next.hop_class, next.after.intermediate, next.after.lane, plane).second) {
          open.push_back({c, next.hop_class, next.after});
        }
      }
    }
  }

  LaneRouter router_;
  const fabric::Topology& topology_;
  const std::int32_t classes_;
  std::vector<std::vector<std::uint32_t>> after_;  // by vertex
  // By channel, class, intermediate switch, lane and plane: states reached by paths to the current
  // destination.
  std::set<std::tuple<fabric::Channel, std::uint8_t, std::int32_t, std::uint8_t, std::int32_t>> seen_;
};

}  // namespace

LaneLoop find_lane_loop(const LaneRoutes& routes) {
  Dependencies dependencies(routes);
  dependencies.collect();
  return dependencies.find_circle();
}

}  // namespace sortlast::simulate
