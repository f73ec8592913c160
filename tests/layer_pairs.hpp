// A codec of contents of varying size for tests of the engine that carries them: each rank has a set of pairs
// (pixel, source).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sortlast/content/strings/string_codec.hpp"
#include "sortlast/error.hpp"

namespace sortlast {

using Pair = std::pair<std::int64_t, std::int64_t>;  // pixel, source

// Strings are pairs in order, 16 bytes each. A finished pixel is four bytes of a hash of all its sources.
class PairCodec : public StringCodec {
 public:
  // `pairs` in order.
  explicit PairCodec(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {}

  static constexpr Format format{Scalar::uint8, 4, false};

  void encode_own(Range pixels, Bytes& out) const override { append(in(pairs_, pixels), out); }

  void join(std::span<const String> strings, Range pixels, Bytes& out) const override {
    append(joined(strings, pixels), out);
  }

  void cut(String string, Range from, Range pixels, Bytes& out) const override {
    append(in(decoded(string, from), pixels), out);
  }

  void finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
              Bytes* kept) const override {
    std::vector<Pair> all = joined(strings, pixels);
    if (own) {
      const std::vector<Pair> mine = in(pairs_, pixels);
      all.insert(all.end(), mine.begin(), mine.end());
      std::sort(all.begin(), all.end());
    }
    flatten(all, pixels, out.colour);
    if (kept != nullptr) append(all, *kept);
  }

  bool keeps_joined() const override { return true; }

  // What finish() makes of all pairs of some pixels.
  static void flatten(const std::vector<Pair>& pairs, Range pixels, std::byte* colour) {
    std::vector<std::uint32_t> hashes(static_cast<std::size_t>(pixels.size()), 2166136261U);
    for (const auto& [pixel, source] : pairs) {
      std::uint32_t& hash = hashes[static_cast<std::size_t>(pixel - pixels.begin)];
      hash = (hash ^ static_cast<std::uint32_t>(source)) * 16777619U;
    }
    if (!hashes.empty()) std::memcpy(colour, hashes.data(), hashes.size() * sizeof(std::uint32_t));
  }

  static std::vector<Pair> decoded(String string, Range pixels) {
    if (string.size() % sizeof(Pair) != 0) throw Error("a string of pairs ends within one");
    std::vector<Pair> pairs(string.size() / sizeof(Pair));
    if (!pairs.empty()) std::memcpy(static_cast<void*>(pairs.data()), string.data(), string.size());
    for (const auto& [pixel, source] : pairs)
      if (pixel < pixels.begin || pixel >= pixels.end)
        throw Error("a pair is of a pixel outside its string's");
    return pairs;
  }

 private:
  static std::vector<Pair> joined(std::span<const String> strings, Range pixels) {
    std::vector<Pair> all;
    for (const String string : strings) {
      if (string.empty()) throw std::logic_error("the engine has joined an empty string");
      const std::vector<Pair> some = decoded(string, pixels);
      all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  static std::vector<Pair> in(const std::vector<Pair>& pairs, Range pixels) {
    const auto first = std::lower_bound(pairs.begin(), pairs.end(), Pair{pixels.begin, -1});
    return {first, std::lower_bound(first, pairs.end(), Pair{pixels.end, -1})};
  }

  static void append(const std::vector<Pair>& pairs, Bytes& out) {
    out.append(std::as_bytes(std::span(pairs)));
  }

  std::vector<Pair> pairs_;
};

// What a rank has in a frame of n pixels: up to `most` pairs a pixel, none where the drawn number is 0.
// Sources of different ranks differ.
inline std::vector<Pair> random_pairs(std::int64_t n, int rank, int most, std::uint32_t seed) {
  std::mt19937 random(seed * 1000U + static_cast<std::uint32_t>(rank));
  std::vector<Pair> pairs;
  for (std::int64_t pixel = 0; pixel < n; ++pixel) {
    const auto count = static_cast<std::int64_t>(random() % static_cast<unsigned>(most + 1));
    for (std::int64_t i = 0; i < count; ++i) pairs.emplace_back(pixel, std::int64_t{rank} * 1000 + i);
  }
  return pairs;
}

// The pairs of all ranks, in order.
inline std::vector<Pair> all_pairs(std::int64_t n, int p, int most, std::uint32_t seed) {
  std::vector<Pair> all;
  for (int rank = 0; rank < p; ++rank) {
    const std::vector<Pair> pairs = random_pairs(n, rank, most, seed);
    all.insert(all.end(), pairs.begin(), pairs.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace sortlast
