// Halo exchange: ranks on a grid repeatedly send their faces to their neighbours.
#include <algorithm>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// The ranks next to each rank of a grid, along each of its axes; the first axis runs fastest.
std::vector<std::vector<std::int32_t>> neighbours(const std::vector<std::int32_t>& grid, std::int32_t ranks) {
  std::vector<std::vector<std::int32_t>> found(at(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    std::int32_t step = 1;
    for (const std::int32_t length : grid) {
      const std::int32_t place = rank / step % length;
      if (place > 0) found[at(rank)].push_back(rank - step);
      if (place + 1 < length) found[at(rank)].push_back(rank + step);
      step *= length;
    }
  }
  return found;
}

std::int32_t count_ranks(const std::vector<std::int32_t>& grid) {
  std::int32_t ranks = 1;
  for (const std::int32_t length : grid) {
    if (length < 1 || __builtin_mul_overflow(ranks, length, &ranks)) {
      throw ArgumentError("halo: a side of the grid is " + std::to_string(length) +
                          "; expected 1 or more, and at most 2^31 - 1 ranks");
    }
  }
  if (grid.empty()) throw ArgumentError("halo: the grid has no side");
  return ranks;
}

}  // namespace

Traffic halo(const std::vector<std::int32_t>& grid, std::int64_t size, std::int32_t iterations) {
  const std::int32_t ranks = count_ranks(grid);
  if (size < 1) throw ArgumentError("halo: " + std::to_string(size) + " bytes a face; expected 1 or more");
  if (iterations < 1) {
    throw ArgumentError("halo: " + std::to_string(iterations) + " iterations; expected 1 or more");
  }
  std::int64_t faces = 0;
  for (const std::int32_t length : grid) faces += std::int64_t{2} * (length - 1) * (ranks / length);
  if (faces > INT32_MAX / iterations) {
    throw ArgumentError("halo: " + std::to_string(ranks) + " ranks send more than 2^31 - 1 messages in " +
                        std::to_string(iterations) + " iterations");
  }

  const std::vector<std::vector<std::int32_t>> peers = neighbours(grid, ranks);
  Traffic traffic;
  traffic.name = "halo exchange";
  traffic.tasks = ranks;
  traffic.in_order = false;
  traffic.first.push_back(0);
  for (const auto& each : peers) {
    traffic.first.push_back(traffic.first.back() + static_cast<Traffic::Message>(each.size()) * iterations);
  }
  traffic.first_cause.push_back(0);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    // The messages from a rank's neighbours in their first iteration.
    std::vector<Traffic::Message> receives;
    for (const std::int32_t peer : peers[at(rank)]) {
      const auto& back = peers[at(peer)];
      const auto place = std::find(back.begin(), back.end(), rank) - back.begin();
      receives.push_back(traffic.first[at(peer)] + static_cast<Traffic::Message>(place));
    }
    for (std::int32_t k = 0; k < iterations; ++k) {
      for (const std::int32_t peer : peers[at(rank)]) {
        traffic.destination.push_back(peer);
        traffic.size.push_back(size);
        for (std::size_t j = 0; k > 0 && j < receives.size(); ++j) {
          const auto degree = static_cast<Traffic::Message>(peers[at(peers[at(rank)][j])].size());
          traffic.causes.push_back(receives[j] + (k - 1) * degree);
        }
        traffic.first_cause.push_back(static_cast<std::int64_t>(traffic.causes.size()));
      }
    }
  }
  (void)totals(traffic);
  return traffic;
}

}  // namespace sortlast::simulate
