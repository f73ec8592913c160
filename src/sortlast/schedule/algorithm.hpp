// Algorithm: the interface of algorithms, and helpers for writing one.
//
// To add an algorithm, write one file in algorithms/ and add one line to the list in registry.cpp. The
// property tests, the command line and every interface find it there.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/schedule.hpp"

namespace sortlast {

// An algorithm for one setting, which must outlive it.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual Program program(std::int32_t rank) const = 0;
  // The finished pixels of a rank: the pixels of program(rank).result, computed without making the program.
  virtual Range piece(std::int32_t rank) const = 0;
  virtual std::int32_t stages() const = 0;
  // Maximum number of stages that one rank has in progress at once; 0: no limit.
  virtual std::int32_t window() const { return 0; }
  // See Schedule::incremental().
  virtual bool incremental() const { return false; }
};

// The closed form of an algorithm's cost, as published: alpha times messages (or rounds, see Latency in
// cost.hpp) plus beta n times `sent` plus gamma n times `blended`.
struct CostTerms {
  double messages = 0;
  double rounds = 0;
  double sent = 0;
  double blended = 0;
};

// The entry of an algorithm in the registry.
struct AlgorithmDefinition : AlgorithmEntry {
  // `parameters` is the text after the colon (empty if there is none). The function completes it with the
  // defaults that it chose. Throws ArgumentError.
  std::function<std::unique_ptr<Algorithm>(const Setting&, std::string& parameters)> make;
  std::function<CostTerms(std::int32_t p, const std::string& parameters)> terms;
  bool registered = false;  // by register_algorithm(): schedules are verified when they are made
};

std::span<const AlgorithmDefinition> definitions();

// The algorithms of register_algorithm(). Several copies of the library in one process, such as Python's
// extension modules, can share one list: all but one call share_registered() with the list of that one.
class RegisteredAlgorithms;
RegisteredAlgorithms& registered_algorithms();
void share_registered(RegisteredAlgorithms& list);

// nullptr: there is none of this name.
const AlgorithmDefinition* find_registered(std::string_view name);
std::vector<std::string> registered_names();  // sorted

// The parts of an algorithm's full name: its definition and the text after the colon. Throws ArgumentError
// with a list of the valid names.
struct AlgorithmName {
  const AlgorithmDefinition& definition;
  std::string parameters;
};
AlgorithmName parse_algorithm(std::string_view name);

// For algorithms without parameters: throws ArgumentError unless `parameters` is empty.
void refuse_parameters(std::string_view name, const std::string& parameters);

// Default factors of p for radix-k, in order of rounds: the largest divisor up to 8 first; a prime factor
// above 8 gets its own round. Empty for p = 1.
std::vector<std::int64_t> default_radices(std::int64_t p);

// Parse the text after the colon of "two-level:NAME"; the default is direct-send. Throws ArgumentError.
AlgorithmName inner_algorithm(const std::string& parameters);

// Permutations of ranks; an empty vector means the identity. check_permutation() throws ArgumentError unless
// `ranks` is empty or lists each of 0..p-1 once; `what` names it in the message.
void check_permutation(const std::vector<std::int32_t>& ranks, std::int32_t p, std::string_view what);
std::vector<std::int32_t> inverse(const std::vector<std::int32_t>& permutation);

inline std::int32_t at(const std::vector<std::int32_t>& permutation, std::int64_t index) {
  return permutation.empty() ? static_cast<std::int32_t>(index)
                             : permutation[static_cast<std::size_t>(index)];
}

// A fragment that will become available: its value and its depth range.
struct Arrival {
  Value value = 0;
  Range depth;
};

// Append to `program` the merges that turn `arrivals` (in their expected order) into the part `pixels` of
// `target`, together with intermediate values. `circle` is p if depth positions are counted modulo p
// (operators that commute), otherwise 0. The depth ranges of the arrivals must tile one range. O(k log k) for
// k arrivals.
void append_merges(Program& program, Value target, Range pixels, const std::vector<Arrival>& arrivals,
                   std::int64_t circle);

// Same with merges in pairs, for at least two arrivals: the two halves in depth order are merged, each
// computed recursively. Every merge can run as soon as its two inputs exist, whatever the order of arrivals,
// and each arrival takes part in at most log2(k) merges, rounded up. Depth positions are not counted modulo
// p.
void append_pairs(Program& program, Value target, Range pixels, std::vector<Arrival> arrivals);

// The members of `range`: `centre` first, then by distance from it, alternating between both sides. In this
// order a rank at `centre` expects its neighbours in depth, so that one chain joins them all.
std::vector<std::int64_t> nearest_first(Range range, std::int64_t centre);

}  // namespace sortlast
