// The seven workloads of the paper, each as the program of one rank.
//
// Details that the paper leaves open. Wave-fronts and meshes send in the order +x, +y, +z (on the way back,
// and first in exchanges, -x, -y, -z). In 2M and 3M the answers are the neighbours' own messages: one
// exchange. The last line of Fig. 5 reads node < N - sqrt(N): no node is below the last row.
#include "sortlast/simulate/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "sortlast/error.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {
namespace {

// A square or cube of ranks, x fastest.
struct Grid {
  std::int32_t side = 0, dimensions = 0;

  std::int64_t ranks(std::int32_t d) const {
    std::int64_t product = 1;
    for (std::int32_t i = 0; i < d; ++i) product *= side;
    return product;
  }
  std::int32_t stride(std::int32_t d) const { return static_cast<std::int32_t>(ranks(d)); }
  // The rank `way` (-1, +1) along dimension d; -1: none.
  std::int32_t neighbour(std::int32_t rank, std::int32_t d, std::int32_t way) const {
    const std::int32_t at = rank / stride(d) % side + way;
    return at < 0 || at >= side ? -1 : rank + way * stride(d);
  }
};

Grid grid_of(std::string_view name, std::int32_t ranks, std::int32_t dimensions) {
  const auto side = static_cast<std::int32_t>(std::lround(std::pow(ranks, 1.0 / dimensions)));
  const Grid grid{side, dimensions};
  if (grid.ranks(dimensions) != ranks) {
    throw ArgumentError(std::string(name) + ": " + std::to_string(ranks) + " ranks are no " +
                        (dimensions == 2 ? "square" : "cube"));
  }
  return grid;
}

void check_power_of_two(std::string_view name, std::int32_t ranks) {
  if (ranks > 0 && (ranks & (ranks - 1)) == 0) return;
  throw ArgumentError(std::string(name) + ": " + std::to_string(ranks) + " ranks are no power of two");
}

using Action = std::function<void(std::int32_t neighbour)>;

// Performs an action for every neighbour of a rank on one side of it.
void for_neighbours(const Grid& grid, std::int32_t rank, std::int32_t way, const Action& action) {
  for (std::int32_t d = 0; d < grid.dimensions; ++d) {
    if (const std::int32_t other = grid.neighbour(rank, d, way); other >= 0) action(other);
  }
}

Traffic wave_front(std::string_view name, std::int32_t ranks, std::int64_t size, std::int32_t dimensions) {
  const Grid grid = grid_of(name, ranks, dimensions);
  Programs programs(std::string(name), ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const Action send = [&](std::int32_t other) { programs.send(rank, other, size); };
    const Action receive = [&](std::int32_t other) { programs.receive(rank, other); };
    for_neighbours(grid, rank, -1, receive);
    for_neighbours(grid, rank, +1, send);
    for_neighbours(grid, rank, +1, receive);
    for_neighbours(grid, rank, -1, send);
  }
  return std::move(programs).finish();
}

Traffic mesh_exchange(std::string_view name, std::int32_t ranks, std::int64_t size, std::int32_t dimensions) {
  const Grid grid = grid_of(name, ranks, dimensions);
  Programs programs(std::string(name), ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    for (const std::int32_t way : {-1, +1}) {
      for_neighbours(grid, rank, way, [&](std::int32_t other) { programs.send(rank, other, size); });
    }
    for (const std::int32_t way : {-1, +1}) {
      for_neighbours(grid, rank, way, [&](std::int32_t other) { programs.receive(rank, other); });
    }
  }
  return std::move(programs).finish();
}

Traffic butterfly(std::int32_t ranks, std::int64_t size) {
  check_power_of_two("BU", ranks);
  Programs programs("BU", ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    for (std::int32_t distance = 1; distance < ranks; distance *= 2) {
      programs.send(rank, rank ^ distance, size);
      programs.receive(rank, rank ^ distance);
    }
  }
  return std::move(programs).finish();
}

Traffic binary_tree(std::int32_t ranks, std::int64_t size) {
  check_power_of_two("BT", ranks);
  Programs programs("BT", ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    std::int32_t distance = 1;
    for (; distance < ranks && (rank & distance) == 0; distance *= 2) programs.receive(rank, rank + distance);
    if (distance < ranks) programs.send(rank, rank - distance, size);
  }
  return std::move(programs).finish();
}

Traffic waterfall(std::int32_t ranks, std::int64_t size) {
  const Grid grid = grid_of("WF", ranks, 2);
  const auto bytes = std::llround(8 * std::exp2(std::log10(static_cast<double>(size))));
  Programs programs("WF", ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    for_neighbours(grid, rank, -1, [&](std::int32_t other) { programs.receive(rank, other); });
    for_neighbours(grid, rank, +1, [&](std::int32_t other) { programs.send(rank, other, bytes); });
  }
  return std::move(programs).finish(size / bytes + (size % bytes > 0 ? 1 : 0));
}

void check_synthetic(const std::string& name, std::int32_t ranks, std::int64_t size) {
  if (ranks < 2) throw ArgumentError(name + ": " + std::to_string(ranks) + " ranks; expected 2 or more");
  if (size < 1) throw ArgumentError(name + ": size " + std::to_string(size) + "; expected 1 byte or more");
}

void check_messages(const std::string& name, std::int32_t ranks, std::int32_t messages) {
  const std::int64_t all = std::int64_t{ranks} * messages;
  if (all <= INT32_MAX) return;
  throw ArgumentError(name + ": " + std::to_string(ranks) + " ranks send " + std::to_string(all) +
                      " messages; expected 2^31 - 1 or fewer");
}

}  // namespace

const std::vector<PatternEntry>& patterns() {
  static const std::vector<PatternEntry> entries{
      {"2W", "A wave-front crosses a square of ranks and comes back."},
      {"3W", "A wave-front crosses a cube of ranks and comes back."},
      {"2M", "Every rank exchanges with its neighbours in a square."},
      {"3M", "Every rank exchanges with its neighbours in a cube."},
      {"BU", "Butterfly: exchanges at distance 1, 2, 4, .. N/2."},
      {"BT", "Binary tree: all ranks send towards rank 0."},
      {"WF", "Waterfall: many small messages flow across a square."}};
  return entries;
}

Traffic pattern(std::string_view name, std::int32_t ranks, std::int64_t size) {
  check_synthetic(std::string(name), ranks, size);
  if (name == "2W" || name == "3W") return wave_front(name, ranks, size, name[0] - '0');
  if (name == "2M" || name == "3M") return mesh_exchange(name, ranks, size, name[0] - '0');
  if (name == "BU") return butterfly(ranks, size);
  if (name == "BT") return binary_tree(ranks, size);
  if (name == "WF") return waterfall(ranks, size);
  std::string known;
  for (const PatternEntry& entry : patterns()) known += (known.empty() ? "" : ", ") + entry.name;
  throw ArgumentError("unknown pattern '" + std::string(name) + "'; there are " + known);
}

Traffic all_to_all(std::int32_t ranks, std::int64_t size) {
  check_synthetic("all-to-all", ranks, size);
  check_messages("all-to-all", ranks, ranks - 1);
  Programs programs("all-to-all", ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    for (std::int32_t s = 1; s < ranks; ++s) programs.send(rank, (rank + s) % ranks, size);
  }
  return std::move(programs).finish();
}

Traffic shift(std::int32_t ranks, std::int64_t size, std::int32_t first, std::int32_t last) {
  check_synthetic("shift", ranks, size);
  return pattern_traffic(*fabric::shift_pattern(ranks, size), first, last);
}

namespace {

// Calls visit(stage, times) for the stages of the steps [first, last).
template <typename Visit>
void each_stage(const fabric::Pattern& pattern, std::int64_t first, std::int64_t last, Visit&& visit) {
  std::int64_t begin = 1;  // first step of the stage
  for (std::int64_t stage = 0; stage < pattern.stages() && begin < last; ++stage) {
    const std::int64_t end = begin + pattern.repeats(stage);
    const std::int64_t times = std::min(end, last) - std::max(begin, first);
    if (times > 0) visit(stage, times);
    begin = end;
  }
}

}  // namespace

Traffic pattern_traffic(const fabric::Pattern& pattern, std::int64_t first, std::int64_t last) {
  const std::int64_t all = steps(pattern);
  if (first < 1 || last < first || last > all + 1) {
    throw ArgumentError(pattern.name() + ": stages [" + std::to_string(first) + ", " + std::to_string(last) +
                        ") are not within [1, " + std::to_string(all + 1) + ")");
  }

  // Count before anything is stored.
  std::int64_t messages = 0;
  each_stage(pattern, first, last, [&](std::int64_t stage, std::int64_t times) {
    const auto flows = static_cast<std::int64_t>(pattern.flows(stage).size());
    if (flows > 0 && times > (INT32_MAX - messages) / flows) {
      throw ArgumentError(pattern.name() + ": " + std::to_string(pattern.participants()) +
                          " ranks send more than 2^31 - 1 messages at these stages; take fewer of them");
    }
    messages += times * flows;
  });

  Programs programs(pattern.name(), pattern.participants());
  each_stage(pattern, first, last, [&](std::int64_t stage, std::int64_t times) {
    const std::vector<fabric::Flow> flows = pattern.flows(stage);
    for (std::int64_t i = 0; i < times; ++i) {
      for (const fabric::Flow& flow : flows) programs.send(flow.source, flow.destination, flow.bytes);
      for (const fabric::Flow& flow : flows) programs.receive(flow.destination, flow.source);
    }
  });
  return std::move(programs).finish();
}

Traffic uniform(std::int32_t ranks, std::int64_t size, std::int32_t messages, std::uint64_t seed) {
  check_synthetic("uniform", ranks, size);
  if (messages < 0) throw ArgumentError("uniform: " + std::to_string(messages) + " messages a rank");
  check_messages("uniform", ranks, messages);
  std::mt19937_64 random(seed);
  Programs programs("uniform", ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    for (std::int32_t i = 0; i < messages; ++i) {
      const auto other = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(ranks - 1));
      programs.send(rank, other + (other >= rank ? 1 : 0), size);
    }
  }
  return std::move(programs).finish();
}

}  // namespace sortlast::simulate
