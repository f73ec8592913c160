// Sharing: how a frame's image is shared out to the ranks, and why so.
#include "sortlast/execute/plan/partition.hpp"

namespace sortlast {
namespace {

// A rectangle says only roughly where pixels are active, so that less is not unevenness.
constexpr double least_unevenness = 1.1;

}  // namespace

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
