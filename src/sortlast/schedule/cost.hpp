// Cost of a schedule by the alpha-beta-gamma model of both papers.
//
// Sources: Table 1 and section 4 of the shift paper; section 3.2 of the radix-k paper. Symbols: alpha,
// latency per message [s]; beta, transfer time per pixel [s]; gamma, time to blend one pixel [s]. The
// fabric is fully connected, a rank sends one message and receives one message at a time.
#pragma once

#include <string_view>

#include "sortlast/schedule/schedule.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

// How the latency term counts. The papers disagree about radix-k: the radix-k paper charges alpha once
// a round, as its k_i - 1 messages start together (alpha r); the shift paper charges every message
// (alpha sum(k_i - 1)).
enum class Latency { per_message, per_round };

struct CostModel {
  double alpha = 1e-6;       // [s]; defaults: 4x DDR InfiniBand, shift paper section 4
  double beta = 16 / 1.8e9;  // [s] a pixel of 16 bytes at 1800 MB/s
  double gamma = 16 / 5e9;   // [s] a pixel of 16 bytes blended at 5 GB/s
  Latency latency = Latency::per_message;
  bool overlap = false;  // whether blending hides behind transfers where the algorithm allows it
};

// Price a schedule by walking the program of its costliest rank... see cost.cpp. Costs O(all steps).
Timing price(const Schedule& schedule, const CostModel& model);

}  // namespace sortlast
