// The list of algorithms, the checks of settings, and schedules made by name.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/schedule/algorithm.hpp"

// One line per algorithm: the function defined in its file.
#define SORTLAST_ALGORITHMS(ADD) \
  ADD(direct_send)               \
  ADD(binary_swap)               \
  ADD(two_three_swap)            \
  ADD(radix_k)                   \
  ADD(multi_step)                \
  ADD(parallel_pipeline)         \
  ADD(shift)                     \
  ADD(two_level)                 \
  ADD(tree)

namespace sortlast {

#define SORTLAST_DECLARE(name) AlgorithmDefinition name();
SORTLAST_ALGORITHMS(SORTLAST_DECLARE)
#undef SORTLAST_DECLARE

std::span<const AlgorithmDefinition> definitions() {
#define SORTLAST_ENTRY(name) name(),
  static const std::array entries{SORTLAST_ALGORITHMS(SORTLAST_ENTRY)};
#undef SORTLAST_ENTRY
  return entries;
}

std::span<const AlgorithmEntry> algorithms() {
  static const std::vector<AlgorithmEntry> entries(definitions().begin(), definitions().end());
  return entries;
}

AlgorithmName parse_algorithm(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view base = name.substr(0, colon);
  const std::string parameters(colon == std::string_view::npos ? std::string_view{} : name.substr(colon + 1));
  if (colon != std::string_view::npos && parameters.empty()) {
    throw ArgumentError("algorithm '" + std::string(name) +
                        "' ends in a colon; expected parameters behind it, or no colon");
  }
  std::string known;
  for (const AlgorithmDefinition& definition : definitions()) {
    if (definition.name == base) return {definition, parameters};
    known += definition.usage + ", ";
  }
  if (const AlgorithmDefinition* own = find_registered(base)) return {*own, parameters};
  for (const std::string& each : registered_names()) known += each + ", ";
  throw ArgumentError("algorithm '" + std::string(name) + "' is not known; expected one of " + known +
                      "auto");
}

void refuse_parameters(std::string_view name, const std::string& parameters) {
  if (parameters.empty()) return;
  throw ArgumentError(std::string(name) + ":" + parameters + ": " + std::string(name) +
                      " takes no parameters");
}

namespace {

// Throws ArgumentError unless `nodes` is empty or gives each of p ranks a node, numbered from 0 without gaps.
void check_nodes(const std::vector<std::int32_t>& nodes, std::int32_t p) {
  if (nodes.empty()) return;
  if (nodes.size() != static_cast<std::size_t>(p)) {
    throw ArgumentError("nodes lists the nodes of " + std::to_string(nodes.size()) +
                        " ranks; expected one for each of " + std::to_string(p));
  }
  std::vector<bool> seen(nodes.size(), false);
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const std::int32_t node = nodes[rank];
    if (node < 0 || node >= p) {
      throw ArgumentError("nodes puts rank " + std::to_string(rank) + " on node " + std::to_string(node) +
                          "; expected 0.." + std::to_string(p - 1) + ", as " + std::to_string(p) +
                          " ranks are on as many nodes at most");
    }
    seen[static_cast<std::size_t>(node)] = true;
  }
  const auto last = static_cast<std::size_t>(*std::max_element(nodes.begin(), nodes.end()));
  const auto gap = static_cast<std::size_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
  if (gap > last) return;
  throw ArgumentError("nodes puts no rank on node " + std::to_string(gap) + ", but some on node " +
                      std::to_string(last) + "; number the nodes from 0 without gaps");
}

}  // namespace

void check_permutation(const std::vector<std::int32_t>& ranks, std::int32_t p, std::string_view what) {
  if (ranks.empty()) return;
  const std::string name(what);
  if (ranks.size() != static_cast<std::size_t>(p)) {
    throw ArgumentError(name + " lists " + std::to_string(ranks.size()) + " ranks; expected each of 0.." +
                        std::to_string(p - 1) + " once");
  }
  std::vector<bool> seen(static_cast<std::size_t>(p), false);
  for (const std::int32_t rank : ranks) {
    if (rank < 0 || rank >= p) {
      throw ArgumentError(name + " lists rank " + std::to_string(rank) + "; expected each of 0.." +
                          std::to_string(p - 1) + " once");
    }
    if (seen[static_cast<std::size_t>(rank)]) {
      throw ArgumentError(name + " lists rank " + std::to_string(rank) + " twice; expected each of 0.." +
                          std::to_string(p - 1) + " once");
    }
    seen[static_cast<std::size_t>(rank)] = true;
  }
}

std::vector<std::int32_t> inverse(const std::vector<std::int32_t>& permutation) {
  std::vector<std::int32_t> result(permutation.size());
  for (std::size_t index = 0; index < permutation.size(); ++index) {
    result[static_cast<std::size_t>(permutation[index])] = static_cast<std::int32_t>(index);
  }
  return result;
}

namespace {

void check_positions(const Setting& setting) {
  if (setting.positions.empty()) return;
  if (setting.positions.size() != static_cast<std::size_t>(setting.p))
    throw ArgumentError("positions has " + std::to_string(setting.positions.size()) +
                        " lists; expected one for each of " + std::to_string(setting.p) + " ranks");
  if (!setting.commutes)
    throw ArgumentError(
        "positions were given for an operator that does not commute; images that carry their places can be "
        "joined in "
        "any order, so expected commutes = true");
  if (!setting.order.empty())
    throw ArgumentError(
        "both an order of the ranks and positions of their images were given; expected one of them");
  std::vector<std::pair<std::int64_t, std::size_t>> images;
  for (std::size_t rank = 0; rank < setting.positions.size(); ++rank)
    for (const std::int64_t position : setting.positions[rank]) images.emplace_back(position, rank);
  std::sort(images.begin(), images.end());
  const auto twice = std::adjacent_find(images.begin(), images.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == images.end()) return;
  const std::string ranks =
      twice->second == (twice + 1)->second
          ? "twice on rank " + std::to_string(twice->second)
          : "on rank " + std::to_string(twice->second) + " and rank " + std::to_string((twice + 1)->second);
  throw ArgumentError("position " + std::to_string(twice->first) + " is given " + ranks +
                      "; expected each position once");
}

}  // namespace

void check_setting(const Setting& setting) {
  if (setting.p < 1)
    throw ArgumentError("p = " + std::to_string(setting.p) + "; expected at least 1 participant");
  if (setting.n < 0) throw ArgumentError("n = " + std::to_string(setting.n) + "; expected 0 or more pixels");
  check_permutation(setting.order, setting.p, "order");
  check_permutation(setting.ring, setting.p, "ring");
  check_nodes(setting.nodes, setting.p);
  check_positions(setting);
}

Schedule make_schedule(std::string_view name, Setting setting) {
  check_setting(setting);
  const std::string chosen =
      name == "auto" ? choose(setting, Workload{}, Machine{}).front().name : std::string(name);
  auto [definition, parameters] = parse_algorithm(chosen);
  const auto kept = std::make_shared<const Setting>(std::move(setting));
  std::shared_ptr<const Algorithm> algorithm = definition.make(*kept, parameters);
  Schedule schedule(definition.name + (parameters.empty() ? "" : ":" + parameters), kept,
                    std::move(algorithm));
  if (definition.registered) schedule.verify();
  return schedule;
}

}  // namespace sortlast
