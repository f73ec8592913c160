// Placement: which host each participant runs on. Orders of hosts, sub-sets, schedulers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// Host of participant i; -1: a dummy, which keeps a place in the pattern and sends and receives nothing.
using Placement = std::vector<std::int32_t>;

// Hosts that jobs run on: in a tree those on switches of level 1, in any other fabric all, without the
// aggregation nodes that switches hold (the tools name them "... Aggregation Node"). By number.
SORTLAST_API std::vector<std::int32_t> compute_hosts(const Topology& topology);

// Orders of hosts (empty: all of them):
//   "routing"          leaf by leaf in the order of the fabric, and in a leaf by port: as OpenSM's ftree
//                      numbers compute nodes, and spreads them over its up-links
//   "routing-dummies"  the same with a dummy in the place of every compute host that is not among the
//                      hosts, and each leaf filled with dummies to the most compute hosts that a leaf has;
//                      subtrees below the roots with none of the hosts are left out. Of all hosts it is
//                      opensm-ftree-ca-order.dump
//   "listed"           as given
//   "alphabetical"     by name, "node10" before "node2", as Slurm lists them
//   "natural"          by name, "node2" before "node10"
//   "random"           a random permutation that `seed` fixes
// `compute`: hosts that routing balances for, as RouteOptions::compute (empty: compute_hosts()); the routing
// orders put other hosts last, by switch and port. Throws ArgumentError: unknown order (the message lists
// them), a host that does not exist or occurs twice.
SORTLAST_API Placement order_hosts(const Topology& topology, std::string_view order,
                                   std::vector<std::int32_t> hosts = {}, std::uint64_t seed = 1,
                                   const std::vector<std::int32_t>& compute = {});
SORTLAST_API std::vector<std::string> host_orders();

// What a scheduler gives a job of n hosts out of those that are free (empty: compute_hosts()), in
// routing order:
//   "contiguous"  the first n in routing order
//   "random"      n at random, which `seed` fixes
//   "leaf"        whole leaves first: as few leaf switches as possible
// Throws ArgumentError: unknown scheduler (the message lists them), n below 1 or above the number of free
// hosts, a host that does not exist or occurs twice.
SORTLAST_API Placement allocate_hosts(const Topology& topology, std::string_view scheduler, std::int32_t n,
                                      std::vector<std::int32_t> free = {}, std::uint64_t seed = 1);
SORTLAST_API std::vector<std::string> schedulers();

// Host numbers of names as people write them: the whole name, the name up to its first space ("host00000" for
// "host00000 HCA-1"), or a GUID of the port or the adapter in hex. Throws ArgumentError with the names that
// were not found, and near ones, or that more than one host has.
SORTLAST_API std::vector<std::int32_t> find_hosts(const Topology& topology,
                                                  const std::vector<std::string>& names);

// Peterka et al. (radix-k), section 4.3: the hosts of a grid taken block by block (2x2x2, 4x4x4), x fastest
// in and among blocks. Throws ArgumentError if the fabric is no intact mesh or torus, or blocks do not fill
// it.
SORTLAST_API Placement block_mapping(const Topology& grid, const std::vector<std::int32_t>& block);

}  // namespace sortlast::fabric
