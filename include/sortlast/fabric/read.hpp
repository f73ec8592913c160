// Reading what the tools of the field write. Every malformed line is an error with file, line and what was
// expected.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/pattern.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// `text` is the whole file; `file` is its name, for messages ("net.txt:12: expected ... , found ..."). All
// throw ArgumentError. Nothing here opens a file.

// Topologies. read_topology recognises the format by its content: the output of ibnetdiscover and ibsim's
// netlists, its subset; opensm-subnet.lst; Slurm's topology.conf, with one link a pair. Names that lists in
// brackets stand for are at most 2^20 and 32 MiB a file.
SORTLAST_API Topology read_topology(std::string_view text, const std::string& file);
SORTLAST_API Topology read_ibnetdiscover(std::string_view text, const std::string& file);
SORTLAST_API Topology read_subnet_list(std::string_view text, const std::string& file);
SORTLAST_API Topology read_slurm_topology(std::string_view text, const std::string& file);

// Tables; vertices are found by GUID and LID. read_routes recognises opensm-lfts.dump, dump_fts, ibroute,
// opensm.fdbs.
SORTLAST_API Routes read_routes(std::shared_ptr<const Topology> topology, std::string_view text,
                                const std::string& file);

// opensm-ftree-ca-order.dump: hosts in order, dummies as -1.
SORTLAST_API Placement read_ca_order(const Topology& topology, std::string_view text,
                                     const std::string& file);

// "node[001-004,7],login": names one by one, in the order they are written. A list may lie over several
// lines. A name with blanks stands in quotation marks.
SORTLAST_API std::vector<std::string> read_node_list(std::string_view text, const std::string& file);

// Traffic: "stage source destination [bytes]" a line, # begins a comment; participants numbered from 0.
SORTLAST_API std::shared_ptr<const Pattern> read_traffic(std::string_view text, const std::string& file);

}  // namespace sortlast::fabric
