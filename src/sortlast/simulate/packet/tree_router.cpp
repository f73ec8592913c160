// Reads from the topology itself which hosts are below each switch, instead of trusting a family's formulas:
// fat-, thin- and slender-trees come out alike, and whatever does not fit is left to distances.
#include <algorithm>
#include <numeric>

#include "sortlast/simulate/packet/routers.hpp"

namespace sortlast::simulate {
namespace {

// The ports of a switch that lead to the hosts [first, end), or up.
struct Branch {
  std::uint32_t first = 0, end = 0;
  std::vector<fabric::Channel> ports;
};

struct Branches {
  std::vector<Branch> down;  // by first host
  std::vector<fabric::Channel> up;
};

// Hosts below a vertex, once all lower switches are known.
using Below = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Branches branches_of(const fabric::Topology& topology, std::int32_t s, const Below& below) {
  Branches made;
  for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
    const fabric::Channel c = topology.channel(s, port);
    const fabric::End& end = topology.target(c);
    if (!end.connected()) continue;
    const bool host = topology.is_host(end.vertex);
    if (!host && topology.level(topology.switch_of(end.vertex)) > topology.level(s)) {
      made.up.push_back(c);
      continue;
    }
    const auto h = static_cast<std::uint32_t>(end.vertex);
    const auto [first, last] =
        host ? std::pair(h, h + 1) : below[static_cast<std::size_t>(topology.switch_of(end.vertex))];
    const auto same = std::find_if(made.down.begin(), made.down.end(),
                                   [&, f = first](const Branch& branch) { return branch.first == f; });
    if (same == made.down.end()) {
      made.down.push_back({first, last, {c}});
    } else {
      same->ports.push_back(c);
    }
  }
  std::sort(made.down.begin(), made.down.end(),
            [](const Branch& a, const Branch& b) { return a.first < b.first; });
  return made;
}

// Whether the branches follow each other without gaps and are equally wide.
bool regular(const std::vector<Branch>& down) {
  if (down.empty()) return false;
  const std::uint32_t width = down.front().end - down.front().first;
  for (std::size_t i = 0; i < down.size(); ++i) {
    if (down[i].end - down[i].first != width || width == 0) return false;
    if (i > 0 && down[i].first != down[i - 1].end) return false;
  }
  return true;
}

}  // namespace

std::optional<TreeNetwork> tree_network(const fabric::Topology& topology) {
  const fabric::Shape& shape = topology.shape();
  if (!std::holds_alternative<fabric::TreeShape>(shape) &&
      !std::holds_alternative<fabric::SlenderShape>(shape)) {
    return std::nullopt;
  }

  // Look at the switches from the lowest level up.
  std::vector<std::int32_t> order(static_cast<std::size_t>(topology.switches()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return topology.level(a) < topology.level(b); });
  Below below(order.size());
  for (const std::int32_t s : order) {
    const Branches found = branches_of(topology, s, below);
    if (!regular(found.down)) return std::nullopt;
    below[static_cast<std::size_t>(s)] = {found.down.front().first, found.down.back().end};
  }

  // Make the groups: one a branch, and one of all up-ports.
  NetworkBuilder builder(topology);
  TreeRouter router;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    const Branches found = branches_of(topology, s, below);
    TreeRouter::Below& made = router.below_.emplace_back();
    made.first = found.down.front().first;
    made.hosts = found.down.back().end - made.first;
    made.width = found.down.front().end - made.first;
    for (std::size_t i = 0; i < found.down.size(); ++i) {
      const Group g = builder.add_group(s, found.down[i].ports, true);
      if (i == 0) made.down = g;
    }
    if (!found.up.empty()) made.up = builder.add_group(s, found.up, true);
  }
  return TreeNetwork{std::move(router), std::move(builder).finish()};
}

}  // namespace sortlast::simulate
