// Lane claims: lanes allocated to the first packets of queues before they may cross their switch
// (LaneAllocation::lane_first).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sortlast/fabric/topology.hpp"
#include "sortlast/simulate/packet/lanes/router.hpp"

namespace sortlast::simulate {

// A port, named by its channel, and one of its lanes.
struct LaneChoice {
  fabric::Channel channel = -1;  // -1: none
  std::int32_t lane = 0;
  WayState after;  // state of a packet that goes there
};

class LaneClaims {
 public:
  // For numbered queues; none if claims are not used.
  explicit LaneClaims(std::size_t queues) : claimed_(queues), free_from_(queues, 0), last_port_(queues, 0) {}

  // The lane allocated to the first packet of a queue.
  const LaneChoice& of(std::size_t queue) const { return claimed_[queue]; }
  bool is_free(std::size_t lane, std::int32_t now) const { return free_from_[lane] <= now; }

  // The first packet of `queue`, which arrived by `port`, requests lane number `lane`.
  void ask(std::size_t queue, std::int32_t port, std::size_t lane, const LaneChoice& choice) {
    asked_.push_back({lane, queue, port, choice});
  }
  // Allocates each requested lane to the next of a switch's ports in turn.
  void grant(std::int32_t ports) {
    const auto turns = [&](const Request& request) {
      return (request.port + ports - last_port_[request.lane] - 1) % ports;
    };
    std::ranges::sort(asked_, [&](const Request& a, const Request& b) {
      return a.lane != b.lane ? a.lane < b.lane : std::pair(turns(a), a.queue) < std::pair(turns(b), b.queue);
    });
    std::size_t before = SIZE_MAX;
    for (const Request& request : asked_) {
      if (request.lane == before) continue;
      before = request.lane;
      claimed_[request.queue] = request.choice;
      free_from_[request.lane] = INT32_MAX;
      last_port_[request.lane] = request.port;
    }
    asked_.clear();
  }
  // The packet leaves; its tail will have left the switch when cycle `until` begins.
  void leave(std::size_t queue, std::size_t lane, std::int32_t until) {
    claimed_[queue] = {};
    free_from_[lane] = until;
  }

 private:
  struct Request {
    std::size_t lane = 0, queue = 0;
    std::int32_t port = 0;
    LaneChoice choice;
  };
  std::vector<LaneChoice> claimed_;      // by queue
  std::vector<std::int32_t> free_from_;  // by lane: cycle
  std::vector<std::int32_t> last_port_;  // by lane: the port that had it last
  std::vector<Request> asked_;           // in this cycle, at one switch
};

}  // namespace sortlast::simulate
