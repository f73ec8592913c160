// Compares orders of a job's hosts by the contention of the shift stages of compositing on a fat-tree.
#include <cstdio>
#include <exception>
#include <memory>
#include <sortlast/fabric/contention.hpp>
#include <sortlast/fabric/families.hpp>

using namespace sortlast::fabric;

int main() try {
  const auto topology = std::make_shared<const Topology>(k_ary_n_tree(12, 2));
  const Routes routes = route(topology, "ftree");
  const auto shift = shift_pattern(topology->hosts());
  for (const char* order : {"routing", "random"}) {
    const Contention found = contention(routes, *shift, order_hosts(*topology, order));
    std::printf("%s order: at most %d flows on a link, mean share %.3f\n", order, found.max_flows,
                found.mean_share);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
