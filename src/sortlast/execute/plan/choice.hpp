// Choice: the algorithm and the partition of a frame, and why they were chosen, in words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/image.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/interleaving.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

// The algorithm of a frame: a fixed one, or for "auto" the one that is predicted to be fastest.
class AlgorithmChoice {
 public:
  // `algorithm` as in Options.
  AlgorithmChoice(std::string algorithm, const Machine& machine)
      : algorithm_(std::move(algorithm)), machine_(machine) {}

  // Name of the algorithm for a setting and format of which the share `active` (a power of 2) of the pixels
  // is active. The same on every rank, if the arguments are. Predicting costs milliseconds, so a choice is
  // kept while only the order of the images changes, unless it changes how many fragments the nodes leave.
  const std::string& name(const Setting& setting, const Format& format, double active);

  // Choose anew in the next call, so that what is chosen depends on its arguments alone.
  void forget() { made_for_.n = -1; }

  // Whether name() depends on `active`.
  bool chooses() const { return algorithm_ == "auto"; }
  // What the last choice was made from, fastest first; empty for a fixed algorithm.
  const std::vector<Prediction>& predictions() const { return predictions_; }
  double active() const { return made_for_.active; }

 private:
  struct Key {
    std::int64_t n = -1;
    bool commutes = false;
    Format format;
    double active = 1;
    std::int64_t fragments = 0;

    bool operator==(const Key&) const = default;
  };

  std::string algorithm_;
  Machine machine_;
  Key made_for_;
  std::vector<Prediction> predictions_;
};

// Active pixels in each band of the image's rows, all bands as high as each other, in a unit that leaves room
// for the sum of p images: a full band has the most that each of p may have.
using Coverage = std::array<std::uint32_t, 8>;

// Of one of p images: `active` is the share of active pixels inside the rectangle (none: in the image).
Coverage coverage_of(const std::optional<Rectangle>& bounds, Size size, double active, std::int32_t p);

// By how much the one of p contiguous pieces of the image that holds most active pixels passes their mean: 1
// or more, and 1 if there are none.
double unevenness_of(const Coverage& all, std::int32_t p);

// How a frame's image is partitioned among the ranks, from where in it all of them have drawn.
struct PartitionChoice {
  Interleaving interleaving = {};
  double unevenness = 0;  // of contiguous pieces, from which an automatic partition was chosen; 0: none was
};

// Of n pixels to p ranks. `coverage` is that of all ranks; null: nothing is chosen, and what is automatic
// is contiguous. The same on every rank, if the arguments are.
PartitionChoice choose_partition(Partition partition, std::int64_t n, std::int32_t p,
                                 const Coverage* coverage, const Machine& machine);

// Whether an interleaving saves time where ranks talk over a network. The most loaded rank receives
// `unevenness` times the mean of bytes without it, and the mean with it; what it costs is a copy of each byte
// that is sent, at most, as the pixels of a message lie apart then.
bool interleaving_pays(double unevenness, const Machine& machine);

// What one rank did in one frame.
struct Traffic {
  std::int64_t direct = 0;  // images of its node that it read where they lie
  std::int64_t pulled = 0;  // and through the kernel
  std::int64_t dense = 0;   // chunks that it sent with all pixels
  std::int64_t sparse = 0;  // with active pixels alone
  std::int64_t absent = 0;  // for ranks without an image
};

// Some lines, each a sentence; the fastest rejected algorithms with their predicted times are among them.
std::string explain(const Schedule& schedule, const Format& format, const AlgorithmChoice& algorithm,
                    const std::string& machine_source, const PartitionChoice& partition,
                    const Traffic& traffic, const Timing& timing);

}  // namespace sortlast
