// BoxCosts.
//
// With B bytes of images, of which a rank has at most B_max and the root B_0, and F bytes of the frame, the
// messages of p ranks with a link each carry (p-1)/p of B_max away from a rank, or of B/p to it, and (p-1)/p
// of F to the root; or B - B_0 to the root alone. Pieces are copied into messages, images that are collected
// are not. Every byte is blended once: by all ranks, or by the root. Ranks of one machine share its memory
// and cores: there all the work counts, over the cores that there are for it.
#include "sortlast/execute/layers/box_costs.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sortlast {
namespace {

// Bytes of the images of each rank.
std::vector<double> image_bytes(const BoxTable& table, const Format& format, std::int32_t p) {
  std::vector<double> bytes(static_cast<std::size_t>(p), 0);
  for (std::size_t place = 0; place < table.size(); ++place) {
    const PlacedBox& placed = table.at(static_cast<BoxTable::Place>(place));
    const std::int64_t pixels = (placed.box.x1 - placed.box.x0) * (placed.box.y1 - placed.box.y0);
    bytes[static_cast<std::size_t>(placed.rank)] +=
        static_cast<double>(pixels) * static_cast<double>(format.pixel_bytes());
  }
  return bytes;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

BoxCosts box_costs(const BoxTable& table, const Format& format, std::span<const std::uint64_t> sent,
                   const BoxPlaces& places, const Machine& machine) {
  const double p = places.p;
  const double others = (p - 1) / p;
  const bool one_machine = places.shared_cores > 0;
  const double beta = one_machine ? machine.node_beta : machine.beta;
  const double alpha = one_machine ? machine.node_alpha : machine.alpha;
  const double blend = machine.gamma_read + machine.gamma_write;
  const double frame =
      static_cast<double>(table.frame().pixels()) * static_cast<double>(format.pixel_bytes());

  const std::vector<double> bytes = image_bytes(table, format, places.p);
  const double away = sum(bytes) - bytes[static_cast<std::size_t>(places.root)];
  BoxCosts costs;
  costs.collected = alpha * (p - 1) + beta * away + blend * sum(bytes);

  const std::vector<double> packed(sent.begin(), sent.end());
  const double all = sum(packed);
  const double most = *std::max_element(packed.begin(), packed.end());
  costs.pieces = 2 * alpha * (p - 1) + beta * others * frame;
  if (one_machine) {
    const double at_once = std::min(p, static_cast<double>(places.shared_cores));
    costs.pieces += ((machine.copy + beta) * others * all + blend * all) / at_once;
  } else {
    costs.pieces += beta * others * std::max(most, all / p) + machine.copy * others * most + blend * all / p;
  }
  return costs;
}

}  // namespace sortlast
