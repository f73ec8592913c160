// Partition.
#include "sortlast/execute/plan/partition.hpp"

#include <algorithm>
#include <numeric>

#include "sortlast/image/active.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {
namespace {

// A rectangle says only roughly where pixels are active, so that less is not unevenness.
constexpr double least_unevenness = 1.1;

constexpr auto bands = static_cast<std::int64_t>(std::tuple_size_v<Coverage>);

}  // namespace

Coverage coverage_of(const std::optional<Rectangle>& bounds, Size size, double active) {
  const Rectangle box = bounds.value_or(Rectangle{0, 0, size.width, size.height});
  Coverage coverage{};
  for (std::int64_t band = 0; band < bands; ++band) {
    const Range rows = intersection(piece_of(size.height, bands, band), {box.y0, box.y1});
    const auto pixels = static_cast<double>(rows.size() * (box.x1 - box.x0));
    coverage[static_cast<std::size_t>(band)] = static_cast<std::uint64_t>(pixels * active);
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

Sharing share_out(Partition partition, std::int64_t n, std::int32_t p, const Coverage* coverage,
                  const Machine& machine) {
  Sharing sharing;
  bool interleaved = partition == Partition::interleaved;
  if (partition == Partition::automatic && coverage != nullptr) {
    sharing.unevenness = unevenness_of(*coverage, p);
    interleaved = interleaving_pays(sharing.unevenness, machine);
  }
  if (interleaved && n <= most_counted) sharing.interleaving = Interleaving(n, p);
  return sharing;
}

bool interleaving_pays(double unevenness, const Machine& machine) {
  return unevenness > least_unevenness && (unevenness - 1) * machine.beta > machine.copy;
}

}  // namespace sortlast
