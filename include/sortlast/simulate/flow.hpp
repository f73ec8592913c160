// Flow simulator: traffic, and the frames of a schedule, with each message as a flow that has its max-min
// fair share of the links.
//
// A flow uses the one path of static routes, or is split over all paths that adaptive routing may take. With
// ordered_links flows queue at every link instead of sharing it.
//
// Meant for messages that are long compared with the network's latency, and for fabrics and images too large
// for the packet simulator. Switches have no buffers and links no latency: a message first costs
// message_seconds, and then its bytes flow over all its channels at once.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/spreading.hpp"
#include "sortlast/progress.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/simulate/traffic.hpp"
#include "sortlast/timing.hpp"

namespace sortlast::simulate {

// One path for each pair of hosts; or all paths of a spreading, with each flow split evenly at every switch,
// as packets are in the long run.
using Ways = std::variant<fabric::Routes, fabric::Spreading>;

struct FlowOptions {
  double link_bytes_per_second = 1.25e9;  // of each direction of every link
  double message_seconds = 0;             // cost of a message before its bytes move; occupies the sender
  std::int32_t sends_at_once = 1;         // concurrent outgoing messages of a task; 0: any number
  // Concurrent incoming messages of a task; 0: any number. Others wait, in the order in which they would have
  // begun to move. In the k-port model of a node that drives k links, both limits are k.
  std::int32_t receives_at_once = 0;
  // Events no further apart than this fraction of the time since the start happen together, at the earliest
  // of them; 0 .. 0.1. Raise it if irregular traffic on a large fabric has too many events.
  double precision = 1e-9;
  bool message_log = false;
  // Whether links between hosts and their switches limit flows. False if each node is its own router, as in a
  // torus of nodes, and can use all its links at once.
  bool host_links = true;
  // Whether a link serves messages one at a time at the full rate, first come, first served. Otherwise all
  // messages share it, and messages that begin together end together.
  bool ordered_links = false;
  // Share of each channel's rate taken by other traffic, at least 0 and below 1: one number for all channels,
  // or one per channel of the topology; empty: none.
  std::vector<double> background = {};
  Progress progress = {};  // fraction of the messages that have arrived
};

struct FlowRecord {
  Traffic::Message message = 0;
  std::int64_t iteration = 0;
  double start = 0;  // when the message was sent or the computation began [s] ...
  double end = 0;    // ... and when its last byte arrived or it ended [s]
};

// Statistics of one task.
struct TaskResult {
  double end = 0;      // end of its last message or computation [s]
  double compute = 0;  // time in computations [s] ...
  double hidden = 0;   // ... and the part of it with messages of the task under way [s]
  std::int64_t bytes_sent = 0, bytes_received = 0;
  std::int64_t messages_sent = 0, messages_received = 0;
};

struct FlowResult {
  double seconds = 0;                       // until everything had ended
  std::int64_t messages = 0;                // arrived
  std::int64_t bytes = 0;                   // arrived
  std::vector<std::int64_t> channel_bytes;  // by channel of the topology; 0 for ignored host links; rounded
  std::vector<TaskResult> tasks;
  std::vector<FlowRecord> log;  // if message_log: in order of their ends, with computations
  std::int64_t events = 0;      // distinct times at which something happened
  std::int64_t shares = 0;      // number of computed rates
  std::int64_t bytes_used = 0;  // memory of the simulation, without topology and traffic
};

// Task i runs on host placement[i]; a host may have several tasks. Messages within a host cost
// message_seconds. Equal arguments give equal runs. Throws ArgumentError for a placement or option that does
// not fit, ordered_links with a spreading, and a run of more seconds than a double can hold; Error for routes
// that lead nowhere, for messages in a deadlock, with their names, and if "cancelled".
SORTLAST_API FlowResult simulate_flows(const Ways& ways, const Traffic& traffic,
                                       const fabric::Placement& placement, const FlowOptions& options = {});

// Bandwidth from each task to each other [byte/s], row by row: the bytes of all messages divided by their
// total duration with their cost; 0 if there are none. Throws ArgumentError if the run has no log of this
// traffic, or for more than 16,384 tasks.
SORTLAST_API std::vector<double> bandwidth_matrix(const Traffic& traffic, const FlowResult& run);

// How a schedule executes its stages, blending and messages on a fabric.
struct CompositingOptions {
  std::int64_t pixel_bytes = 16;
  double active = 1;  // share of an image's pixels that are active and sent, in (0, 1]; 1: dense
  // Rate at which a rank joins the bytes of one fragment to another; 0: blending takes no time.
  double blend_bytes_per_second = 0;
  bool overlap = true;           // blending continues while messages of the rank move
  std::int32_t window = -1;      // maximum stages of a rank under way; 0: any number; -1: the schedule's
  bool rendezvous = true;        // a transfer waits until its receiver has begun the stage too
  bool barrier = false;          // all ranks begin a stage together; the window is 1
  double stage_seconds = 0;      // cost of a stage at a rank, before its messages of that stage
  std::int64_t chunk_bytes = 0;  // messages are cut at multiples of this many bytes of the image; 0: not cut
};

// Task i is rank i; a message is a transfer, or a chunk of one. A rank sends data once they are complete, in
// stages that its window admits: a stage may begin when every stage at least `window` before it has finished
// its sends and receives. Without overlap a stage is blended after its transfers and before the next stage's,
// and the window is 1. Blending and stage costs are computations, in nanoseconds.
//
// Barriers, and the rendezvous that MPI libraries use for long messages, are messages of no bytes. Stages
// that have neither a window nor a cost begin at once and need no rendezvous.
//
// A share a of active pixels becomes 1 - (1 - a)^d where d images are merged.
//
// Throws ArgumentError for an option out of range, more than 2^31 - 1 messages and computations, an image of
// more than 2^62 bytes, and a blending step of more than 9e9 seconds.
SORTLAST_API Traffic compositing_traffic(const Schedule& schedule, const CompositingOptions& options = {});

struct CompositingResult {
  Timing timing;      // of the rank that ends last; `wait` is the time without blending; messages with pixels
  double hidden = 0;  // share of its blending that does not lengthen the frame; 0 if it blends nothing
  Traffic traffic;
  FlowResult flow;  // of this traffic

  double frames_per_second() const { return timing.total > 0 ? 1 / timing.total : 0; }
};

// Rank i runs on host placement[i]. If blending takes time, a second simulation without blending determines
// the share that is hidden. Throws as compositing_traffic() and simulate_flows() do.
SORTLAST_API CompositingResult simulate(const Schedule& schedule, const Ways& ways,
                                        const fabric::Placement& placement,
                                        const CompositingOptions& options = {},
                                        const FlowOptions& flow = {.sends_at_once = 0});

}  // namespace sortlast::simulate
