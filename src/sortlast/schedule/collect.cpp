// Collect.
#include "sortlast/schedule/collect.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

class Collect final : public Algorithm {
 public:
  Collect(const Setting& setting, std::int32_t root)
      : p_(setting.p),
        n_(setting.n),
        root_(root),
        commutes_(setting.commutes),
        place_(inverse(setting.commutes ? setting.ring : setting.order)) {}

  Program program(std::int32_t rank) const override;
  Range piece(std::int32_t rank) const override { return rank == root_ ? Range{0, n_} : Range{}; }
  std::int32_t stages() const override { return p_ == 1 || n_ == 0 ? 0 : 1; }

 private:
  Range depth_of(std::int32_t rank) const { return {at(place_, rank), at(place_, rank) + 1}; }

  std::int32_t p_;
  std::int64_t n_;
  std::int32_t root_;
  bool commutes_;
  std::vector<std::int32_t> place_;  // rank -> depth position
};

Program Collect::program(std::int32_t rank) const {
  Program program;
  program.rank = rank;
  const Range all{0, n_};
  program.values.push_back({all, depth_of(rank)});
  if (all.empty()) return program;
  if (rank != root_) {
    program.sends.push_back({1, root_, 0, all});
    return program;
  }
  program.result = 0;
  if (p_ == 1) return program;

  // Receive all other ranks' images, and merge them.
  std::vector<Arrival> arrivals{{0, depth_of(rank)}};
  for (std::int32_t peer = 0; peer < p_; ++peer) {
    if (peer == root_) continue;
    const auto value = static_cast<Value>(program.values.size());
    program.values.push_back({all, depth_of(peer)});
    program.receives.push_back({1, peer, value});
    arrivals.push_back({value, depth_of(peer)});
  }
  program.result = static_cast<Value>(program.values.size());
  program.values.push_back({all, {0, p_}});
  append_merges(program, program.result, all, arrivals, commutes_ ? p_ : 0);
  return program;
}

}  // namespace

Schedule collect_schedule(Setting setting, std::int32_t root) {
  check_setting(setting);
  if (root < 0 || root >= setting.p)
    throw ArgumentError("root is " + std::to_string(root) + "; expected a rank, 0.." +
                        std::to_string(setting.p - 1));
  const auto kept = std::make_shared<const Setting>(std::move(setting));
  return {"collect:" + std::to_string(root), kept, std::make_shared<const Collect>(*kept, root)};
}

}  // namespace sortlast
