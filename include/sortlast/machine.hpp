// Machine: the measured figures of a communicator's machine, the times that are predicted from them, and the
// choice of an algorithm.
//
// Sources: the alpha-beta-gamma model of both papers (cost.hpp), taken further where it fails on real nodes:
// ranks of a node share its link and its cores, messages within a node cost copies and not latency, and
// blending reads every input once and writes every output once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Times are of one rank that has a core to itself; predict() says how ranks share. The defaults are those of
// "auto" without a profile: a network of 100 Gbit/s between nodes, and in a node what was measured on two
// cores of a server of 2023 with images that do not fit the caches.
struct Machine {
  double alpha = 2e-6;         // latency of a message between nodes [s]
  double beta = 1e-10;         // a byte between nodes, on the link that a node's ranks share [s]
  double node_alpha = 2e-6;    // latency of a message within a node [s]
  double node_beta = 1.2e-10;  // a byte within a node, by message [s]
  double gamma_read = 3e-11;   // to read a byte in blending [s]
  double gamma_write = 3e-11;  // to write a byte in blending [s]
  double copy = 1e-10;         // to copy a byte [s]
  std::int32_t cores = 0;      // cores of a node for its ranks; 0: one for each
  std::int32_t ranks = 1;      // ranks of a node, where the setting does not say on which node each one is

  bool operator==(const Machine&) const = default;
};

// Throws ArgumentError: a time that is negative or not finite, cores < 0, ranks < 1.
SORTLAST_API void check_machine(const Machine& machine);

// A profile is one JSON object with each of the members above, by name, once: {"alpha": 2e-06, ...}.
// Numbers come back exactly. It may also tell where it was measured: "measured_on", the machine_name() of
// tune.hpp, and for people the objects "provenance" and "settings", of texts, numbers, true, false and null.
SORTLAST_API std::string to_json(const Machine& machine);

// `source` names the text in messages. Throws ArgumentError, with the line and the member: not such an
// object, a member that is not known, missing, twice, negative or (cores, ranks) not whole.
SORTLAST_API Machine machine_from_json(std::string_view text, std::string_view source);

// The same with a file. Throw ArgumentError if it cannot be read or written.
SORTLAST_API Machine load_machine(const std::string& path);
SORTLAST_API void save_machine(const Machine& machine, const std::string& path);

struct Workload {
  double pixel_bytes = 16;
  double active = 1;    // share of an image's pixels that are active, in (0, 1]; 1: dense
  bool staged = false;  // images must be copied before the other ranks of a node can read them
  double spread = 0;    // from the first rank's coming to the last one's [s]
};

// Seconds of one frame on the node that takes longest, from the coming of the last rank, without the
// gathering of its tiles.
struct Prediction {
  std::string name;     // full, with all parameters
  double transfer = 0;  // waiting for messages, and moving those within nodes
  double blend = 0;     // what no transfer hides
  double copy = 0;      // of images to where others can read them

  double total() const { return transfer + blend + copy; }
};

// Throws ArgumentError: pixel_bytes not positive, active not above 0 and up to 1, spread negative or not
// finite.
SORTLAST_API void check_workload(const Workload& workload);

// All algorithms with the parameters that may be worth it: variants of binary swap, up to 24 k vectors,
// and, where ranks share nodes, two-level with each of them. None that is for ranks that come one after the
// other: choose() adds direct-send:pairs where the workload has a spread.
SORTLAST_API std::vector<std::string> candidate_algorithms(const Setting& setting);

// Predict one schedule. Up to p = 256 this walks the programs of up to 16 ranks each of two nodes, the
// frontmost image's and the largest; beyond, it takes the closed forms of cost.hpp.
//
// Where the setting gives nodes, their ranks are taken to read each other's own images in place (sends of
// value 0 move no bytes); where it does not, Machine::ranks neighbours share a node, by message.
//
// An incremental schedule (Schedule::incremental()) goes on while ranks come, and has at least the last one's
// image to do behind it: its share of 2/p of the transfers, its merges, and its own piece of the image.
SORTLAST_API Prediction predict(const Schedule& schedule, const Workload& workload, const Machine& machine);

// Predict the candidates (all of candidate_algorithms() if there are none), fastest first; of those that take
// the same to the nanosecond, the first in the list. Depends on the arguments alone, so that ranks agree if
// they do. Throws ArgumentError: a setting, workload or machine that does not pass its check, an
// unknown candidate.
SORTLAST_API std::vector<Prediction> choose(const Setting& setting, const Workload& workload,
                                            const Machine& machine, std::vector<std::string> candidates = {});

}  // namespace sortlast
