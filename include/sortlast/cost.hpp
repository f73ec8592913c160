// Cost of a schedule by the alpha-beta-gamma model of both papers.
//
// Sources: Table 1 and section 4 of the shift paper; section 3.2 of the radix-k paper. Symbols: alpha,
// latency per message [s]; beta, transfer time per pixel [s]; gamma, time to blend one pixel [s]. The
// network is fully connected; a rank sends one message and receives one message at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sortlast/export.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

// How the latency term counts. The papers disagree about radix-k: the radix-k paper charges alpha once per
// round, because the k_i - 1 messages of a round start together (alpha r); the shift paper charges every
// message (alpha sum(k_i - 1)).
enum class Latency : std::uint8_t { per_message, per_round };

// The defaults are the shift paper's 4x DDR InfiniBand (section 4), with pixels of 16 bytes blended at 5
// GB/s. The paper's beta, 0.53e-9 s, is the time per byte.
struct CostModel {
  double alpha = 1e-6;
  double beta = 16 / 1.8e9;
  double gamma = 16 / 5e9;
  Latency latency = Latency::per_message;
  bool overlap = false;  // blending hides behind the transfers of the same stage and later ones
};

// Price a schedule by walking its programs: `wait` (alpha and beta terms), `blend` (gamma) and `total` of the
// slowest rank. The stages of each rank follow one another without waiting for other ranks. Bytes are unknown
// here and stay 0. Costs O(all steps).
SORTLAST_API Timing price(const Schedule& schedule, const CostModel& model);

// The closed form of Table 1 as published, with gamma times the largest number of pixels that one rank
// blends. `name` may include parameters. Throws ArgumentError.
SORTLAST_API Timing published_cost(std::string_view name, std::int32_t p, std::int64_t n,
                                   const CostModel& model);

}  // namespace sortlast
