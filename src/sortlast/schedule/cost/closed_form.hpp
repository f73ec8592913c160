// Closed form of a prediction, for so many ranks that their programs are not walked.
#pragma once

#include <cstdint>
#include <string_view>

#include "sortlast/machine.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {

constexpr std::int32_t most_walked_p = 256;

// As predict(), from the published terms of algorithms (CostTerms), whatever p is and with all fragments as
// dense as one image.
class ClosedForm {
 public:
  // Costs O(p) if the setting has nodes, else O(1).
  ClosedForm(const Setting& setting, const Workload& workload, const Machine& machine);

  // `name` holds the parameters, if the algorithm has any. Costs O(1). Throws ArgumentError.
  Prediction predict(std::string_view name) const;

 private:
  Prediction between_nodes(const AlgorithmName& algorithm, std::int32_t p, double pixels, double runs,
                           double ranks) const;
  double share_of_cores(double ranks) const;

  std::int32_t p_;
  double n_;
  double bytes_;  // of a pixel, on average
  bool staged_;
  Machine machine_;
  std::int32_t m_;             // nodes
  double most_ranks_ = 1;      // of a node
  double smallest_ranks_ = 1;  // of a node
  double most_runs_ = 1;       // of a node
};

}  // namespace sortlast
