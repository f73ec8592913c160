// Choice of an algorithm: what each would take on a machine, and which is fastest.
//
// Sources: the alpha-beta-gamma model of both papers (cost.hpp), taken further where it fails on real nodes:
// ranks of a node share its link and its cores, messages within a node cost copies and not latency, and
// blending reads every input once and writes every output once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sortlast/machine.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

struct Workload {
  double pixel_bytes = 16;
  double active = 1;    // share of an image's pixels that are active, in (0, 1]; 1: dense
  bool staged = false;  // images must be copied before the other ranks of a node can read them
};

// Seconds of one frame on the node that takes longest, without the gathering of its tiles.
struct Prediction {
  std::string name;     // full, with all parameters
  double transfer = 0;  // waiting for messages, and moving those within nodes
  double blend = 0;     // what no transfer hides
  double copy = 0;      // of images to where others can read them

  double total() const { return transfer + blend + copy; }
};

// Throws ArgumentError: pixel_bytes not positive, active not above 0 and up to 1.
void check_workload(const Workload& workload);

// All algorithms with the parameters that may be worth it: variants of binary swap, up to 24 k vectors,
// and, where ranks share nodes, two-level with each of them.
std::vector<std::string> candidate_algorithms(const Setting& setting);

// Predict one schedule. Up to p = 256 this walks the programs of up to 16 ranks each of two nodes, the
// frontmost image's and the largest; beyond, it takes the closed forms of cost.hpp.
//
// Where the setting gives nodes, their ranks are taken to read each other's own images in place (sends of
// value 0 move no bytes); where it does not, Machine::ranks neighbours share a node, by message.
Prediction predict(const Schedule& schedule, const Workload& workload, const Machine& machine);

// Predict the candidates (all of candidate_algorithms() if there are none), fastest first; of those that take
// the same to the nanosecond, the first in the list. Depends on the arguments alone, so that ranks agree if
// they do. Throws ArgumentError: a setting, workload or machine that does not pass its check, an
// unknown candidate.
std::vector<Prediction> choose(const Setting& setting, const Workload& workload, const Machine& machine,
                               std::vector<std::string> candidates = {});

}  // namespace sortlast
