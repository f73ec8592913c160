// The list of algorithms.
#include "sortlast/registry.hpp"

#include <array>

#include "sortlast/error.hpp"
#include "sortlast/choose.hpp"
#include "sortlast/schedule/nodes.hpp"
#include "sortlast/schedule/permutation.hpp"

// One line an algorithm: the function that its file defines.
#define SORTLAST_ALGORITHMS(ADD) \
  ADD(direct_send)               \
  ADD(binary_swap)               \
  ADD(two_three_swap)            \
  ADD(radix_k)                   \
  ADD(parallel_pipeline)         \
  ADD(shift)                     \
  ADD(two_level)                 \
  ADD(tree)

namespace sortlast {

#define SORTLAST_DECLARE(name) AlgorithmEntry name();
SORTLAST_ALGORITHMS(SORTLAST_DECLARE)
#undef SORTLAST_DECLARE

std::span<const AlgorithmEntry> algorithms() {
#define SORTLAST_ENTRY(name) name(),
  static const std::array entries{SORTLAST_ALGORITHMS(SORTLAST_ENTRY)};
#undef SORTLAST_ENTRY
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
  for (const AlgorithmEntry& entry : algorithms()) {
    if (entry.name == base) return {entry, parameters};
    known += entry.usage + ", ";
  }
  throw ArgumentError("algorithm '" + std::string(name) + "' is not known; expected one of " + known +
                      "auto");
}

void refuse_parameters(std::string_view name, const std::string& parameters) {
  if (parameters.empty()) return;
  throw ArgumentError(std::string(name) + ":" + parameters + ": " + std::string(name) +
                      " takes no parameters");
}

void check_setting(const Setting& setting) {
  if (setting.p < 1)
    throw ArgumentError("p = " + std::to_string(setting.p) + "; expected at least 1 participant");
  if (setting.n < 0) throw ArgumentError("n = " + std::to_string(setting.n) + "; expected 0 or more pixels");
  check_permutation(setting.order, setting.p, "order");
  check_permutation(setting.ring, setting.p, "ring");
  check_nodes(setting.nodes, setting.p);
}

Schedule make_schedule(std::string_view name, Setting setting) {
  check_setting(setting);
  const std::string chosen =
      name == "auto" ? choose(setting, Workload{}, Machine{}).front().name : std::string(name);
  auto [entry, parameters] = parse_algorithm(chosen);
  std::shared_ptr<const Algorithm> algorithm = entry.make(setting, parameters);
  return {entry.name + (parameters.empty() ? "" : ":" + parameters), std::move(setting),
          std::move(algorithm)};
}

}  // namespace sortlast
