// Reports of a frame, enabled by environment variables:
//   SORTLAST_ICET_TIMING=1  a line per frame on standard error of rank 0: the time of the frame, by phase
//   SORTLAST_TRACE=FILE     a timeline of all frames and ranks, in the Chrome trace format that Perfetto
//                           reads
#pragma once

#include "context.hpp"

namespace sortlast::icet {

bool wants_trace();

// Report a frame that succeeded; collective. `draw_begin`, `draw_end`: when this rank drew [s], on
// trace_clock().
void report_frame(IceTContextStruct& context, double draw_begin, double draw_end);

}  // namespace sortlast::icet
