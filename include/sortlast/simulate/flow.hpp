// Flow simulator: traffic on static routes, each message a flow that has its max-min fair share of the links.
//
// For messages that are long beside the network's latency, and for fabrics and images past what packets
// allow. See src/sortlast/simulate/flow.cpp for the model.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/progress.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

struct FlowOptions {
  double link_bytes_per_second = 1.25e9;  // of each direction of every link
  double message_seconds = 0;      // cost of a message, before its bytes move; its sender is busy with it
  std::int32_t sends_at_once = 1;  // messages of a task that may be under way at once; 0: any number
  // Events no further apart than this part of the time since the start happen together, at the earliest of
  // them; 0 .. 0.1. Raise it where irregular traffic of a large fabric has too many events.
  double precision = 1e-9;
  bool message_log = false;
  // Whether the links between hosts and their switches count. False where a node is its own router, as in a
  // torus of nodes, and can use all its links at once.
  bool host_links = true;
  Progress progress = {};  // part of the messages that have arrived
};

struct FlowRecord {
  Traffic::Message message = 0;
  std::int64_t iteration = 0;
  double start = 0;  // when it went, or the computation began [s] ...
  double end = 0;    // ... and when its last byte arrived, or it ended [s]
};

// What one task did.
struct TaskResult {
  double end = 0;      // of its last message or computation [s]
  double compute = 0;  // with computations [s] ...
  double hidden = 0;   // ... and of these while messages of its own were under way [s]
  std::int64_t bytes_sent = 0, bytes_received = 0;
  std::int64_t messages_sent = 0, messages_received = 0;
};

struct FlowResult {
  double seconds = 0;                       // until everything was over
  std::int64_t messages = 0;                // that arrived
  std::int64_t bytes = 0;                   // that arrived
  std::vector<std::int64_t> channel_bytes;  // by channel of the topology; 0 where it does not count
  std::vector<TaskResult> tasks;
  std::vector<FlowRecord> log;  // if message_log: in order of their ends; computations too
  std::int64_t events = 0;      // times at which something happened
  std::int64_t shares = 0;      // rates that were computed
  std::int64_t bytes_used = 0;  // memory that the simulation held, without topology and traffic
};

// Task i runs on host placement[i]; a host may have several. Messages within a host cost message_seconds.
// Equal arguments give equal runs.
// Throws ArgumentError: a placement or option that does not fit, seconds that no double counts; Error: routes
// that lead nowhere; messages that wait for each other for ever, and which; "cancelled".
SORTLAST_API FlowResult simulate_flows(const fabric::Routes& routes, const Traffic& traffic,
                                       const fabric::Placement& placement, const FlowOptions& options = {});

// Bandwidth from each task to each other [byte/s], row by row: all bytes by the time that their messages
// took, from the beginning of their cost; 0 where there are none. The run must have a log of this traffic.
// Throws ArgumentError if it does not, or there are more than 16,384 tasks.
SORTLAST_API std::vector<double> bandwidth_matrix(const Traffic& traffic, const FlowResult& run);

}  // namespace sortlast::simulate
