// Box groups: which runs of box images may be blended to one before they travel.
#pragma once

#include <span>
#include <vector>

#include "sortlast/execute/layers/box_runs.hpp"
#include "sortlast/execute/layers/box_table.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// `runs`, of these pixels and sorted front to back, in groups. Those of a group are front to back; each of
// them overlaps one before it or lies within the hull of those, and no pixels of an image outside the group
// come between them.
std::vector<std::vector<BoxRun>> group_runs(const BoxTable& table, std::span<const BoxRun> runs,
                                            Range pixels);

}  // namespace sortlast
