// Placement: which host each participant runs on. Orders of hosts, sub-sets, schedulers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/fabric/topology/topology.hpp"

namespace sortlast::fabric {

// Host of participant i; -1: a dummy, which keeps a place in the pattern and sends and receives nothing.
using Placement = std::vector<std::int32_t>;

// Orders of hosts (empty: all of them):
//   "routing"       leaf by leaf in the order of the fabric, and in a leaf by port: the order that ftree
//   balances for "routing-dummies"  the same, each leaf filled with dummies to the most hosts that a leaf has
//   "listed"        as given
//   "alphabetical"  by name, "node10" before "node2", as Slurm lists them
//   "natural"       by name, "node2" before "node10"
//   "random"        a random permutation that `seed` fixes
// Throws ArgumentError: unknown order (the message lists them), a host that does not exist or occurs twice.
Placement order_hosts(const Topology& topology, std::string_view order, std::vector<std::int32_t> hosts = {},
                      std::uint64_t seed = 1);
std::vector<std::string> host_orders();

// What a scheduler gives a job of n hosts out of those that are free (empty: all):
//   "contiguous"  the first n in routing order from `offset`
//   "random"      n at random
//   "leaf"        whole leaves first: as few leaf switches as possible
Placement allocate_hosts(const Topology& topology, std::string_view scheduler, std::int32_t n,
                         std::vector<std::int32_t> free = {}, std::uint64_t seed = 1);
std::vector<std::string> schedulers();

// Host numbers of names as people write them: the whole name, the name without the adapter ("host00000" for
// "host00000 HCA-1"), or a GUID in hex. Throws ArgumentError with the names that were not found, and near
// ones.
std::vector<std::int32_t> find_hosts(const Topology& topology, const std::vector<std::string>& names);

// Peterka et al. (radix-k), section 4.3: the hosts of a 3D grid taken block by block (2x2x2, 4x4x4), x
// fastest in and among blocks.
Placement block_mapping(const Topology& grid, const std::vector<std::int32_t>& block);

}  // namespace sortlast::fabric
