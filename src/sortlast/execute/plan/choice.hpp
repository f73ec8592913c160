// Choice: the algorithm and the layout of a frame, and a textual explanation of the choice.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/image.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/interleaving.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

// The algorithm of a frame: a fixed one, or for "auto" the one with the smallest predicted time.
class AlgorithmChoice {
 public:
  // `algorithm` as in Options.
  AlgorithmChoice(std::string algorithm, const Machine& machine)
      : algorithm_(std::move(algorithm)), machine_(machine) {}

  // Name of the algorithm for a setting and format of which a share `active` (a power of 2) of the pixels is
  // active. The same on every rank, if the arguments are. Predicting takes milliseconds, so a choice is kept
  // while only the order of the images changes, unless it changes how many fragments the nodes leave.
  const std::string& name(const Setting& setting, const Format& format, double active);

  // Choose again in the next call, so that the choice depends on its arguments alone.
  void forget() { made_for_.n = -1; }

  // Whether name() depends on `active`.
  bool chooses() const { return algorithm_ == "auto"; }
  // The predictions behind the last choice, fastest first; empty for a fixed algorithm.
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

// How the n pixels of a frame are divided among p ranks: in contiguous pieces, or in interleaved blocks,
// which give each rank the same amount of work wherever the images are empty. Automatic: blocks if the ranks
// are on several nodes, the tiles will be gathered, and every image is empty in at least half of its pixels.
//
// This is a rule, not a prediction: blocks cost at most a copy of the bytes sent, and are worth it as soon as
// the drawn pixels are unevenly spread over the rows, which they usually are in images with many empty
// pixels.
enum class FrameLayout : std::uint8_t { automatic, contiguous, interleaved };

// Traffic of one rank in one frame.
struct Traffic {
  std::int64_t direct = 0;  // images of its node that it read in place
  std::int64_t pulled = 0;  // images of its node that it read through the kernel
  std::int64_t dense = 0;   // chunks that it sent with all pixels
  std::int64_t sparse = 0;  // chunks that it sent with active pixels only
  std::int64_t absent = 0;  // chunks for ranks without an image
};

// A few lines, each a sentence; they include the fastest rejected algorithms with their predicted times.
std::string explain(const Schedule& schedule, const Format& format, const AlgorithmChoice& algorithm,
                    const std::string& machine_source, const Interleaving& interleaving,
                    const Traffic& traffic, const Timing& timing);

}  // namespace sortlast
