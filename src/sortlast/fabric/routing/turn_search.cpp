#include "sortlast/fabric/routing/turn_search.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace sortlast::fabric {

// The search runs backwards from one destination: where it goes up, the path itself goes down.
struct TurnSearch::State {
  State(const SwitchGraph& graph, std::size_t cables)
      : hops(cables, no_hops),
        least(static_cast<std::size_t>(graph.switches()), no_hops),
        waits(least.size()),
        arrival(least.size(), Direction::up) {}

  std::vector<std::uint8_t> hops;   // by cable, from its near end
  std::vector<std::uint8_t> least;  // by switch
  std::vector<bool> waits;          // whether the switch is in the queue
  std::vector<Direction> arrival;   // by which the switch was reached
  std::deque<std::int32_t> queue;
};

TurnSearch::TurnSearch(const SwitchGraph& graph, std::vector<Direction> directions)
    : graph_(graph), directions_(std::move(directions)) {
  for (std::int32_t s = 0; s < graph.switches(); ++s) {
    for (const SwitchCable& cable : graph.cables(s)) {
      const auto there = graph.cables(cable.other);
      const auto back = std::find_if(there.begin(), there.end(), [&](const SwitchCable& other) {
        return other.port == cable.other_port;
      });
      reverse_.push_back(graph.first_cable(cable.other) + static_cast<std::size_t>(back - there.begin()));
    }
  }
}

void TurnSearch::ports_towards(std::int32_t destination, PortSets& ports) const {
  State state(graph_, reverse_.size());
  state.least[static_cast<std::size_t>(destination)] = 0;
  state.queue.push_back(destination);
  while (!state.queue.empty()) {
    const std::int32_t s = state.queue.front();
    state.queue.pop_front();
    state.waits[static_cast<std::size_t>(s)] = false;
    visit(s, state);
  }

  ports.clear();
  for (std::int32_t s = 0; s < graph_.switches(); ++s) {
    std::size_t at = graph_.first_cable(s);
    for (const SwitchCable& cable : graph_.cables(s)) {
      const std::uint8_t hops = state.hops[at++];
      if (hops != no_hops && hops == state.least[static_cast<std::size_t>(s)]) ports.add(s, cable.port);
    }
  }
}

void TurnSearch::visit(std::int32_t s, State& state) const {
  const bool came_down = state.arrival[static_cast<std::size_t>(s)] == Direction::down;
  std::size_t at = graph_.first_cable(s);
  for (const SwitchCable& cable : graph_.cables(s)) {
    const Direction direction = directions_[at];
    const std::size_t back = reverse_[at++];
    if (came_down && direction == Direction::up) continue;
    const int hops = state.least[static_cast<std::size_t>(s)] + 1;
    if (hops >= state.hops[back]) continue;

    const auto other = static_cast<std::size_t>(cable.other);
    state.hops[back] = static_cast<std::uint8_t>(hops);
    state.least[other] = std::min(state.least[other], state.hops[back]);
    if (state.waits[other]) continue;
    state.waits[other] = true;
    state.arrival[other] = direction;
    state.queue.push_back(cable.other);
  }
}

}  // namespace sortlast::fabric
