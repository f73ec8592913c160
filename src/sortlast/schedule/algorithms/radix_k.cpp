// Radix-k: rounds of direct-send in groups of k_1, k_2, ..., k_r ranks; the product of all k_i is p.
//
// Source: Peterka, Goodell, Ross, Shen, Thakur, 2009, section 3. All k_i = 2 is binary swap, k = [p] is
// direct-send. Groups of round 1 are neighbours in depth; members of a group of round i are k_1 ... k_(i-1)
// apart.
#include <charconv>
#include <numeric>

#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithms/group_tree.hpp"

namespace sortlast {
namespace {

class RadixK final : public GroupTree {
 public:
  RadixK(const Setting& setting, std::vector<std::int64_t> k)
      : GroupTree(setting), k_(std::move(k)), sizes_{1} {
    for (const std::int64_t factor : k_) sizes_.push_back(sizes_.back() * factor);
  }

 private:
  Group root() const override { return group(static_cast<std::int32_t>(k_.size()), 0); }

  std::int64_t children(const Group& parent) const override {
    return k_[static_cast<std::size_t>(parent.height) - 1];
  }

  Child child(const Group& parent, std::int64_t c) const override {
    return {group(parent.height - 1, parent.index * children(parent) + c)};
  }

  bool uniform() const override { return true; }

  Group group(std::int32_t height, std::int64_t index) const {
    const std::int64_t size = sizes_[static_cast<std::size_t>(height)];
    return {height, index, {index * size, (index + 1) * size}, size};
  }

  std::vector<std::int64_t> k_;
  std::vector<std::int64_t> sizes_;  // ranks in a group of each height
};

std::string join(const std::vector<std::int64_t>& k) {
  std::string text;
  for (const std::int64_t factor : k) text += (text.empty() ? "" : ",") + std::to_string(factor);
  return text;
}

std::vector<std::int64_t> parse(const std::string& text, std::int32_t p) {
  const std::string shape =
      "radix-k:" + text +
      ": expected factors of 2 or more, separated by commas, whose product is p = " + std::to_string(p) +
      " (for example radix-k:" + join(default_radices(p)) + ")";
  std::vector<std::int64_t> k;
  std::int64_t product = 1;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int64_t factor = 0;
    const auto [stop, error] = std::from_chars(at, end, factor);
    if (error != std::errc{} || factor < 1 || factor > p || (factor == 1 && p > 1))
      throw ArgumentError(shape);
    product *= factor;
    if (product > p) throw ArgumentError(shape);
    if (factor > 1) k.push_back(factor);
    if (stop == end) break;
    if (*stop != ',') throw ArgumentError(shape);
    at = stop + 1;
  }
  if (product != p) throw ArgumentError(shape);
  return k;
}

}  // namespace

std::vector<std::int64_t> default_radices(std::int64_t p) {
  constexpr std::int64_t favoured = 8;  // the paper's choice for early rounds
  std::vector<std::int64_t> k;
  while (p > 1) {
    // Take the largest divisor up to the favoured radix, otherwise the smallest prime factor.
    std::int64_t factor = favoured;
    while (factor > 1 && p % factor != 0) --factor;
    if (factor == 1) {
      for (factor = favoured + 1; factor * factor <= p && p % factor != 0;) ++factor;
      if (factor * factor > p) factor = p;
    }
    k.push_back(factor);
    p /= factor;
  }
  return k;
}

AlgorithmDefinition radix_k() {
  return {{"radix-k", "radix-k[:k1,k2,...]",
           "Rounds of direct-send in groups of k_i ranks; the product of the k_i is p.", "alpha sum(k_i - 1)",
           "beta n (p-1)/p", "partially"},
          [](const Setting& setting, std::string& parameters) -> std::unique_ptr<Algorithm> {
            const auto k = parameters.empty() ? default_radices(setting.p) : parse(parameters, setting.p);
            parameters = k.empty() ? "1" : join(k);
            return std::make_unique<RadixK>(setting, k);
          },
          [](std::int32_t p, const std::string& parameters) {
            const auto k = parameters.empty() ? default_radices(p) : parse(parameters, p);
            const std::int64_t messages =
                std::accumulate(k.begin(), k.end(), std::int64_t{0}) - static_cast<std::int64_t>(k.size());
            return CostTerms{static_cast<double>(messages), static_cast<double>(k.size()), (p - 1.0) / p,
                             (p - 1.0) / p};
          }};
}

}  // namespace sortlast
