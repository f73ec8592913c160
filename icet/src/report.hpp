// Reports of a frame, for those who ask for them by the environment:
//   SORTLAST_ICET_TIMING=1  a line a frame on standard error of rank 0: what the frame took, and where
//   SORTLAST_TRACE=FILE     a timeline of all frames and ranks, in the Chrome trace format that Perfetto
//   reads
#pragma once

#include "context.hpp"

namespace sortlast::icet {

bool wants_trace();

// Of the frame that ended well; collective. `draw_begin`, `draw_end`: when this rank drew [s], on
// trace_clock().
void report_frame(IceTContextStruct& context, double draw_begin, double draw_end);

}  // namespace sortlast::icet
