// The list of algorithms: names, what they cost, and how a schedule is made from a name.
//
// To add an algorithm, write one file in this folder and add one line to the table in registry.cpp; the
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

// The closed form of an algorithm's cost, as published: alpha times messages (or rounds, see Latency in
// cost.hpp) plus beta n times `sent` plus gamma n times `blended`.
struct CostTerms {
  double messages = 0;
  double rounds = 0;
  double sent = 0;
  double blended = 0;
};

struct AlgorithmEntry {
  std::string name;      // "radix-k"
  std::string usage;     // "radix-k[:k1,k2,...]"
  std::string summary;   // one sentence
  std::string latency;   // latency term of the cost, in the symbols of the papers
  std::string transfer;  // transfer term
  std::string overlap;   // whether blending overlaps transfer: "yes", "no", "partially"
  // `parameters` is what follows the colon (empty if nothing does) and is completed in place with the
  // defaults that were taken. Throws ArgumentError.
  std::function<std::unique_ptr<Algorithm>(const Setting&, std::string& parameters)> make;
  std::function<CostTerms(std::int32_t p, const std::string& parameters)> terms;
};

std::span<const AlgorithmEntry> algorithms();

// An algorithm's full name taken apart: its entry and what follows the colon. Throws ArgumentError,
// listing the names that exist.
struct AlgorithmName {
  const AlgorithmEntry& entry;
  std::string parameters;
};
AlgorithmName parse_algorithm(std::string_view name);

// For algorithms without parameters: throws ArgumentError unless `parameters` is empty.
void refuse_parameters(std::string_view name, const std::string& parameters);

// Throws ArgumentError: p < 1, n < 0, an order or ring that is not a permutation of 0..p-1, nodes that are
// not one for each rank or not numbered from 0 without gaps.
void check_setting(const Setting& setting);

// Make a schedule by name: "shift", "radix-k:4,3", ... or "auto": the fastest by choose() on the machine that
// a default Machine describes, with dense pixels of 16 bytes. Throws ArgumentError: unknown name (the message
// lists the names), parameters that do not fit p, or a wrong setting.
Schedule make_schedule(std::string_view name, Setting setting);

}  // namespace sortlast
