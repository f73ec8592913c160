// Nodes: the ranks of each node of a setting, and the runs of depth positions that they hold together.
#include "sortlast/schedule/nodes.hpp"

#include <algorithm>
#include <numeric>

#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

// Turn counts into the index at which each one's items begin, followed by the total.
std::vector<std::size_t> begins(const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> result(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), result.begin() + 1);
  return result;
}

}  // namespace

Nodes::Nodes(const Setting& setting) : commutes_(setting.commutes), node_(setting.nodes) {
  if (node_.empty()) {
    node_.resize(static_cast<std::size_t>(setting.p));
    std::iota(node_.begin(), node_.end(), 0);
  }
  list_members(setting);
  number_positions(setting);
  find_runs();
}

// Assign the ranks to their nodes, in ring order.
void Nodes::list_members(const Setting& setting) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(*std::max_element(node_.begin(), node_.end())) + 1,
                                  0);
  place_.resize(node_.size());
  for (std::int32_t i = 0; i < setting.p; ++i) {
    const std::int32_t rank = at(setting.ring, i);
    std::size_t& count = counts[static_cast<std::size_t>(node(rank))];
    if (count == 0) ring_.push_back(node(rank));
    place_[static_cast<std::size_t>(rank)] = static_cast<std::int32_t>(count++);
  }
  first_member_ = begins(counts);
  smallest_ = static_cast<std::int32_t>(*std::min_element(counts.begin(), counts.end()));
  members_.resize(node_.size());
  for (std::int32_t rank = 0; rank < setting.p; ++rank) {
    const std::size_t first = first_member_[static_cast<std::size_t>(node(rank))];
    members_[first + static_cast<std::size_t>(place(rank))] = rank;
  }
}

void Nodes::number_positions(const Setting& setting) {
  rank_at_ = setting.order;
  if (commutes_) {
    rank_at_.clear();
    for (const std::int32_t node : ring_) {
      const auto ranks = members(node);
      rank_at_.insert(rank_at_.end(), ranks.begin(), ranks.end());
    }
  }
  position_ = inverse(rank_at_);
}

void Nodes::find_runs() {
  struct Found {
    std::int32_t node;
    Range depth;
  };
  std::vector<Found> found;
  std::vector<std::size_t> counts(ring_.size(), 0);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(node_.size()); ++i) {
    const std::int32_t node = this->node(rank_at(i));
    if (!found.empty() && found.back().node == node) {
      ++found.back().depth.end;
      continue;
    }
    std::size_t& count = counts[static_cast<std::size_t>(node)];
    if (count++ == 0) order_.push_back(node);
    found.push_back({node, {i, i + 1}});
  }

  // Sort the runs by node.
  first_run_ = begins(counts);
  runs_.resize(found.size());
  std::vector<std::size_t> next(first_run_);
  for (const Found& run : found) runs_[next[static_cast<std::size_t>(run.node)]++] = run.depth;
}

std::span<const std::int32_t> Nodes::members(std::int32_t node) const {
  const auto index = static_cast<std::size_t>(node);
  return std::span(members_).subspan(first_member_[index], first_member_[index + 1] - first_member_[index]);
}

std::int64_t Nodes::position(std::int32_t rank) const { return at(position_, rank); }

std::int32_t Nodes::rank_at(std::int64_t position) const { return at(rank_at_, position); }

std::span<const Range> Nodes::runs(std::int32_t node) const {
  const auto index = static_cast<std::size_t>(node);
  return std::span(runs_).subspan(first_run_[index], first_run_[index + 1] - first_run_[index]);
}

std::vector<Range> Nodes::runs(Range places) const {
  const std::int64_t m = count();
  const auto node_at = [this, m](std::int64_t place) { return order_[static_cast<std::size_t>(place % m)]; };

  // If every node is one run, consecutive nodes are also one run.
  if (runs_.size() == order_.size()) {
    const Range first = runs(node_at(places.begin)).front();
    const Range last = runs(node_at(places.end - 1)).front();
    const auto p = static_cast<std::int64_t>(node_.size());
    return {{first.begin, last.end > first.begin ? last.end : last.end + p}};
  }

  // Join adjacent runs.
  std::vector<Range> all;
  for (std::int64_t place = places.begin; place < places.end; ++place) {
    const auto own = runs(node_at(place));
    all.insert(all.end(), own.begin(), own.end());
  }
  std::sort(all.begin(), all.end(), [](Range a, Range b) { return a.begin < b.begin; });
  std::vector<Range> joined;
  for (const Range run : all) {
    if (!joined.empty() && joined.back().end == run.begin) {
      joined.back().end = run.end;
    } else {
      joined.push_back(run);
    }
  }
  return joined;
}

// A fragment of one depth position is that rank's own image. If depth positions have no meaning, because the
// operator commutes, no rank forwards the image of another.
SparedTransfers spared_transfers(const Program& program, const Setting& setting) {
  SparedTransfers spared{std::vector<bool>(program.sends.size(), false),
                         std::vector<bool>(program.receives.size(), false)};
  if (setting.nodes.empty()) return spared;
  const auto node_of = [&](std::int32_t rank) { return setting.nodes[static_cast<std::size_t>(rank)]; };
  const auto mate = [&](std::int32_t peer) { return node_of(peer) == node_of(program.rank); };
  const auto depth_of = [&](Value of) { return program.values[static_cast<std::size_t>(of)].depth; };
  const std::vector<std::int32_t> position = inverse(setting.order);

  for (std::size_t i = 0; i < program.sends.size(); ++i) {
    const Send& send = program.sends[i];
    spared.sends[i] = mate(send.peer) && depth_of(send.value) == depth_of(0);
  }
  for (std::size_t i = 0; i < program.receives.size(); ++i) {
    const Receive& receive = program.receives[i];
    const Range depth = depth_of(receive.value);
    const bool own = depth.size() == 1 && (setting.commutes || depth.begin == at(position, receive.peer));
    spared.receives[i] = mate(receive.peer) && own;
  }
  return spared;
}

std::vector<std::int32_t> depth_runs(const Setting& setting) {
  const Nodes nodes(setting);
  std::vector<std::int32_t> counts;
  for (std::int32_t node = 0; node < nodes.count(); ++node) {
    counts.push_back(static_cast<std::int32_t>(nodes.runs(node).size()));
  }
  return counts;
}

}  // namespace sortlast
