// Choice: the algorithm and the partition of a frame, and why they were chosen, in words.
#include "sortlast/execute/plan/choice.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include "sortlast/image/active.hpp"
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

// ---- The partition --------------------------------------------------------------------------------

namespace {

// A rectangle says only roughly where pixels are active, so that less is not unevenness.
constexpr double least_unevenness = 1.1;

constexpr auto bands = static_cast<std::int64_t>(std::tuple_size_v<Coverage>);

}  // namespace

Coverage coverage_of(const std::optional<Rectangle>& bounds, Size size, double active, std::int32_t p) {
  const Rectangle box = bounds.value_or(Rectangle{0, 0, size.width, size.height});
  const std::uint32_t full = std::numeric_limits<std::uint32_t>::max() / static_cast<std::uint32_t>(p);
  Coverage coverage{};
  for (std::int64_t band = 0; band < bands; ++band) {
    const Range all = piece_of(size.height, bands, band);
    const Range rows = intersection(all, {box.y0, box.y1});
    const auto pixels = static_cast<double>(rows.size() * (box.x1 - box.x0)) * active;
    if (pixels <= 0) continue;
    const double share = pixels / static_cast<double>(all.size() * size.width);
    coverage[static_cast<std::size_t>(band)] =
        std::clamp<std::uint32_t>(static_cast<std::uint32_t>(share * full), 1, full);
  }
  return coverage;
}

double unevenness_of(const Coverage& all, std::int32_t p) {
  const auto total = static_cast<double>(std::accumulate(all.begin(), all.end(), std::uint64_t{0}));
  if (total == 0) return 1;

  // In units of 1 / (p bands) of the image both pieces and bands are whole.
  double most = 0;
  for (std::int64_t piece = 0; piece < p; ++piece) {
    double load = 0;
    const Range pixels{piece * bands, (piece + 1) * bands};
    for (std::int64_t band = pixels.begin / p; band * p < pixels.end; ++band) {
      const Range part = intersection(pixels, {band * p, (band + 1) * p});
      load += static_cast<double>(all[static_cast<std::size_t>(band)]) * static_cast<double>(part.size()) / p;
    }
    most = std::max(most, load);
  }
  return most * p / total;
}

PartitionChoice choose_partition(Partition partition, std::int64_t n, std::int32_t p,
                                 const Coverage* coverage, const Machine& machine) {
  PartitionChoice choice;
  bool interleaved = partition == Partition::interleaved;
  if (partition == Partition::automatic && coverage != nullptr) {
    choice.unevenness = unevenness_of(*coverage, p);
    interleaved = interleaving_pays(choice.unevenness, machine);
  }
  if (interleaved && n <= most_counted) choice.interleaving = Interleaving(n, p);
  return choice;
}

bool interleaving_pays(double unevenness, const Machine& machine) {
  return unevenness > least_unevenness && (unevenness - 1) * machine.beta > machine.copy;
}

// ---- In words -------------------------------------------------------------------------------------

namespace {

constexpr std::size_t listed = 5;  // predictions, and nodes that leave many fragments

std::string milliseconds(double seconds) {
  std::ostringstream out;
  out << std::setprecision(3) << 1e3 * seconds << " ms";
  return out.str();
}

std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void explain_algorithm(std::ostream& out, const AlgorithmChoice& algorithm,
                       const std::string& machine_source) {
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

void explain_partition(std::ostream& out, const PartitionChoice& partition) {
  if (partition.unevenness > 0)
    out << "Of what the images hold, the fullest of contiguous pieces would have " << std::setprecision(3)
        << partition.unevenness << " times the mean.\n";
  if (!partition.interleaving.none())
    out << "The image was dealt out in blocks of " << partition.interleaving.block() << " pixels.\n";
  else if (partition.unevenness > 0)
    out << "The pieces are contiguous, as to deal the image out in blocks would not pay.\n";
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
                    const std::string& machine_source, const PartitionChoice& partition,
                    const Traffic& traffic, const Timing& timing) {
  std::ostringstream out;
  out << schedule.name() << " composited " << schedule.n() << " pixels of " << format_name(format) << " in "
      << counted(schedule.stages(), "stage") << ".\n";
  explain_algorithm(out, algorithm, machine_source);
  explain_partition(out, partition);
  explain_nodes(out, schedule.setting());
  explain_traffic(out, traffic, timing);
  return out.str();
}

}  // namespace sortlast
