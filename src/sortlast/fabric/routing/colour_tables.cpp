// Tables by edge colouring, for stages that share no class with another stage.
//
// In a tree of two levels with one link between each leaf and each root, the path of a class is determined by
// the root that its leaf uses. Two classes of one stage meet on a link if they use the same root and have the
// same source leaf or the same destination leaf, like edges of one colour at one vertex.
#include <algorithm>
#include <vector>

#include "sortlast/fabric/routing/edge_colouring.hpp"
#include "sortlast/fabric/table_search.hpp"

namespace sortlast::fabric {

namespace {

using Numbers = std::vector<std::int32_t>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// The switches behind the ports of an entry, in ascending order; none if two ports lead to the same switch or
// the path has more than one switch in between.
Numbers roots_of(const TableSearch& tables, const TableSearch::Entry& entry) {
  Numbers roots;
  for (const TableSearch::Port& port : entry.ports) {
    if (port.next < 0) return {};
    const TableSearch::Entry& root = tables.entries()[at(port.next)];
    if (root.ports.size() != 1 || root.ports.front().next >= 0) return {};
    roots.push_back(root.s);
  }
  std::sort(roots.begin(), roots.end());
  if (std::adjacent_find(roots.begin(), roots.end()) != roots.end()) return {};
  return roots;
}

// The roots of all classes if they are the same; else none.
Numbers common_roots(const TableSearch& tables) {
  Numbers common;
  for (const TableSearch::Class& each : tables.classes()) {
    const Numbers roots = roots_of(tables, tables.entries()[at(each.entry)]);
    if (roots.empty() || (!common.empty() && roots != common)) return {};
    common = roots;
  }
  return common;
}

}  // namespace

std::int32_t TableSearch::colour_edges() {
  const Numbers roots = common_roots(*this);
  if (roots.empty()) return 0;
  const Topology& topology = *base_.topology;
  Numbers choices = choice_;
  std::int32_t coloured = 0;
  for (const Numbers& members : classes_at_) {
    const bool alone = std::all_of(members.begin(), members.end(), [&](std::int32_t k) {
      return classes_[at(k)].demands.size() == 1 && classes_[at(k)].demands.front().flows == 1;
    });
    if (!alone) continue;

    // Colour the classes of this stage with the roots.
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    for (const std::int32_t k : members) {
      const Entry& entry = entries_[at(classes_[at(k)].entry)];
      edges.emplace_back(entry.s, topology.switch_of(topology.attachment(entry.destination).vertex));
    }
    const Numbers colours = fabric::colour_edges(edges, static_cast<std::int32_t>(roots.size()));
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const std::int32_t number = classes_[at(members[e])].entry;
      const Entry& entry = entries_[at(number)];
      const auto leads_there = [&](const Port& port) {
        return entries_[at(port.next)].s == roots[at(colours[e])];
      };
      const auto port = std::find_if(entry.ports.begin(), entry.ports.end(), leads_there);
      choices[at(number)] = static_cast<std::int32_t>(port - entry.ports.begin());
    }
    ++coloured;
  }
  set_choices(choices);
  return coloured;
}

}  // namespace sortlast::fabric
