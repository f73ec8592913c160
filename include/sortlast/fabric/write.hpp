// Writing what the tools of the field read. All return the whole file as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

SORTLAST_API std::string write_ibsim(const Topology& topology);  // netlist
SORTLAST_API std::string write_ibnetdiscover(const Topology& topology);
// Tables for `opensm -R file -U FILE`. Throws ArgumentError if a vertex has no LID (see assign_lids).
SORTLAST_API std::string write_lfts(const Routes& routes);
// Slurm's topology.conf, and a list of nodes: "node[001-004],login".
SORTLAST_API std::string write_slurm_topology(const Topology& topology);
SORTLAST_API std::string fold_node_list(const std::vector<std::string>& names);

// Who runs where, for the launchers mpich, openmpi and slurm. Dummies are left out.
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
