// Orders of hosts, schedulers and block mappings.
//
// Block mappings: increasing ranks fill one block of a torus after the other, so that ranks which exchange
// much in the first rounds of radix-k are near. Peterka, Goodell, Ross, Shen, Thakur, "A Configurable
// Algorithm for Parallel Image-Compositing Applications" (2009), section 4.3.
#include "sortlast/fabric/placement.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/edit.hpp"
#include "sortlast/fabric/placement/routing_order.hpp"

namespace sortlast::fabric {

namespace {

using Hosts = std::vector<std::int32_t>;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void check_hosts(const Topology& topology, const Hosts& hosts) {
  std::vector<bool> member(static_cast<std::size_t>(topology.hosts()), false);
  for (const std::int32_t h : hosts) {
    if (h < 0 || h >= topology.hosts()) {
      throw ArgumentError("host " + std::to_string(h) + " does not exist: there are " +
                          std::to_string(topology.hosts()));
    }
    auto seen = member.begin() + h;
    if (*seen) throw ArgumentError("host '" + topology.host(h).name + "' is given twice");
    *seen = true;
  }
}

Hosts all_hosts(const Topology& topology) {
  Hosts all(static_cast<std::size_t>(topology.hosts()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// A number below `bound`, each as likely. (Those of the standard library differ between its makers.)
std::size_t draw(std::mt19937_64& random, std::size_t bound) {
  const std::uint64_t limit = random.max() - random.max() % bound;
  for (;;) {
    const std::uint64_t value = random();
    if (value < limit) return value % bound;
  }
}

// Fisher and Yates.
void shuffle(Hosts& hosts, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = hosts.size(); left > 1; --left) {
    std::swap(hosts[left - 1], hosts[draw(random, left)]);
  }
}

// Orders of names in which digits are compared as numbers.
bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  // Take the digits at the front away, without zeros that lead them.
  const auto take_number = [&](std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && digit(text[end])) ++end;
    std::string_view number = text.substr(0, end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    text.remove_prefix(end);
    return number;
  };
  while (!a.empty() && !b.empty()) {
    if (digit(a.front()) && digit(b.front())) {
      const std::string_view x = take_number(a), y = take_number(b);
      if (x != y) return std::tuple(x.size(), x) < std::tuple(y.size(), y);
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

template <typename Less>
void sort_by_name(const Topology& topology, Hosts& hosts, Less less) {
  std::sort(hosts.begin(), hosts.end(), [&](std::int32_t a, std::int32_t b) {
    const std::string &x = topology.host(a).name, &y = topology.host(b).name;
    if (less(x, y)) return true;
    return !less(y, x) && a < b;
  });
}

// As few switches as possible: the fullest first, and at last the smallest that suffices. `free` is in
// routing order, and so is what is returned.
Hosts take_leaves(const Topology& topology, const Hosts& free, std::size_t n) {
  std::map<Vertex, Hosts> leaves;
  for (const std::int32_t h : free) leaves[topology.attachment(h).vertex].push_back(h);
  std::set<std::int32_t> taken;
  while (taken.size() < n) {
    const std::size_t needed = n - taken.size();
    const auto better = [&](const auto& a, const auto& b) {
      const std::size_t x = a.second.size(), y = b.second.size();
      if ((x >= needed) != (y >= needed)) return x >= needed;
      return x >= needed ? x < y : x > y;
    };
    const auto leaf = std::min_element(leaves.begin(), leaves.end(), better);
    for (std::size_t i = 0; i < std::min(needed, leaf->second.size()); ++i) taken.insert(leaf->second[i]);
    leaves.erase(leaf);
  }
  Hosts result;
  std::copy_if(free.begin(), free.end(), std::back_inserter(result),
               [&](std::int32_t h) { return taken.contains(h); });
  return result;
}

}  // namespace

std::vector<std::int32_t> compute_hosts(const Topology& topology) {
  const Levels levels = levels_of(topology);
  std::vector<std::int32_t> hosts;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const auto s = static_cast<std::size_t>(topology.switch_of(topology.attachment(h).vertex));
    if (levels.why.empty() && levels.level[s] != 1) continue;
    if (topology.host(h).name.find("Aggregation Node") == std::string::npos) hosts.push_back(h);
  }
  return hosts;
}

std::vector<std::string> host_orders() {
  return {"routing", "routing-dummies", "listed", "alphabetical", "natural", "random"};
}

Placement order_hosts(const Topology& topology, std::string_view order, std::vector<std::int32_t> hosts,
                      std::uint64_t seed, const std::vector<std::int32_t>& compute) {
  if (hosts.empty()) hosts = all_hosts(topology);
  check_hosts(topology, hosts);
  check_hosts(topology, compute);
  if (order == "routing" || order == "routing-dummies") {
    return order_by_routing(topology, hosts, compute, order == "routing-dummies");
  }
  if (order == "alphabetical") {
    sort_by_name(topology, hosts, std::less<std::string_view>());
  } else if (order == "natural") {
    sort_by_name(topology, hosts, natural_less);
  } else if (order == "random") {
    shuffle(hosts, seed);
  } else if (order != "listed") {
    throw ArgumentError("there is no order '" + std::string(order) + "'; expected one of " +
                        listed(host_orders()));
  }
  return hosts;
}

std::vector<std::string> schedulers() { return {"contiguous", "random", "leaf"}; }

Placement allocate_hosts(const Topology& topology, std::string_view scheduler, std::int32_t n,
                         std::vector<std::int32_t> free, std::uint64_t seed) {
  if (free.empty()) free = compute_hosts(topology);
  const auto all = static_cast<std::int32_t>(free.size());
  if (n < 1 || n > all) {
    throw ArgumentError("a job of " + std::to_string(n) + " hosts; expected 1 to the " + std::to_string(all) +
                        " that are free");
  }
  free = order_hosts(topology, "routing", std::move(free));
  const auto count = static_cast<std::size_t>(n);
  if (scheduler == "leaf") return take_leaves(topology, free, count);
  if (scheduler == "random") {
    shuffle(free, seed);
  } else if (scheduler != "contiguous") {
    throw ArgumentError("there is no scheduler '" + std::string(scheduler) + "'; expected one of " +
                        listed(schedulers()));
  }
  free.resize(count);
  return order_hosts(topology, "routing", std::move(free));
}

namespace {

void check_block(const Topology& grid, const GridShape& shape, const std::vector<std::int32_t>& block) {
  if (block.size() != shape.size.size()) {
    throw ArgumentError("a block of " + std::to_string(block.size()) + " dimensions for '" + grid.name() +
                        "'; expected " + std::to_string(shape.size.size()));
  }
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i] >= 1 && shape.size[i] % block[i] == 0) continue;
    throw ArgumentError("blocks of size " + std::to_string(block[i]) + " along dimension " +
                        std::to_string(i + 1) + " do not fill the " + std::to_string(shape.size[i]) +
                        " switches of '" + grid.name() + "'; expected a divisor of that");
  }
}

}  // namespace

Placement block_mapping(const Topology& grid, const std::vector<std::int32_t>& block) {
  const auto* shape = std::get_if<GridShape>(&grid.shape());
  if (shape == nullptr) {
    throw ArgumentError("'" + grid.name() + "' is no intact mesh or torus; blocks are parts of one");
  }
  check_block(grid, *shape, block);

  Placement placement;
  for (std::int32_t i = 0; i < grid.switches(); ++i) {
    // Split i into coordinates in the block (x fastest), then of the block, and find that switch.
    std::int32_t rest = i;
    std::vector<std::int32_t> at;
    for (const std::int32_t extent : block) {
      at.push_back(rest % extent);
      rest /= extent;
    }
    std::int32_t s = 0, stride = 1;
    for (std::size_t d = 0; d < block.size(); ++d) {
      const std::int32_t blocks = shape->size[d] / block[d];
      s += stride * (at[d] + block[d] * (rest % blocks));
      rest /= blocks;
      stride *= shape->size[d];
    }
    for (std::int32_t port = 1; port <= shape->hosts; ++port) {
      placement.push_back(grid.target(grid.channel(s, port)).vertex);
    }
  }
  return placement;
}

}  // namespace sortlast::fabric
