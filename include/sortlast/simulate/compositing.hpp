// Compositing on a network: what a schedule takes on a fabric, with its stages, its blending and its
// messages.
#pragma once

#include <cstdint>

#include "sortlast/export.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/simulate/flow.hpp"
#include "sortlast/simulate/traffic.hpp"
#include "sortlast/timing.hpp"

namespace sortlast::simulate {

struct CompositingOptions {
  std::int64_t pixel_bytes = 16;
  double active = 1;  // share of an image's pixels that are active and sent, in (0, 1]; 1: dense
  // Bytes of a fragment that a rank joins to another in a second; 0: blending takes no time.
  double blend_bytes_per_second = 0;
  bool overlap = true;       // blending goes on while messages of the rank move
  std::int32_t window = -1;  // most stages of a rank under way at once; 0: any number; -1: the schedule's
  bool rendezvous = true;    // a transfer waits until its receiver has begun the stage too
  bool barrier = false;      // all ranks begin a stage together; the window is 1
  double stage_seconds = 0;  // cost of a stage at a rank, before its messages of that stage may go
  std::int64_t chunk_bytes =
      0;  // messages are cut at multiples of so many bytes of the image; 0: they are not
};

// Task i is rank i; a message is a transfer, or a chunk of one. A rank sends what is complete, in stages that
// its window lets be under way: a stage may begin when all stages `window` and more before it are through,
// sends and receives. Without overlap a stage is blended after its transfers and before the next stage's, and
// the window is 1. Blending and stage costs are computations, in nanoseconds.
//
// Rendezvous, as MPI libraries do it for long messages, and barriers are messages of no bytes. Stages that
// have neither a window nor a cost begin at once and need no rendezvous.
//
// A share a of active pixels becomes 1 - (1 - a)^d where d images are merged.
//
// Throws ArgumentError: an option outside its range; more than 2^31 - 1 messages and computations; an image
// of more than 2^62 bytes; a blending step of more than 9e9 seconds.
SORTLAST_API Traffic compositing_traffic(const Schedule& schedule, const CompositingOptions& options = {});

struct CompositingResult {
  Timing timing;      // of the rank that ends last; `wait` is when it did not blend; messages with pixels
  double hidden = 0;  // share of its blending that does not make the frame longer; 0 if it blends nothing
  Traffic traffic;
  FlowResult flow;  // of this traffic

  double frames_per_second() const { return timing.total > 0 ? 1 / timing.total : 0; }
};

// Rank i runs on host placement[i]. If blending takes time, what hides it is found by a second simulation in
// which it does not. Throws what compositing_traffic() and simulate_flows() throw.
SORTLAST_API CompositingResult simulate(const Schedule& schedule, const fabric::Routes& routes,
                                        const fabric::Placement& placement,
                                        const CompositingOptions& options = {},
                                        const FlowOptions& flow = {.sends_at_once = 0});

}  // namespace sortlast::simulate
