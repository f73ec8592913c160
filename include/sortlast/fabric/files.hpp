// Reading and writing the files of the field's tools. All take or return the whole file as text: nothing here
// opens one.
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

// Readers: `file` is its name, for messages ("net.txt:12: expected ... , found ..."). Every malformed line is
// an ArgumentError with file, line and what was expected.

// Topologies. read_topology recognises the format by its content: the output of ibnetdiscover, also with -p,
// and ibsim's netlists, its subset; opensm-subnet.lst, also as ibdiagnet writes it; Slurm's topology.conf,
// with one link for each pair. Messages that tools wrote into the same file are skipped; if they report
// failed queries, the topology's name says so. Throws ArgumentError for any other file: the message says what
// it is, if that is known, or lists the formats.
SORTLAST_API Topology read_topology(std::string_view text, const std::string& file);
// The name of the format that a text has, which may be one without a reader here, as "topology.yaml" is;
// empty: none that is known.
SORTLAST_API std::string format_of(std::string_view text);
SORTLAST_API Topology read_ibnetdiscover(std::string_view text, const std::string& file);
SORTLAST_API Topology read_subnet_list(std::string_view text, const std::string& file);
// topology.conf does not list cables: `links` (1 to 1024) are taken to join each pair of switches that it
// names, and the topology's name says so. Names that lists in brackets stand for are at most 2^20 and 32 MiB
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
// The topology of lines from any number of files, none of which may be an Include; `file` names it.
SORTLAST_API Topology make_slurm_topology(const std::vector<SlurmLine>& lines, const std::string& file,
                                          std::int32_t links = 1);

// Tables; vertices are found by GUID and LID. read_routes recognises opensm-lfts.dump, dump_fts, ibroute,
// opensm.fdbs.
SORTLAST_API Routes read_routes(std::shared_ptr<const Topology> topology, std::string_view text,
                                const std::string& file);

// opensm-ftree-ca-order.dump: hosts in order, dummies as -1.
SORTLAST_API Placement read_ca_order(const Topology& topology, std::string_view text,
                                     const std::string& file);

// "node[001-004,7],login": names one by one, in the order they are written. A list may lie over several
// lines. A name with blanks stands in quotation marks: "\"node[001-004] mlx5_0\"". See read_hostfile().
SORTLAST_API std::vector<std::string> read_node_list(std::string_view text, const std::string& file);

// A node name map, as OpenSM and the diagnostics take it: a line "0xGUID "NAME"" for each device; # begins a
// comment, and the quotation marks may be missing. Of several lines for one GUID the first holds.
SORTLAST_API NodeNames read_node_name_map(std::string_view text, const std::string& file);

// Traffic: "stage source destination [bytes]" a line, # begins a comment; participants numbered from 0.
SORTLAST_API std::shared_ptr<const Pattern> read_traffic(std::string_view text, const std::string& file);

// Writers.

SORTLAST_API std::string write_ibsim(const Topology& topology);  // netlist
SORTLAST_API std::string write_ibnetdiscover(const Topology& topology);
// Tables for `opensm -R file -U FILE`. Throws ArgumentError if a vertex has no LID (see assign_lids).
SORTLAST_API std::string write_lfts(const Routes& routes);
// A SimGrid platform (XML, version 4.1): hosts, switches as routers, links of two directions with their
// bandwidth [byte/s] and latency [s], and the route of every pair of hosts. Bandwidth 0: of each link its own
// rate, of those without one 1.25e9. Throws ArgumentError above 400,000 pairs of hosts, for a bandwidth or
// latency that is negative or not finite, and for names that XML cannot hold or that two vertices have.
SORTLAST_API std::string write_simgrid(const Routes& routes, double link_bytes_per_second = 0,
                                       double link_seconds = 0);
// Slurm's topology.conf, for nodes as find_nodes() finds them (see nodes.hpp), and a list of nodes:
// "node[001-004],login".
SORTLAST_API std::string write_slurm_topology(const Topology& topology);
SORTLAST_API std::string fold_node_list(const std::vector<std::string>& names);

// Who runs where, for the launchers mpich, openmpi, openmpi-rankfile (a rankfile in both), slurm and torchrun
// (a line a node, with its options). Dummies are left out. Throws ArgumentError: an unknown launcher (the
// message lists them), an order that the launcher's file cannot say.
SORTLAST_API std::string write_hostfile(const Topology& topology, const Placement& placement,
                                        std::string_view launcher);
SORTLAST_API std::string write_rankfile(const Topology& topology, const Placement& placement,
                                        std::string_view launcher);

// A p x p matrix of bandwidths in MB/s as mpiGraph prints it; row: sender; the diagonal is 0.
SORTLAST_API std::string write_mpigraph(const std::vector<std::string>& names,
                                        const std::vector<double>& matrix);

// The same topology with LIDs 1, 2, ... for every vertex that has none.
SORTLAST_API Topology assign_lids(const Topology& topology);

}  // namespace sortlast::fabric
