// Reading what the tools of the field write. Every malformed line is an error with file, line and what was
// expected.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/fabric/pattern.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// `text` is the whole file; `file` is its name, for messages ("net.txt:12: expected ... , found ..."). All
// throw ArgumentError. Nothing here opens a file.

// Topologies. read_topology recognises the format by its content.
Topology read_topology(std::string_view text, const std::string& file);
Topology read_ibnetdiscover(std::string_view text,
                            const std::string& file);                       // and ibsim netlists, its subset
Topology read_subnet_list(std::string_view text, const std::string& file);  // opensm-subnet.lst
Topology read_slurm_topology(std::string_view text,
                             const std::string& file);  // topology.conf: one link a pair

// Tables; vertices are found by GUID and LID. read_routes recognises opensm-lfts.dump, dump_fts, ibroute,
// opensm.fdbs.
Routes read_routes(std::shared_ptr<const Topology> topology, std::string_view text, const std::string& file);

// opensm-ftree-ca-order.dump: hosts in order, dummies as -1.
Placement read_ca_order(const Topology& topology, std::string_view text, const std::string& file);

// "node[001-004,7],login": names one by one, in the order they are written. A list may lie over several
// lines. A name with blanks stands in quotation marks.
std::vector<std::string> read_node_list(std::string_view text, const std::string& file);

// Traffic: "stage source destination [bytes]" a line, # begins a comment; participants numbered from 0.
std::shared_ptr<const Pattern> read_traffic(std::string_view text, const std::string& file);

}  // namespace sortlast::fabric
