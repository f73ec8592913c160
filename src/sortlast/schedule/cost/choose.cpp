// Choice of an algorithm.
#include "sortlast/machine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/cost/closed_form.hpp"
#include "sortlast/schedule/nodes.hpp"

namespace sortlast {
namespace {

constexpr std::size_t most_k_vectors = 24;

// Append the factorizations of p into `rounds` factors from 2 to `largest`, in non-increasing order.
void factorize(std::int64_t p, std::int64_t rounds, std::int64_t largest, const std::string& before,
               std::vector<std::string>& names) {
  for (std::int64_t factor = std::min(largest, p); factor >= 2; --factor) {
    if (names.size() == most_k_vectors) return;
    if (p % factor != 0) continue;
    const std::string name = before + std::to_string(factor);
    if (rounds == 1) {
      if (factor == p) names.push_back(name);
      return;
    }
    factorize(p / factor, rounds - 1, factor, name + ",", names);
  }
}

// The k vectors, fewest rounds first, then larger factors first, as the paper recommends for early rounds.
std::vector<std::string> k_vectors(std::int64_t p) {
  std::vector<std::string> names;
  for (std::int64_t rounds = 1; (std::int64_t{1} << rounds) <= p; ++rounds)
    factorize(p, rounds, p, "radix-k:", names);
  return names;
}

// Candidates for p ranks that share no nodes.
std::vector<std::string> plain_candidates(std::int32_t p) {
  std::vector<std::string> names;
  for (const AlgorithmEntry& entry : algorithms()) {
    if (entry.name == "two-level") continue;
    if (entry.name == "radix-k") {
      const auto vectors = k_vectors(p);
      names.insert(names.end(), vectors.begin(), vectors.end());
      continue;
    }
    names.push_back(entry.name);
    const bool power_of_two = (p & (p - 1)) == 0;
    if (entry.name == "binary-swap" && !power_of_two) names.emplace_back("binary-swap:fold");
  }
  return names;
}

}  // namespace

void check_workload(const Workload& workload) {
  if (!(workload.pixel_bytes > 0) || !std::isfinite(workload.pixel_bytes)) {
    throw ArgumentError("pixel_bytes = " + std::to_string(workload.pixel_bytes) +
                        "; expected a positive number");
  }
  if (!(workload.active > 0 && workload.active <= 1)) {
    throw ArgumentError("active = " + std::to_string(workload.active) +
                        "; expected a share above 0 and up to 1");
  }
  if (!(workload.spread >= 0) || !std::isfinite(workload.spread)) {
    throw ArgumentError("spread = " + std::to_string(workload.spread) + " s; expected 0 or more");
  }
}

std::vector<std::string> candidate_algorithms(const Setting& setting) {
  std::vector<std::string> names;
  const std::int32_t m = setting.nodes.empty() ? setting.p : Nodes(setting).count();
  if (m == 1 && setting.p > 1) names.emplace_back("two-level:direct-send");
  if (m > 1 && m < setting.p) {
    for (const std::string& name : plain_candidates(m)) names.push_back("two-level:" + name);
  }
  const auto plain = plain_candidates(setting.p);
  names.insert(names.end(), plain.begin(), plain.end());
  return names;
}

std::vector<Prediction> choose(const Setting& setting, const Workload& workload, const Machine& machine,
                               std::vector<std::string> candidates) {
  check_setting(setting);
  check_workload(workload);
  check_machine(machine);
  if (candidates.empty()) {
    candidates = candidate_algorithms(setting);
    if (workload.spread > 0 && setting.p <= most_walked_p) candidates.emplace_back("direct-send:pairs");
  }
  std::vector<Prediction> predictions;
  predictions.reserve(candidates.size());
  const ClosedForm form(setting, workload, machine);
  for (const std::string& name : candidates) {
    predictions.push_back(is_walked(name, setting.p)
                              ? predict(make_schedule(name, setting), workload, machine)
                              : form.predict(name));
  }
  const auto nanoseconds = [](const Prediction& prediction) { return std::round(1e9 * prediction.total()); };
  std::stable_sort(predictions.begin(), predictions.end(),
                   [&](const Prediction& a, const Prediction& b) { return nanoseconds(a) < nanoseconds(b); });
  return predictions;
}

}  // namespace sortlast
