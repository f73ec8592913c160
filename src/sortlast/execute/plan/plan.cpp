// Plan.
#include "sortlast/execute/plan/plan.hpp"

#include <algorithm>
#include <utility>

#include "sortlast/schedule/nodes.hpp"

namespace sortlast {
namespace {

std::vector<Plan::Mate> mates_of(std::int32_t rank, const std::vector<std::int32_t>& nodes) {
  std::vector<Plan::Mate> mates;
  for (std::size_t other = 0; other < nodes.size(); ++other) {
    if (static_cast<std::int32_t>(other) != rank && nodes[other] == nodes[static_cast<std::size_t>(rank)])
      mates.push_back({static_cast<std::int32_t>(other), 0});
  }
  return mates;
}

}  // namespace

Plan::Plan(const std::shared_ptr<const Schedule>& made, std::int32_t participant, const Format& format, Op op,
           const WireOptions& wire, std::int32_t tag_limit, const std::vector<std::int32_t>& ranks)
    : Plan(made, IndexedProgram(*made, participant, format, op, wire), tag_limit) {
  if (!ranks.empty()) name_by(ranks);
}

Plan::Plan(const std::shared_ptr<const Schedule>& made, std::int32_t participant, std::int32_t tag_limit)
    : Plan(made, IndexedProgram(*made, participant), tag_limit) {}

Plan::Plan(std::shared_ptr<const Schedule> made, IndexedProgram index, std::int32_t tag_limit)
    : schedule(std::move(made)),
      indexed(std::move(index)),
      send_tags(indexed.program.sends, tag_limit),
      receive_tags(indexed.program.receives, tag_limit),
      mates(mates_of(indexed.program.rank, schedule->setting().nodes)) {
  for (const IndexedTransfer& receive : indexed.receives)
    if (!receive.spared) receive_chunks += receive.chunks;

  mate_of.resize(indexed.receives.size());
  for (std::size_t i = 0; i < indexed.receives.size(); ++i) {
    if (!indexed.receives[i].spared) continue;
    const auto mate = std::lower_bound(mates.begin(), mates.end(), indexed.program.receives[i].peer,
                                       [](const Mate& one, std::int32_t other) { return one.rank < other; });
    mate_of[i] = static_cast<std::size_t>(mate - mates.begin());
    ++mate->reads;
  }
}

void Plan::name_by(const std::vector<std::int32_t>& ranks) {
  const auto name = [&](std::int32_t& participant) {
    participant = ranks[static_cast<std::size_t>(participant)];
  };
  for (Send& send : indexed.program.sends) name(send.peer);
  for (Receive& receive : indexed.program.receives) name(receive.peer);
  for (Mate& mate : mates) name(mate.rank);
}

}  // namespace sortlast
