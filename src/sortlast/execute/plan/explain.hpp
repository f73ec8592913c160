// Explain: in words, how a frame was composited and why so.
#pragma once

#include <cstdint>
#include <string>

#include "sortlast/execute/plan/choice.hpp"
#include "sortlast/execute/plan/partition.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

// What one rank did in one frame.
struct Traffic {
  std::int64_t direct = 0;  // images of its node that it read where they lie
  std::int64_t pulled = 0;  // and through the kernel
  std::int64_t dense = 0;   // chunks that it sent with all pixels
  std::int64_t sparse = 0;  // with active pixels alone
  std::int64_t absent = 0;  // for ranks without an image
};

// Some lines, each a sentence; the fastest rejected algorithms with their predicted times are among them.
std::string explain(const Schedule& schedule, const Format& format, const Selection& selection,
                    const std::string& machine_source, const Sharing& sharing, const Traffic& traffic,
                    const Timing& timing);

}  // namespace sortlast
