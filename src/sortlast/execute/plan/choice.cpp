// Choice: the algorithm and the layout of a frame, and a textual explanation of the choice.
#include "sortlast/execute/plan/choice.hpp"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include "sortlast/schedule.hpp"

namespace sortlast {

// ---- The algorithm --------------------------------------------------------------------------------

const std::string& AlgorithmChoice::name(const Setting& setting, const Format& format, double active) {
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

// ---- Explanation ----------------------------------------------------------------------------------

namespace {

constexpr std::size_t listed = 5;  // maximum number of predictions, and of nodes that leave many fragments

std::string milliseconds(double seconds) {
  std::ostringstream out;
  out << std::setprecision(3) << 1e3 * seconds << " ms";
  return out.str();
}

std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void explain_algorithm(std::ostream& out, const Schedule& schedule, const AlgorithmChoice& algorithm,
                       const std::string& machine_source) {
  if (schedule.name().starts_with("collect:")) {
    out << "auto chose it: each image goes straight to the root, as all images together have no more active "
           "pixels than the frame, or are in the memory of one GPU.\n";
    return;
  }
  const std::vector<Prediction>& all = algorithm.predictions();
  if (all.empty()) {
    out << "The algorithm was asked for by name.\n";
    return;
  }
  out << "auto chose it from " << all.size() << " on figures from " << machine_source << ", taking "
      << std::setprecision(3) << 100 * algorithm.active() << " % of the pixels as active:";
  for (std::size_t i = 0; i < all.size() && i < listed; ++i)
    out << (i == 0 ? " " : ", ") << all[i].name << " " << milliseconds(all[i].total());
  if (all.size() > listed) out << ", ... " << all.back().name << " " << milliseconds(all.back().total());
  const Prediction& best = all.front();
  out << " (the first: " << milliseconds(best.transfer) << " of transfers, " << milliseconds(best.blend)
      << " of blending, " << milliseconds(best.copy) << " of copies).\n";
}

void explain_nodes(std::ostream& out, const Setting& setting) {
  if (setting.nodes.empty()) {
    out << "Every rank is a node of its own.\n";
    return;
  }
  const std::vector<std::int32_t> runs = depth_runs(setting);
  const auto scattered = std::count_if(runs.begin(), runs.end(), [](std::int32_t n) { return n > 1; });
  out << counted(setting.p, "rank") << " on " << counted(static_cast<std::int64_t>(runs.size()), "node");
  if (scattered == 0) {
    out << "; the ranks of each are neighbours in depth, so each leaves 1 fragment for the network.\n";
    return;
  }
  out << "; ranks of a node that are not neighbours in depth leave a fragment for each depth run:";
  std::size_t named = 0;
  for (std::size_t node = 0; node < runs.size() && named < listed; ++node) {
    if (runs[node] < 2) continue;
    out << (named++ == 0 ? " " : ", ") << "node " << node << " leaves " << runs[node];
  }
  if (static_cast<std::size_t>(scattered) > named)
    out << ", and " << scattered - static_cast<std::ptrdiff_t>(named) << " more nodes leave several";
  out << ".\n";
}

void explain_layout(std::ostream& out, const Interleaving& interleaving) {
  if (interleaving.none()) return;
  out << "The image was dealt out in blocks of " << interleaving.block() << " pixels.\n";
}

void explain_traffic(std::ostream& out, const Traffic& traffic, const Timing& timing) {
  if (traffic.direct + traffic.pulled > 0)
    out << "This rank read " << counted(traffic.direct, "image") << " of its node where they lie and "
        << traffic.pulled << " through the kernel (images from allocate() need not be).\n";
  out << "It sent " << counted(traffic.dense, "dense chunk") << ", " << traffic.sparse
      << " without empty pixels, " << traffic.absent << " of ranks without an image: " << timing.bytes_sent
      << " bytes.\n";
}

}  // namespace

std::string explain(const Schedule& schedule, const Format& format, const AlgorithmChoice& algorithm,
                    const std::string& machine_source, const Interleaving& interleaving,
                    const Traffic& traffic, const Timing& timing) {
  std::ostringstream out;
  out << schedule.name() << " composited " << schedule.n() << " pixels of " << format_name(format) << " in "
      << counted(schedule.stages(), "stage") << ".\n";
  explain_algorithm(out, schedule, algorithm, machine_source);
  explain_layout(out, interleaving);
  explain_nodes(out, schedule.setting());
  explain_traffic(out, traffic, timing);
  return out.str();
}

}  // namespace sortlast
