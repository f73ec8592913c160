// Nodes: the machines that hold a fabric's adapters, and the ranks that run on them.
//
// A fabric knows ports of adapters, its hosts; people know machines, of which each may hold several. A rail
// is the adapters of one name, one a node: "HCA-6" of "node07 HCA-6", "node08 HCA-6", ...
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
  std::string rail;       // "HCA-6", "mlx5_0"; of an adapter with two cables "HCA-6:1" and "HCA-6:2", by port
  std::int32_t host = 0;  // of the topology

  bool operator==(const Adapter&) const = default;
};

struct Node {
  std::string name;
  std::vector<Adapter> adapters;  // by rail, "mlx5_2" before "mlx5_10"

  bool operator==(const Node&) const = default;
};

// Whether a host belongs to a switch itself and reduces the data that pass ("... Aggregation Node").
SORTLAST_API bool is_aggregation_node(const Host& host);
// Whether jobs can run on a host: neither on aggregation nodes nor on routers.
SORTLAST_API bool is_compute_host(const Host& host);

// The nodes that hosts are described to be in: up to its first blank a description names the node, behind it
// the rail. Aggregation nodes and routers are left out, and so are descriptions that name no node: the ones
// that adapters come with ("MT4129 ConnectX7 Mellanox Technologies"), and localhost. In the order of their
// first hosts.
SORTLAST_API std::vector<Node> find_nodes(const Topology& topology);

// The nodes of a table with lines "NODE RAIL HOST", where HOST is the GUID of a port or an adapter, or a
// host's whole name; # begins a comment, commas count as blanks. Hosts that it leaves out are in the nodes
// that find_nodes() finds. Throws ArgumentError, with file and line: a host that does not exist or stands
// there twice, a node that has a rail twice or a name with blanks.
SORTLAST_API std::vector<Node> read_adapters(const Topology& topology, std::string_view text,
                                             const std::string& file);

// An entry of a list of nodes.
struct NodeRanks {
  std::string name;        // of a node or a host, or a GUID in hex
  std::int32_t ranks = 0;  // of this entry; 0: it does not say
  std::int64_t line = 0;   // of the file; 0: of none

  bool operator==(const NodeRanks&) const = default;
};

// A list of nodes in any form that people have it in, over any number of lines: names and lists in brackets
// as read_node_list() reads them; whole names of hosts, one a line, with their blanks; hostfiles of Open MPI
// ("NAME slots=4") and MPICH ("NAME:4"); SLURM_HOSTFILE, a name a line and rank. # begins a comment.
SORTLAST_API std::vector<NodeRanks> read_hostfile(const Topology& topology, std::string_view text,
                                                  const std::string& file);

struct RailOptions {
  // Rails in order of preference, with commas between: each node's ranks use the first that it has. "all":
  // its ranks use all rails of the node in turn, the first its first. Empty: nodes have one adapter.
  std::string rail = {};
  std::int32_t ranks_per_node = 0;  // 0: as the list says, else 1; for rail "all" one for each adapter
  std::string file = {};            // that the list is from, for messages
};

// Where ranks run: placement and, as the same number, the node of each rank.
struct RankPlacement {
  Placement placement;
  std::vector<std::int32_t> nodes;  // from 0, in the order in which the list names them
};

// Places the ranks of a list. A name means the node or host with this name, else the one with its part behind
// "user@", else the one that has the same name but for a domain. A node that stands on several lines has a
// rank for each. Throws ArgumentError: a name that the fabric does not have (the message has near ones), a
// node that stands twice on one line, one without that rail, or one with several rails where none was chosen
// (the message names them).
SORTLAST_API RankPlacement place_ranks(const Topology& topology, const std::vector<Node>& nodes,
                                       const std::vector<NodeRanks>& list, const RailOptions& options = {});

// Slurm's topology.conf (plugin topology/tree): leaf switches with their nodes, and the switches above.
// `rail`: of nodes that hang on several switches the adapter that counts, as in RailOptions but not "all";
// nodes without it are left out. Switches without plain names are named by GUID. Throws ArgumentError for a
// fabric that is no tree, a node on several switches or not on a leaf, one whose name Slurm cannot hold, and,
// where no rail is chosen, hosts that are in no node; the message says what to do.
SORTLAST_API std::string write_slurm_topology(const Topology& topology, const std::vector<Node>& nodes,
                                              const std::string& rail = {});

// Names of all rails, "mlx5_2" before "mlx5_10".
SORTLAST_API std::vector<std::string> rails(const std::vector<Node>& nodes);

}  // namespace sortlast::fabric
