// Machine: measured figures of a machine, the times predicted from them, and the choice of an algorithm.
//
// Sources: the alpha-beta-gamma model of both papers (cost.hpp), extended where it fails on real nodes: the
// ranks of a node share its link and its cores, messages within a node cost copies instead of latency, and
// blending reads every input once and writes every output once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Times apply to one rank with a core of its own; predict() accounts for sharing. The defaults are used by
// "auto" without a profile: a network of 100 Gbit/s between nodes and, within a node, times measured on two
// cores of a 2023 server with images that do not fit into the caches.
struct Machine {
  double alpha = 2e-6;         // latency of a message between nodes [s]
  double beta = 1e-10;         // time per byte between nodes, on the link that a node's ranks share [s]
  double node_alpha = 2e-6;    // latency of a message within a node [s]
  double node_beta = 1.2e-10;  // time per byte within a node, by message [s]
  double gamma_read = 3e-11;   // time to read a byte in blending [s]
  double gamma_write = 3e-11;  // time to write a byte in blending [s]
  double copy = 1e-10;         // time to copy a byte [s]
  std::int32_t cores = 0;      // cores of a node for its ranks; 0: one per rank
  std::int32_t ranks = 1;      // ranks of a node, if the setting does not give the node of each rank

  bool operator==(const Machine&) const = default;
};

// Throws ArgumentError: a time that is negative or not finite, cores < 0, ranks < 1.
SORTLAST_API void check_machine(const Machine& machine);

// A profile is a JSON object with each of the members above, once, by name: {"alpha": 2e-06, ...}. Reading it
// back gives exactly the same numbers. It may also record where it was measured: "measured_on", which is the
// machine_name() of tune.hpp, and, for readers, the objects "provenance" and "settings" with strings,
// numbers, true, false and null.
SORTLAST_API std::string to_json(const Machine& machine);

// `source` names the text in error messages. Throws ArgumentError with the line and the member: the text is
// not such an object, or a member is unknown, missing, repeated, negative or (cores, ranks) not an integer.
SORTLAST_API Machine machine_from_json(std::string_view text, std::string_view source);

// Read and write a profile as a file. Throw ArgumentError if the file cannot be read or written.
SORTLAST_API Machine load_machine(const std::string& path);
SORTLAST_API void save_machine(const Machine& machine, const std::string& path);

struct Workload {
  double pixel_bytes = 16;
  double active = 1;    // share of active pixels in an image, in (0, 1]; 1: dense
  bool staged = false;  // images must be copied before the other ranks of a node can read them
  double spread = 0;    // time from the arrival of the first rank to the last [s]
};

// Seconds of one frame on the slowest node, from the arrival of the last rank, without gathering the tiles.
struct Prediction {
  std::string name;     // full name, with all parameters
  double transfer = 0;  // waiting for messages, and moving data within nodes
  double blend = 0;     // blending that no transfer hides
  double copy = 0;      // copying images to memory that others can read

  double total() const { return transfer + blend + copy; }
};

// Throws ArgumentError: pixel_bytes not positive, active outside (0, 1], spread negative or not finite.
SORTLAST_API void check_workload(const Workload& workload);

// All algorithms with the parameters that may be worth using: variants of binary swap, up to 24 k vectors
// and, if ranks share nodes, two-level with each of them. Algorithms for ranks that arrive one after the
// other are not included: choose() adds direct-send:pairs if the workload has a spread.
SORTLAST_API std::vector<std::string> candidate_algorithms(const Setting& setting);

// Predict the time of one schedule. Up to p = 256 this walks the programs of up to 16 ranks on each of two
// nodes, the node of the frontmost image and the largest node; for larger p it uses the closed forms of
// cost.hpp.
//
// If the setting gives nodes, the ranks of a node are assumed to read each other's own images in place (sends
// of value 0 move no bytes). Otherwise, groups of Machine::ranks consecutive ranks share a node and exchange
// messages.
//
// An incremental schedule (Schedule::incremental()) proceeds while ranks arrive. After the last rank has
// arrived, at least its image remains to be processed: a share of 2/p of the transfers, its merges, and its
// own piece of the image.
SORTLAST_API Prediction predict(const Schedule& schedule, const Workload& workload, const Machine& machine);

// Predict the candidates (if empty: candidate_algorithms()), fastest first. Candidates with times equal to
// the nanosecond keep their order in the list. The result depends only on the arguments, so ranks with equal
// arguments agree. Throws ArgumentError: a setting, workload or machine that fails its check, an unknown
// candidate.
SORTLAST_API std::vector<Prediction> choose(const Setting& setting, const Workload& workload,
                                            const Machine& machine, std::vector<std::string> candidates = {});

}  // namespace sortlast
