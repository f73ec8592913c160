// Selection: the algorithm of a frame. A fixed one, or for "auto" the one that is predicted to be fastest.
#pragma once

#include <string>
#include <vector>

#include "sortlast/image.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

class Selection {
 public:
  // `algorithm` as in Options.
  Selection(std::string algorithm, const Machine& machine)
      : algorithm_(std::move(algorithm)), machine_(machine) {}

  // Name of the algorithm for a setting and format of which the share `active` (a power of 2) of the pixels
  // is active. The same on every rank, if the arguments are. Predicting costs milliseconds, so a choice is
  // kept while only the order of the images changes, unless it changes how many fragments the nodes leave.
  const std::string& name(const Setting& setting, const Format& format, double active);

  // Whether name() depends on `active`.
  bool chooses() const { return algorithm_ == "auto"; }
  const Machine& machine() const { return machine_; }
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

}  // namespace sortlast
