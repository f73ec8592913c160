// What channels must carry: in every stage under an order that changes, and in any order at all.
#include <algorithm>
#include <map>

#include "sortlast/fabric/placement/order_search.hpp"

namespace sortlast::fabric {

std::optional<OrderLoads> OrderLoads::make(const PathWalker& walker, const std::vector<std::int32_t>& hosts,
                                           const Pattern& pattern, std::int64_t most_bytes) {
  OrderLoads made;
  made.list_ends(pattern);
  made.find_paths(walker, hosts);
  const std::int64_t loads = pattern.stages() * made.channels_;
  const auto bytes = static_cast<std::int64_t>(made.ends_.size() * sizeof(End)) +
                     loads * static_cast<std::int64_t>(sizeof(std::int32_t));
  if (bytes > most_bytes) return std::nullopt;
  made.loads_.assign(static_cast<std::size_t>(loads), 0);
  return made;
}

void OrderLoads::find_paths(const PathWalker& walker, const std::vector<std::int32_t>& hosts) {
  // Number the switches that have hosts, or where paths depend on the source, the hosts.
  std::map<std::int32_t, std::int32_t> places;
  std::vector<std::int32_t> sources;
  for (const std::int32_t host : hosts) {
    const std::int32_t key = walker.by_switch() ? walker.switch_of_host(host) : host;
    const auto [found, is_new] = places.try_emplace(key, static_cast<std::int32_t>(sources.size()));
    if (is_new) sources.push_back(host);
    place_.push_back(found->second);
  }

  // Walk, and number the channels in the order in which they are met.
  std::vector<Channel> number(static_cast<std::size_t>(walker.topology().channels()), -1);
  PathRows walked;
  walked.resize(1);
  paths_.resize(sources.size() * hosts.size());
  for (std::size_t place = 0; place < sources.size(); ++place) {
    for (std::size_t job = 0; job < hosts.size(); ++job) {
      walker.walk_inner(sources[place], hosts[job], walked, 0);
      for (const Channel c : walked.row(0)) {
        Channel& numbered = number[static_cast<std::size_t>(c)];
        if (numbered < 0) numbered = channels_++;
        paths_.append(place * hosts.size() + job, numbered);
      }
    }
  }
}

void OrderLoads::list_ends(const Pattern& pattern) {
  // Count, then fill: the ends of a participant lie together.
  const auto p = static_cast<std::size_t>(pattern.participants());
  first_end_.assign(p + 1, 0);
  for (std::int64_t stage = 0; stage < pattern.stages(); ++stage) {
    for (const Flow& flow : pattern.flows(stage)) {
      ++first_end_[static_cast<std::size_t>(flow.source) + 1];
      ++first_end_[static_cast<std::size_t>(flow.destination) + 1];
    }
  }
  for (std::size_t i = 0; i < p; ++i) first_end_[i + 1] += first_end_[i];
  ends_.resize(first_end_.back());
  std::vector<std::size_t> next = first_end_;
  for (std::int64_t stage = 0; stage < pattern.stages(); ++stage) {
    for (const Flow& flow : pattern.flows(stage)) {
      const auto s = static_cast<std::int32_t>(stage);
      ends_[next[static_cast<std::size_t>(flow.source)]++] = {s, flow.destination, true};
      ends_[next[static_cast<std::size_t>(flow.destination)]++] = {s, flow.source, false};
    }
  }
}

Demand greatest_demand(const PathWalker& walker, const std::vector<std::int32_t>& hosts) {
  // Sources whose paths are the same count together.
  std::map<std::int32_t, std::vector<std::int32_t>> places;
  for (const std::int32_t host : hosts) {
    places[walker.by_switch() ? walker.switch_of_host(host) : host].push_back(host);
  }

  std::vector<std::int64_t> pairs(static_cast<std::size_t>(walker.topology().channels()), 0);
  PathRows row;
  row.resize(1);
  for (const auto& [place, sources] : places) {
    for (const std::int32_t destination : hosts) {
      const bool among = std::find(sources.begin(), sources.end(), destination) != sources.end();
      const auto senders = static_cast<std::int64_t>(sources.size()) - (among ? 1 : 0);
      if (senders == 0) continue;
      walker.walk_inner(sources.front(), destination, row, 0);
      for (const Channel c : row.row(0)) pairs[static_cast<std::size_t>(c)] += senders;
    }
  }
  const auto most = std::max_element(pairs.begin(), pairs.end());
  if (most == pairs.end() || *most == 0) return {};
  return {static_cast<Channel>(most - pairs.begin()), *most};
}

}  // namespace sortlast::fabric
