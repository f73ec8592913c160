// Writing what the tools of the field read. All return the whole file as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

std::string write_ibsim(const Topology& topology);  // netlist for ibsim
std::string write_ibnetdiscover(const Topology& topology);
// Tables for `opensm -R file -U FILE`. Throws ArgumentError if a vertex has no LID (see assign_lids).
std::string write_lfts(const Routes& routes);
std::string write_slurm_topology(const Topology& topology);         // topology.conf, node ranges folded
std::string fold_node_list(const std::vector<std::string>& names);  // "node[001-004],login"

// Who runs where, for MPI launchers. Dummies are left out.
std::string write_hostfile(const Topology& topology, const Placement& placement,
                           std::string_view launcher);  // mpich, openmpi, slurm
std::string write_rankfile(const Topology& topology, const Placement& placement, std::string_view launcher);

// A p x p matrix of bandwidths in MB/s as mpiGraph prints it; row: sender; the diagonal is 0.
std::string write_mpigraph(const std::vector<std::string>& names, const std::vector<double>& matrix);

// The same topology with LIDs 1, 2, ... for every vertex that has none.
Topology assign_lids(const Topology& topology);

}  // namespace sortlast::fabric
