// The list of algorithms: names, what they cost, and how a schedule is made from a name.
//
// To add an algorithm, write one file in this folder and add one line to the table in registry.cpp; the
// property tests, the command line and every interface find it there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/schedule/schedule.hpp"

namespace sortlast {

struct AlgorithmEntry {
  std::string name;     // "radix-k"
  std::string usage;    // "radix-k[:k1,k2,...]"
  std::string summary;  // one sentence
  std::string latency;  // latency term of the cost, in the symbols of the papers
  std::string transfer; // transfer term
  std::string overlap;  // whether blending overlaps transfer: "yes", "no", "partially"
  // `parameters` is what follows the colon (empty if nothing does) and is completed in place with the
  // defaults that were taken. Throws ArgumentError.
  std::function<std::unique_ptr<Algorithm>(const Setting&, std::string& parameters)> make;
};

std::span<const AlgorithmEntry> algorithms();

// Make a schedule by name: "shift", "radix-k:4,3", ... or "auto" (the cheapest by price(), see
// cost.hpp). Throws ArgumentError: unknown name (the message lists the names), parameters that do not
// fit p, p < 1, n < 0, an order or ring that is not a permutation of 0..p-1.
Schedule make_schedule(std::string_view name, Setting setting);

}  // namespace sortlast
