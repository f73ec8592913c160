// Selection: the algorithm of a frame.
#include "sortlast/execute/plan/choice.hpp"

#include <numeric>
#include <utility>

#include "sortlast/schedule.hpp"

namespace sortlast {

const std::string& Selection::name(const Setting& setting, const Format& format, double active) {
  if (!chooses()) return algorithm_;
  Key key{setting.n, setting.commutes, format, active, setting.p};
  if (!setting.nodes.empty()) {
    const std::vector<std::int32_t> runs = depth_runs(setting);
    key.fragments = std::accumulate(runs.begin(), runs.end(), std::int64_t{0});
  }
  if (predictions_.empty() || key != made_for_) {
    const Workload workload{.pixel_bytes = static_cast<double>(format.pixel_bytes()), .active = active};
    predictions_ = choose(setting, workload, machine_);
    made_for_ = key;
  }
  return predictions_.front().name;
}

}  // namespace sortlast
