// Up-links that are not there.
//
// Nobody's file says which cables there should be. The fabric does: between two levels of a PGFT, or of a
// slender-tree, the switches fall into groups in which every lower switch has the same number of links to
// every upper one. So: take the switches of two neighbouring levels, split them into groups that links hold
// together, count the links of each pair of a group, and expect of every pair the commonest count (of equally
// common ones the larger: cables get lost more often than they are added).
//
// What cannot be seen: a switch that has lost all its links to a group is no longer of it, and a pair that is
// a group of its own has nothing to be compared with. Where most pairs of a group have no link, it is not
// regular in this sense, and nothing is missing.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/edit.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;  // lower switch, upper switch
using Links = std::map<Pair, std::int32_t>;

// Switches of two neighbouring levels that links hold together.
struct Group {
  std::vector<std::int32_t> lower, upper;
  Links links;
};

// Links between a level and the next, by the lower level.
std::map<std::int32_t, Links> links_by_level(const Topology& topology,
                                             const std::vector<std::int32_t>& level) {
  std::map<std::int32_t, Links> result;
  const SwitchGraph graph(topology);
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const std::int32_t here = level[static_cast<std::size_t>(s)];
    for (const SwitchCable& cable : graph.cables(s)) {
      if (level[static_cast<std::size_t>(cable.other)] == here + 1) ++result[here][{s, cable.other}];
    }
  }
  return result;
}

// Disjoint sets of switches (Tarjan, 1975; with path halving).
class Sets {
 public:
  explicit Sets(std::int32_t switches) : parent_(static_cast<std::size_t>(switches)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::int32_t find(std::int32_t s) {
    while (parent(s) != s) s = parent(s) = parent(parent(s));
    return s;
  }
  void join(std::int32_t a, std::int32_t b) { parent(find(a)) = find(b); }

 private:
  std::int32_t& parent(std::int32_t s) { return parent_[static_cast<std::size_t>(s)]; }
  std::vector<std::int32_t> parent_;
};

std::vector<Group> groups_of(const Topology& topology, const Links& links) {
  Sets sets(topology.switches());
  for (const auto& [pair, count] : links) sets.join(pair.first, pair.second);
  std::map<std::int32_t, Group> groups;
  for (const auto& [pair, count] : links) {
    Group& group = groups[sets.find(pair.first)];
    group.lower.push_back(pair.first);
    group.upper.push_back(pair.second);
    group.links.emplace(pair, count);
  }
  std::vector<Group> result;
  for (auto& [set, group] : groups) {
    for (std::vector<std::int32_t>* side : {&group.lower, &group.upper}) {
      std::sort(side->begin(), side->end());
      side->erase(std::unique(side->begin(), side->end()), side->end());
    }
    result.push_back(std::move(group));
  }
  return result;
}

// The commonest number of links of a pair; 0 if most pairs have none.
std::int32_t expected_links(const Group& group) {
  std::map<std::int32_t, std::size_t> pairs;  // by number of links
  for (const auto& [pair, count] : group.links) ++pairs[count];
  pairs[0] = group.lower.size() * group.upper.size() - group.links.size();
  return std::max_element(pairs.begin(), pairs.end(),
                          [](const auto& a, const auto& b) {
                            return std::tie(a.second, a.first) < std::tie(b.second, b.first);
                          })
      ->first;
}

void add_missing(const Group& group, std::vector<MissingLinks>& missing) {
  const std::int32_t expected = expected_links(group);
  if (expected == 0) return;
  for (const std::int32_t lower : group.lower) {
    for (const std::int32_t upper : group.upper) {
      const auto found = group.links.find({lower, upper});
      const std::int32_t present = found == group.links.end() ? 0 : found->second;
      if (present < expected) missing.push_back({lower, upper, present, expected});
    }
  }
}

}  // namespace

std::vector<MissingLinks> missing_links(const Topology& topology) {
  const Levels levels = levels_of(topology);
  if (!levels.why.empty()) {
    throw ArgumentError("missing up-links of '" + topology.name() + "': it is no tree, because " +
                        levels.why);
  }
  std::vector<MissingLinks> missing;
  for (const auto& [level, links] : links_by_level(topology, levels.level)) {
    for (const Group& group : groups_of(topology, links)) add_missing(group, missing);
  }
  std::sort(missing.begin(), missing.end(), [](const MissingLinks& a, const MissingLinks& b) {
    return std::tie(a.lower, a.upper) < std::tie(b.lower, b.upper);
  });
  return missing;
}

}  // namespace sortlast::fabric
