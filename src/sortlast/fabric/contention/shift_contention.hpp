// Contention of all shifts of a placement, without walking every flow.
#pragma once

#include "sortlast/fabric/contention/channel_loads.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/path_walker.hpp"

namespace sortlast::fabric {

// Fills stage_max, stage_share and channel_max of `result`, which have their sizes, and `tally`. The hosts of
// the placement must be distinct.
void count_shifts(const PathWalker& walker, const Placement& placement, const AnalysisOptions& options,
                  Contention& result, Tally& tally);

}  // namespace sortlast::fabric
