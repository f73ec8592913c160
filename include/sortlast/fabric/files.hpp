// Readers and writers of the field's file formats. All of them take or return the whole file as text; none
// opens a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// Readers: `file` is the file's name, for messages ("net.txt:12: expected ... , found ..."). A malformed line
// throws ArgumentError with file, line and what was expected.

// Topologies. read_topology recognises the format by its content: the output of ibnetdiscover, also with -p,
// and netlists of ibsim, which are a subset of it; the output of iblinkinfo; opensm-subnet.lst, also as
// written by ibdiagnet; ibdiagnet2.db_csv; and Slurm's topology.conf, with one link per pair of switches.
// Messages that tools wrote into the same file are
// skipped; if they report failed queries, the topology's name says so. Throws ArgumentError for any other
// file, with its format if it is known, or else with the list of supported formats.
SORTLAST_API Topology read_topology(std::string_view text, const std::string& file);
// Name of the format of a text, which may be one without a reader here, such as "topology.yaml"; empty if
// unknown.
SORTLAST_API std::string format_of(std::string_view text);
SORTLAST_API Topology read_ibnetdiscover(std::string_view text, const std::string& file);
SORTLAST_API Topology read_subnet_list(std::string_view text, const std::string& file);
// topology.conf does not list cables. Each pair of switches that it connects is assumed to have `links` links
// (1 to 1024), and the topology's name says so. Lists in brackets may stand for at most 2^20 names and 32 MiB
// per file.
SORTLAST_API Topology read_slurm_topology(std::string_view text, const std::string& file,
                                          std::int32_t links = 1);

// A line of Slurm's configuration: its settings in order, with keys in lower case. A line "Include FILE" has
// the key "include".
struct SlurmLine {
  std::string file;
  std::int64_t line = 0;
  std::vector<std::pair<std::string, std::string>> settings;

  bool operator==(const SlurmLine&) const = default;
};
SORTLAST_API std::vector<SlurmLine> read_slurm_lines(std::string_view text, const std::string& file);
// The topology described by lines from any number of files, without Include lines; `file` names it.
SORTLAST_API Topology make_slurm_topology(const std::vector<SlurmLine>& lines, const std::string& file,
                                          std::int32_t links = 1);

// Nodes and cables from a file that was read elsewhere, such as JSON. Lines are for messages; 0: unknown.
struct NodeRecord {
  std::string id;          // by which cables refer to it
  std::string name;        // empty: the id
  std::uint64_t guid = 0;  // 0: the next free one
  bool is_switch = false;
  std::int64_t line = 0;

  bool operator==(const NodeRecord&) const = default;
};
struct CableRecord {
  std::string a;  // a node's id
  std::int32_t a_port = 0;
  std::string b;
  std::int32_t b_port = 0;
  double gbps = 0;  // 0: unknown
  std::int64_t line = 0;

  bool operator==(const CableRecord&) const = default;
};
// A cable may be given once or from both ends. Switches have as many ports as their highest port with a
// cable; hosts are the ports of the other nodes. Throws ArgumentError, with `file` and line, for an unknown
// or repeated id, a port outside 1 .. 65534 or with two cables, and a cable between two hosts.
SORTLAST_API Topology make_net(const std::vector<NodeRecord>& nodes, const std::vector<CableRecord>& cables,
                               const std::string& file);

// Forwarding tables; vertices are identified by GUID and LID. read_routes recognises opensm-lfts.dump,
// dump_fts, ibroute and opensm.fdbs.
SORTLAST_API Routes read_routes(std::shared_ptr<const Topology> topology, std::string_view text,
                                const std::string& file);

// opensm-ftree-ca-order.dump: hosts in order, dummies as -1.
SORTLAST_API Placement read_ca_order(const Topology& topology, std::string_view text,
                                     const std::string& file);

// Expands "node[001-004,7],login" into single names, in the order in which they are written. A list may span
// several lines. A name with blanks is quoted: "\"node[001-004] mlx5_0\"". See read_hostfile().
SORTLAST_API std::vector<std::string> read_node_list(std::string_view text, const std::string& file);

// A node name map, as read by OpenSM and the diagnostic tools: one line "0xGUID "NAME"" per device; # begins
// a comment, and the quotation marks may be missing. If a GUID has several lines, the first one holds.
SORTLAST_API NodeNames read_node_name_map(std::string_view text, const std::string& file);

// Traffic: one message per line, "stage source destination [bytes]"; # begins a comment; participants are
// numbered from 0.
SORTLAST_API std::shared_ptr<const Pattern> read_traffic(std::string_view text, const std::string& file);

// Writers.

SORTLAST_API std::string write_ibsim(const Topology& topology);  // netlist
SORTLAST_API std::string write_ibnetdiscover(const Topology& topology);
// Tables for `opensm -R file -U FILE`. Throws ArgumentError if a vertex has no LID (see assign_lids).
SORTLAST_API std::string write_lfts(const Routes& routes);
// A SimGrid platform (XML, version 4.1): hosts, switches as routers, bidirectional links with their bandwidth
// [byte/s] and latency [s], and the route of every pair of hosts. With bandwidth 0 each link has its own
// rate, or 1.25e9 if that is unknown. Throws ArgumentError for more than 400,000 pairs of hosts, a bandwidth
// or latency that is negative or not finite, and names that XML cannot represent or that two vertices share.
SORTLAST_API std::string write_simgrid(const Routes& routes, double link_bytes_per_second = 0,
                                       double link_seconds = 0);
// Slurm's topology.conf for the nodes found by find_nodes() (see nodes.hpp).
SORTLAST_API std::string write_slurm_topology(const Topology& topology);
// A list of nodes with brackets: "node[001-004],login".
SORTLAST_API std::string fold_node_list(const std::vector<std::string>& names);

// Placements of ranks for the launchers mpich, openmpi, openmpi-rankfile (a rankfile from both functions),
// slurm and torchrun (one line per node, with its options). Dummies are left out. Throws ArgumentError for an
// unknown launcher (the message lists them), or an order that the launcher's file cannot express.
SORTLAST_API std::string write_hostfile(const Topology& topology, const Placement& placement,
                                        std::string_view launcher);
SORTLAST_API std::string write_rankfile(const Topology& topology, const Placement& placement,
                                        std::string_view launcher);

// A p x p matrix of bandwidths in MB/s in the format of mpiGraph; rows are senders; the diagonal is 0.
SORTLAST_API std::string write_mpigraph(const std::vector<std::string>& names,
                                        const std::vector<double>& matrix);

// The same topology with LIDs 1, 2, ... for every vertex that has none.
SORTLAST_API Topology assign_lids(const Topology& topology);

}  // namespace sortlast::fabric
