// A naive flow simulator: progressive filling by its definition, over all flows, at every event.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::simulate::naive {

struct Flow {
  std::vector<fabric::Channel> path;
  double bytes = 0;
  double rate = 0;
  bool over = false;
};

// Raise the rates of all flows together; those on a channel that is full stay where they are. Channel c has
// capacity_of(c).
template <class CapacityOf>
void fill_each(std::vector<Flow>& flows, const CapacityOf& capacity_of) {
  std::vector<std::size_t> rising;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    flows[i].rate = 0;
    if (!flows[i].over) rising.push_back(i);
  }
  while (!rising.empty()) {
    // Find how far they can rise.
    std::map<fabric::Channel, double> used;
    std::map<fabric::Channel, int> count;
    for (const Flow& flow : flows) {
      if (flow.over) continue;
      for (const fabric::Channel c : flow.path) used[c] += flow.rate;
    }
    for (const std::size_t i : rising) {
      for (const fabric::Channel c : flows[i].path) ++count[c];
    }
    double step = std::numeric_limits<double>::infinity();
    for (const auto& [c, n] : count) step = std::min(step, (capacity_of(c) - used[c]) / n);
    for (const std::size_t i : rising) flows[i].rate += step;
    for (const auto& [c, n] : count) used[c] += step * n;

    // Those that cross a full channel rise no further.
    std::erase_if(rising, [&](std::size_t i) {
      return std::any_of(flows[i].path.begin(), flows[i].path.end(),
                         [&](fabric::Channel c) { return used[c] >= capacity_of(c) * (1 - 1e-9); });
    });
  }
}

inline void fill(std::vector<Flow>& flows, double capacity) {
  fill_each(flows, [&](fabric::Channel) { return capacity; });
}

// When each of some flows ends that all begin at time 0.
inline std::vector<double> ends(std::vector<Flow> flows, double capacity) {
  std::vector<double> end(flows.size(), 0);
  double now = 0;
  for (;;) {
    fill(flows, capacity);
    double step = std::numeric_limits<double>::infinity();
    for (const Flow& flow : flows) {
      if (!flow.over) step = std::min(step, flow.bytes / flow.rate);
    }
    if (step == std::numeric_limits<double>::infinity()) return end;
    now += step;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (flows[i].over) continue;
      flows[i].bytes -= step * flows[i].rate;
      if (flows[i].bytes > 1e-6) continue;
      flows[i].over = true;
      end[i] = now;
    }
  }
}

}  // namespace sortlast::simulate::naive
