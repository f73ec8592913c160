// Nodes: the machines that hold a fabric's adapters, and the ranks that run on them.
//
// A fabric consists of hosts, which are ports of adapters. Users think in machines, each of which may hold
// several adapters. A rail is the adapters with the same name, one per node: "HCA-6" of "node07 HCA-6",
// "node08 HCA-6", ...
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

struct Adapter {
  std::string rail;  // "HCA-6", "mlx5_0"; "HCA-6:1" and "HCA-6:2", by port, if the adapter has two cables
  std::int32_t host = 0;  // of the topology

  bool operator==(const Adapter&) const = default;
};

struct Node {
  std::string name;
  // Sorted by rail, "mlx5_2" before "mlx5_10"; or in the order in which ranks use them, perhaps repeated.
  std::vector<Adapter> adapters;

  bool operator==(const Node&) const = default;
};

// Whether a host is part of a switch and reduces data in transit ("... Aggregation Node").
SORTLAST_API bool is_aggregation_node(const Host& host);
// Whether jobs can run on a host, which excludes aggregation nodes and routers.
SORTLAST_API bool is_compute_host(const Host& host);

// Finds the nodes by the descriptions of hosts: the node is the part before the first blank, the rail the
// part after it. Aggregation nodes and routers are left out, and so are descriptions that name no node: the
// default of an adapter's firmware ("MT4129 ConnectX7 Mellanox Technologies"), and localhost. Nodes are in
// the order of their first hosts.
SORTLAST_API std::vector<Node> find_nodes(const Topology& topology);

// Reads nodes from a table with lines "NODE RAIL HOST", where HOST is the GUID of a port or an adapter, or
// the full name of a host; # begins a comment, and commas count as blanks. Hosts that are not in the table
// belong to the nodes that find_nodes() finds. Throws ArgumentError, with file and line, for a host that does
// not exist or occurs twice, a node that has a rail twice, and a name with blanks.
SORTLAST_API std::vector<Node> read_adapters(const Topology& topology, std::string_view text,
                                             const std::string& file);

// An entry of a list of nodes.
struct NodeRanks {
  std::string name;        // of a node or a host, or a GUID in hex
  std::int32_t ranks = 0;  // of this entry; 0: not given
  std::int64_t line = 0;   // of the file; 0: none

  bool operator==(const NodeRanks&) const = default;
};

// Reads a list of nodes in any common form, over any number of lines: names and lists in brackets, as in
// read_node_list(); full names of hosts, one per line, with their blanks; hostfiles of Open MPI ("NAME
// slots=4") and MPICH ("NAME:4"); and SLURM_HOSTFILE, with one name per line and rank. # begins a comment.
SORTLAST_API std::vector<NodeRanks> read_hostfile(const Topology& topology, std::string_view text,
                                                  const std::string& file);

struct RailOptions {
  // Rails in order of preference, separated by commas; the ranks of a node use the first rail that the node
  // has. With "all" they use all rails of the node in turn, starting with the first. Empty: nodes have one
  // adapter.
  std::string rail = {};
  std::int32_t ranks_per_node = 0;  // 0: as in the list, else 1; with rail "all" one per adapter
  std::string file = {};            // name of the list's file, for messages
};

// Where ranks run: the host and the node of each rank.
struct RankPlacement {
  Placement placement;
  std::vector<std::int32_t> nodes;  // counted from 0 in the order of the list
};

// Places the ranks of a list. A name means the node or host with this name, else the one named by the part
// after "user@", else the one with the same name except for the domain. A node on several lines has one rank
// per line. Throws ArgumentError for a name that the fabric does not have (the message suggests similar
// ones), a node that occurs twice on one line, a node without the chosen rail, and a node with several rails
// if none was chosen (the message lists them).
SORTLAST_API RankPlacement place_ranks(const Topology& topology, const std::vector<Node>& nodes,
                                       const std::vector<NodeRanks>& list, const RailOptions& options = {});

// Slurm's topology.conf (plugin topology/tree): leaf switches with their nodes, and the switches above them.
// For nodes on several switches, `rail` selects the adapter that counts, as in RailOptions but without "all";
// nodes without that rail are left out. Switches without plain names are named by GUID. Throws ArgumentError
// if the fabric is not a tree, if a node is on several switches or not on a leaf, if a node has a name that
// Slurm cannot represent, and, if no rail is chosen, if a host belongs to no node; the message suggests a
// remedy.
SORTLAST_API std::string write_slurm_topology(const Topology& topology, const std::vector<Node>& nodes,
                                              const std::string& rail = {});

// Names of all rails, sorted, "mlx5_2" before "mlx5_10".
SORTLAST_API std::vector<std::string> rails(const std::vector<Node>& nodes);

}  // namespace sortlast::fabric
