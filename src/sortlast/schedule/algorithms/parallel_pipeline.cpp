// Parallel pipeline: p - 1 stages on a ring; a piece collects one image at every rank that it passes.
//
// Source: Lee, Raghavendra, Nicholas, 1996; section 2.2.4 of the shift paper. In stage s, rank i sends piece
// i - s (mod p), which holds the images of the last s ranks including its own, to rank i + 1.
//
// The ring is in depth order. If the operator does not commute, a piece that has passed rank p - 1 cannot
// merge the images before that point with the later ones until the end. From there on its messages carry two
// runs, the images behind ([j+1, p)) and the images in front ([0, i+1)), and the piece's owner joins them.
// Such a pipeline therefore sends up to twice n (p-1)/p, which the papers do not mention.
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

class ParallelPipeline final : public Algorithm {
 public:
  explicit ParallelPipeline(const Setting& setting)
      : p_(setting.p),
        n_(setting.n),
        commutes_(setting.commutes),
        ring_(setting.commutes ? setting.ring : setting.order),
        place_(inverse(ring_)) {}

  Program program(std::int32_t rank) const override;
  Range piece(std::int32_t rank) const override { return piece_of(n_, p_, at(place_, rank)); }
  std::int32_t stages() const override { return static_cast<std::int32_t>(p_) - 1; }
  std::int32_t window() const override { return 2; }

 private:
  // The runs of images that piece j holds after it has passed ranks j+1 ... i, from front to back.
  std::vector<Range> runs(std::int64_t j, std::int64_t i) const {
    const std::int64_t first = (j + 1) % p_;
    if (first <= i) return {{first, i + 1}};
    if (commutes_) return {{first, i + 1 + p_}};
    return {{0, i + 1}, {first, p_}};
  }

  std::int64_t p_;
  std::int64_t n_;
  bool commutes_;
  const std::vector<std::int32_t>& ring_;  // place in the ring -> rank
  std::vector<std::int32_t> place_;        // rank -> place in the ring
};

Program ParallelPipeline::program(std::int32_t rank) const {
  Program program;
  program.rank = rank;
  const std::int64_t i = at(place_, rank);
  const std::int64_t before = (i - 1 + p_) % p_;
  const std::int32_t next = at(ring_, (i + 1) % p_);
  const std::int64_t circle = commutes_ ? p_ : 0;
  program.values.push_back({{0, n_}, {i, i + 1}});

  std::vector<Arrival> held{{0, {i, i + 1}}};  // runs of the piece to be sent next, front to back
  for (std::int64_t s = 1; s < p_; ++s) {
    const auto stage = static_cast<std::int32_t>(s);

    // Send the piece accumulated so far.
    const Range sent = piece_of(n_, p_, (i - s + p_) % p_);
    if (!sent.empty()) {
      for (const Arrival& run : held) program.sends.push_back({stage, next, run.value, sent});
    }

    // Receive the next one.
    const std::int64_t j = (i - s - 1 + 2 * p_) % p_;
    const Range pixels = piece_of(n_, p_, j);
    if (pixels.empty()) continue;
    std::vector<Arrival> arrivals{{0, {i, i + 1}}};
    for (const Range run : runs(j, before)) {
      const auto value = static_cast<Value>(program.values.size());
      program.values.push_back({pixels, run});
      program.receives.push_back({stage, at(ring_, before), value});
      arrivals.push_back({value, run});
    }

    // Add this rank's image to the run that ends here; at the owner, join all runs.
    std::vector<Range> wanted = s == p_ - 1 ? std::vector<Range>{{0, p_}} : runs(j, i);
    held.clear();
    for (const Range run : wanted) {
      std::vector<Arrival> parts;
      for (const Arrival& arrival : arrivals) {
        if (s == p_ - 1 || commutes_ || run.contains(arrival.depth)) parts.push_back(arrival);
      }
      if (parts.size() == 1) {
        held.push_back(parts.front());
        continue;
      }
      const auto value = static_cast<Value>(program.values.size());
      program.values.push_back({pixels, run});
      append_merges(program, value, pixels, parts, circle);
      held.push_back({value, run});
    }
  }
  program.result = piece(rank).empty() ? -1 : held.front().value;
  return program;
}

}  // namespace

AlgorithmDefinition parallel_pipeline() {
  return {{"parallel-pipeline", "parallel-pipeline",
           "Pieces travel round a ring in depth order and gather one image at every rank.", "alpha (p-1)",
           "beta n (p-1)/p", "no"},
          [](const Setting& setting, std::string& parameters) -> std::unique_ptr<Algorithm> {
            refuse_parameters("parallel-pipeline", parameters);
            return std::make_unique<ParallelPipeline>(setting);
          },
          [](std::int32_t p, const std::string&) {
            return CostTerms{p - 1.0, p - 1.0, (p - 1.0) / p, (p - 1.0) / p};
          }};
}

}  // namespace sortlast
