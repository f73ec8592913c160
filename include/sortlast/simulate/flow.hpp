// Flow simulator: traffic, and the frames of a schedule, each message a flow that has its max-min fair share
// of the links: on the one path of static routes, or split over all ways that adaptive routing may take.
//
// With ordered_links flows queue at every link in place of sharing it.
//
// For messages that are long beside the network's latency, and for fabrics and images past what packets
// allow. Switches have no buffers and links no latency: a message first costs message_seconds, and then its
// bytes flow over all its channels at once.
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

// One path for each pair of hosts; or all ways of a spreading, with each flow split evenly at every switch,
// as packets are in the long run.
using Ways = std::variant<fabric::Routes, fabric::Spreading>;

struct FlowOptions {
  double link_bytes_per_second = 1.25e9;  // of each direction of every link
  double message_seconds = 0;      // cost of a message, before its bytes move; its sender is busy with it
  std::int32_t sends_at_once = 1;  // messages of a task that may be under way at once; 0: any number
  // Messages whose bytes may come to a task at once; 0: any number. Others wait, in the order in which they
  // would have begun to move. The k-port model of a node that drives k links is k of both.
  std::int32_t receives_at_once = 0;
  // Events no further apart than this part of the time since the start happen together, at the earliest of
  // them; 0 .. 0.1. Raise it where irregular traffic of a large fabric has too many events.
  double precision = 1e-9;
  bool message_log = false;
  // Whether the links between hosts and their switches count. False where a node is its own router, as in a
  // torus of nodes, and can use all its links at once.
  bool host_links = true;
  // Whether a link serves the messages that come to it one after the other, first come, first served, each
  // at the whole rate. Else all share it, and those that begin together end together.
  bool ordered_links = false;
  // Share of each channel's rate that others take, 0 or more and below 1: of all channels alike if there is
  // one number, else by channel of the topology; empty: none.
  std::vector<double> background = {};
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
  std::vector<std::int64_t> channel_bytes;  // by channel of the topology; 0 where it does not count; rounded
  std::vector<TaskResult> tasks;
  std::vector<FlowRecord> log;  // if message_log: in order of their ends; computations too
  std::int64_t events = 0;      // times at which something happened
  std::int64_t shares = 0;      // rates that were computed
  std::int64_t bytes_used = 0;  // memory that the simulation held, without topology and traffic
};

// Task i runs on host placement[i]; a host may have several. Messages within a host cost message_seconds.
// Equal arguments give equal runs.
// Throws ArgumentError: a placement or option that does not fit, ordered_links with a spreading, seconds that
// no double counts; Error: routes that lead nowhere; messages that wait for each other for ever, and which;
// "cancelled".
SORTLAST_API FlowResult simulate_flows(const Ways& ways, const Traffic& traffic,
                                       const fabric::Placement& placement, const FlowOptions& options = {});

// Bandwidth from each task to each other [byte/s], row by row: all bytes by the time that their messages
// took, from the beginning of their cost; 0 where there are none. The run must have a log of this traffic.
// Throws ArgumentError if it does not, or there are more than 16,384 tasks.
SORTLAST_API std::vector<double> bandwidth_matrix(const Traffic& traffic, const FlowResult& run);

// What a schedule takes on a fabric, with its stages, its blending and its messages.
struct CompositingOptions {
  std::int64_t pixel_bytes = 16;
  double active = 1;  // share of an image's pixels that are active and sent, in (0, 1]; 1: dense
  // Bytes of a fragment that a rank joins to another in a second; 0: blending takes no time.
  double blend_bytes_per_second = 0;
  bool overlap = true;           // blending goes on while messages of the rank move
  std::int32_t window = -1;      // most stages of a rank under way at once; 0: any number; -1: the schedule's
  bool rendezvous = true;        // a transfer waits until its receiver has begun the stage too
  bool barrier = false;          // all ranks begin a stage together; the window is 1
  double stage_seconds = 0;      // cost of a stage at a rank, before its messages of that stage may go
  std::int64_t chunk_bytes = 0;  // messages are cut at multiples of so many bytes of the image; 0: not
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
SORTLAST_API CompositingResult simulate(const Schedule& schedule, const Ways& ways,
                                        const fabric::Placement& placement,
                                        const CompositingOptions& options = {},
                                        const FlowOptions& flow = {.sends_at_once = 0});

}  // namespace sortlast::simulate
