// Closed form of a prediction, for more ranks than programs can be walked for.
//
// The terms give messages, rounds, and the shares of n that a rank sends and blends. The amount written by
// blending follows from them: a round merges messages / rounds fragments into the rank's own, so that rounds
// / messages of the blended pixels are written, once: 1/p of n for direct-send, 1/k_1 + 1/(k_1 k_2) + ... for
// radix-k, all of it for binary swap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "sortlast/machine.hpp"
#include "sortlast/schedule/algorithm.hpp"
#include "sortlast/schedule/depth_layers.hpp"
#include "sortlast/schedule/nodes.hpp"

namespace sortlast {

constexpr std::int32_t most_walked_p = 256;

// Whether the programs of an algorithm are walked for p ranks: registered algorithms have no closed form.
inline bool is_walked(std::string_view name, std::int32_t p) {
  return p <= most_walked_p || parse_algorithm(name).definition.registered;
}

// Like predict(), but from the published terms of algorithms (CostTerms), for any p, with all fragments as
// dense as one image. With several images per rank, all fragments have the average number of layers that
// ranks start with.
class ClosedForm {
 public:
  // Costs O(p) if the setting has nodes, otherwise O(1).
  ClosedForm(const Setting& setting, const Workload& workload, const Machine& machine);

  // `name` includes the parameters, if any. Costs O(1). Throws ArgumentError.
  Prediction predict(std::string_view name) const;

 private:
  Prediction between_nodes(const AlgorithmName& algorithm, std::int32_t p, double pixels, double runs,
                           double ranks) const;
  double share_of_cores(double ranks) const;

  std::int32_t p_;
  double n_;
  double bytes_;  // per pixel, on average
  bool staged_;
  Machine machine_;
  std::int32_t m_;             // number of nodes
  double most_ranks_ = 1;      // maximum over the nodes
  double smallest_ranks_ = 1;  // minimum over the nodes
  double most_runs_ = 1;       // maximum over the nodes
};

inline ClosedForm::ClosedForm(const Setting& setting, const Workload& workload, const Machine& machine)
    : p_(setting.p),
      n_(static_cast<double>(setting.n)),
      bytes_(workload.pixel_bytes * workload.active * mean_layers(setting)),
      staged_(workload.staged),
      machine_(machine),
      m_(setting.p),
      most_ranks_(std::min(machine.ranks, setting.p)) {
  if (setting.nodes.empty()) return;
  const Nodes nodes(setting);
  m_ = nodes.count();
  most_ranks_ = 1;
  smallest_ranks_ = nodes.smallest();
  for (std::int32_t node = 0; node < m_; ++node) {
    most_ranks_ = std::max(most_ranks_, static_cast<double>(nodes.members(node).size()));
    most_runs_ = std::max(most_runs_, static_cast<double>(nodes.runs(node).size()));
  }
}

inline double ClosedForm::share_of_cores(double ranks) const {
  return machine_.cores > 0 ? std::max(1.0, ranks / machine_.cores) : 1.0;
}

// An algorithm for p ranks and `pixels`, in which `runs` messages replace each message, and `ranks` ranks of
// a node take part.
inline Prediction ClosedForm::between_nodes(const AlgorithmName& algorithm, std::int32_t p, double pixels,
                                            double runs, double ranks) const {
  Prediction prediction;
  const CostTerms terms = algorithm.definition.terms(p, algorithm.parameters);
  if (terms.messages == 0) return prediction;
  const double whole = runs * pixels * bytes_;
  const double written = terms.blended * terms.rounds / terms.messages;
  const double blend = share_of_cores(ranks) * whole *
                       (machine_.gamma_read * (terms.blended + written) + machine_.gamma_write * written);
  prediction.transfer = machine_.alpha * terms.messages * runs + machine_.beta * whole * terms.sent * ranks;
  const double phases = algorithm.definition.overlap == "yes" ? 1 : terms.rounds;
  prediction.blend = std::max(blend * phases / terms.messages, blend - prediction.transfer);
  return prediction;
}

inline Prediction ClosedForm::predict(std::string_view name) const {
  const AlgorithmName algorithm = parse_algorithm(name);
  const bool two_level = algorithm.definition.name == "two-level";
  const AlgorithmName network = two_level ? inner_algorithm(algorithm.parameters) : algorithm;
  Prediction prediction;
  if (!two_level || m_ == p_) {
    prediction = between_nodes(network, p_, n_, 1, most_ranks_);
  } else {
    const double column = n_ / smallest_ranks_;
    prediction = between_nodes(network, m_, column, most_runs_, smallest_ranks_);
    const double share = share_of_cores(most_ranks_);
    prediction.transfer += machine_.node_alpha * share;
    prediction.blend +=
        share * column * bytes_ * (machine_.gamma_read * most_ranks_ + machine_.gamma_write * most_runs_);
    if (staged_) prediction.copy = machine_.copy * share * n_ * bytes_;
  }
  prediction.name = name;
  return prediction;
}

}  // namespace sortlast
