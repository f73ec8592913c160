// All inner paths of a placement: from every switch that has participants to every participant.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/path_walker.hpp"

namespace sortlast::fabric {

class PathCache {
 public:
  // Nothing if the paths depend on more than the source's switch, or need more than `most_bytes`. Uses
  // options.threads threads. Throws what walk() throws.
  static std::optional<PathCache> make(const PathWalker& walker, const Placement& placement,
                                       std::int64_t most_bytes, const AnalysisOptions& options);

  static constexpr Channel end = -1;  // after the last channel of a path

  // Channels of the longest path.
  std::size_t stride() const { return stride_; }
  // Paths from participant i's switch to participants 0, 1, ...: `stride` channels each, `end` after the
  // last. Undefined for dummies.
  const Channel* from(std::int32_t i) const {
    return cells_.data() +
           static_cast<std::size_t>(place_[static_cast<std::size_t>(i)]) * place_.size() * stride_;
  }

 private:
  // Fills the paths from place `place`, which the participant `source` has; false: one is too long.
  bool fill(const PathWalker& walker, const Placement& placement, std::int32_t source, std::int32_t place);
  bool fill_all(const PathWalker& walker, const Placement& placement,
                const std::vector<std::int32_t>& sources, const AnalysisOptions& options);

  std::size_t stride_ = 1;
  std::vector<std::int32_t> place_;  // by participant: its switch among those that have any; -1: dummy
  std::vector<Channel> cells_;
};

}  // namespace sortlast::fabric
