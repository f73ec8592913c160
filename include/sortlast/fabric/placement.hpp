// Placement: which host each participant runs on; orders of hosts, subsets, and schedulers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// Host of participant i; -1: a dummy, which takes up a place in the pattern but sends and receives nothing.
using Placement = std::vector<std::int32_t>;

// Hosts that jobs run on, by number: in a tree the hosts on switches of level 1, in any other fabric all
// hosts. The aggregation nodes inside switches (named "... Aggregation Node" by the tools) are left out.
SORTLAST_API std::vector<std::int32_t> compute_hosts(const Topology& topology);

// Orders of hosts (empty: all of them):
//   "routing"          leaf by leaf in the order of the fabric, and within a leaf by port: the order in which
//                      OpenSM's ftree numbers compute nodes and spreads them over its up-links
//   "routing-dummies"  the same with a dummy in place of every compute host that is not among the hosts, and
//                      each leaf padded with dummies to the maximum number of compute hosts on a leaf;
//                      subtrees below the roots with none of the hosts are left out. For all hosts this is
//                      opensm-ftree-ca-order.dump
//   "listed"           as given
//   "alphabetical"     by name, "node10" before "node2", as Slurm lists them
//   "natural"          by name, "node2" before "node10"
//   "random"           a random permutation determined by `seed`
// `compute`: hosts that the routing balances, as in RouteOptions::compute (empty: compute_hosts()); the
// routing orders put other hosts last, by switch and port. Throws ArgumentError for an unknown order (the
// message lists them), and for a host that does not exist or occurs twice.
SORTLAST_API Placement order_hosts(const Topology& topology, std::string_view order,
                                   std::vector<std::int32_t> hosts = {}, std::uint64_t seed = 1,
                                   const std::vector<std::int32_t>& compute = {});
SORTLAST_API std::vector<std::string> host_orders();

// Hosts that a scheduler gives to a job of n hosts, selected from `free` (empty: compute_hosts()), in routing
// order:
//   "contiguous"  the first n in routing order
//   "random"      n at random, determined by `seed`
//   "leaf"        whole leaves first: as few leaf switches as possible
// Throws ArgumentError for an unknown scheduler (the message lists them), n below 1 or above the number of
// free hosts, and a host that does not exist or occurs twice.
SORTLAST_API Placement allocate_hosts(const Topology& topology, std::string_view scheduler, std::int32_t n,
                                      std::vector<std::int32_t> free = {}, std::uint64_t seed = 1);
SORTLAST_API std::vector<std::string> schedulers();

// Numbers of hosts given by full name, by name up to the first space ("host00000" for "host00000 HCA-1"), or
// by the hexadecimal GUID of the port or adapter. Throws ArgumentError with the names that were not found,
// and similar ones, or that several hosts share.
SORTLAST_API std::vector<std::int32_t> find_hosts(const Topology& topology,
                                                  const std::vector<std::string>& names);

// Peterka et al. (radix-k), section 4.3: the hosts of a grid, block by block (2x2x2, 4x4x4), x fastest within
// and among blocks. Throws ArgumentError if the fabric is not an intact mesh or torus, or if blocks do not
// fill it.
SORTLAST_API Placement block_mapping(const Topology& grid, const std::vector<std::int32_t>& block);

}  // namespace sortlast::fabric
