#include "sortlast/fabric/placement/order_bound.hpp"

#include <algorithm>
#include <map>

namespace sortlast::fabric {

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
