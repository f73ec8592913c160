// Plan.
#include "sortlast/execute/plan/plan.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sortlast {
namespace {

// A tag for each transfer of a pair; both ends count them in the same order. Tags that come round again are
// those of transfers that ended long before.
template <typename Step>
std::vector<std::int32_t> number(const std::vector<Step>& steps, std::int32_t tag_limit) {
  std::unordered_map<std::int32_t, std::int32_t> next;
  std::vector<std::int32_t> tags;
  tags.reserve(steps.size());
  for (const Step& step : steps) {
    std::int32_t& tag = next[step.peer];
    tags.push_back(tag);
    tag = tag == tag_limit ? 0 : tag + 1;
  }
  return tags;
}

std::vector<Plan::Mate> mates_of(std::int32_t rank, const std::vector<std::int32_t>& nodes) {
  std::vector<Plan::Mate> mates;
  for (std::size_t other = 0; other < nodes.size(); ++other) {
    if (static_cast<std::int32_t>(other) != rank && nodes[other] == nodes[static_cast<std::size_t>(rank)])
      mates.push_back({static_cast<std::int32_t>(other), 0});
  }
  return mates;
}

}  // namespace

Plan::Plan(std::shared_ptr<const Schedule> made, std::int32_t rank, const Format& format, Op op,
           const WireOptions& wire, std::int32_t tag_limit)
    : schedule(std::move(made)),
      indexed(*schedule, rank, format, op, wire),
      send_tags(number(indexed.program.sends, tag_limit)),
      receive_tags(number(indexed.program.receives, tag_limit)),
      stage_chunks(static_cast<std::size_t>(schedule->stages()) + 2, 0),
      mates(mates_of(rank, schedule->setting().nodes)) {
  const auto count = [&](const auto& steps, const std::vector<IndexedTransfer>& transfers) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (transfers[i].spared) continue;
      stage_chunks[static_cast<std::size_t>(steps[i].stage)] += transfers[i].chunks;
      chunks += transfers[i].chunks;
    }
  };
  count(indexed.program.sends, indexed.sends);
  count(indexed.program.receives, indexed.receives);

  mate_of.resize(indexed.receives.size());
  for (std::size_t i = 0; i < indexed.receives.size(); ++i) {
    if (!indexed.receives[i].spared) continue;
    const auto mate = std::lower_bound(mates.begin(), mates.end(), indexed.program.receives[i].peer,
                                       [](const Mate& one, std::int32_t other) { return one.rank < other; });
    mate_of[i] = static_cast<std::size_t>(mate - mates.begin());
    ++mate->reads;
  }
}

}  // namespace sortlast
