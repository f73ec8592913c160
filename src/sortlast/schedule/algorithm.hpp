// Algorithm: what one is, and what its file is written with.
//
// To add an algorithm, write one file in algorithms/ and add one line to the list in registry.cpp; the
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

// An algorithm for one setting, which outlives it.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual Program program(std::int32_t rank) const = 0;
  // Finished pixels of a rank: those of program(rank).result, found without making the program.
  virtual Range piece(std::int32_t rank) const = 0;
  virtual std::int32_t stages() const = 0;
  // Most stages that one rank has under way at once; 0: no limit.
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

// What an algorithm's file tells the registry.
struct AlgorithmDefinition : AlgorithmEntry {
  // `parameters` is what follows the colon (empty if nothing does) and is completed in place with the
  // defaults that were taken. Throws ArgumentError.
  std::function<std::unique_ptr<Algorithm>(const Setting&, std::string& parameters)> make;
  std::function<CostTerms(std::int32_t p, const std::string& parameters)> terms;
};

std::span<const AlgorithmDefinition> definitions();

// An algorithm's full name taken apart: its definition and what follows the colon. Throws ArgumentError,
// listing the names that exist.
struct AlgorithmName {
  const AlgorithmDefinition& definition;
  std::string parameters;
};
AlgorithmName parse_algorithm(std::string_view name);

// For algorithms without parameters: throws ArgumentError unless `parameters` is empty.
void refuse_parameters(std::string_view name, const std::string& parameters);

// Radix-k's factors of p, in order of rounds, where none are given: as many of up to 8 as p has, large ones
// first; a prime factor above 8 is a round of its own. Empty for p = 1.
std::vector<std::int64_t> default_radices(std::int64_t p);

// What follows the colon of "two-level:NAME", taken apart; direct-send if nothing does. Throws ArgumentError.
AlgorithmName inner_algorithm(const std::string& parameters);

// Permutations of ranks; an empty vector stands for the identity. check_permutation() throws ArgumentError
// unless `ranks` is empty or lists each of 0..p-1 once; `what` names it in the message.
void check_permutation(const std::vector<std::int32_t>& ranks, std::int32_t p, std::string_view what);
std::vector<std::int32_t> inverse(const std::vector<std::int32_t>& permutation);

inline std::int32_t at(const std::vector<std::int32_t>& permutation, std::int64_t index) {
  return permutation.empty() ? static_cast<std::int32_t>(index)
                             : permutation[static_cast<std::size_t>(index)];
}

// A fragment that will be there: its value and the depth range that it holds.
struct Arrival {
  Value value = 0;
  Range depth;
};

// Append to `program` the merges that turn `arrivals` (in the order in which they are expected) into the
// part `pixels` of `target`, and the values that they need in between. `circle` is p if depth positions
// are counted round a circle (operators that commute), else 0. The arrivals' depth ranges must tile one
// range. O(k log k) for k arrivals.
void append_merges(Program& program, Value target, Range pixels, const std::vector<Arrival>& arrivals,
                   std::int64_t circle);

// The same in pairs, for two arrivals or more: their two halves in depth order are joined, each of which is
// made so itself. Every merge can be made as soon as its two inputs are there, whatever the order of the
// arrivals, and each is in no more than log2(k) of them, rounded up. Depth positions are not counted round.
void append_pairs(Program& program, Value target, Range pixels, std::vector<Arrival> arrivals);

// The members of `range`, `centre` first, then by distance from it, to either side in turn: the order in
// which a rank that sits at `centre` expects its neighbours in depth, so that one chain joins them all.
std::vector<std::int64_t> nearest_first(Range range, std::int64_t centre);

}  // namespace sortlast
