// Traffic: messages, computations and the order between them; made from patterns, schedules and files.
//
// Task i sends the messages first[i] .. first[i + 1] - 1. A message may be sent when all its causes have
// ended at its source: a message to this task has arrived, a message from it has been handed to the injection
// queue, a computation has ended. There are two disciplines:
//   in order      a task sends its messages one after the other, as listed (a sequential program, as in the
//                 traces of FSIN)
//   not in order  a task sends any message that is ready, first come, first served (an executor, a graph in
//                 GOAL)
// A program that repeats is stored once: message m of iteration r waits for iteration r of its causes.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/pattern.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast::simulate {

struct Traffic {
  using Message = std::int32_t;

  std::string name;
  std::int32_t tasks = 0;
  std::vector<Message> first;             // tasks + 1 entries
  std::vector<std::int32_t> destination;  // by message: a task; equal to the source for a computation
  std::vector<std::int64_t> size;         // by message: bytes, 0 or more; for a computation, nanoseconds
  std::vector<std::int64_t> first_cause;  // messages() + 1 entries
  std::vector<Message> causes;            // of message m: first_cause[m] .. first_cause[m + 1] - 1
  std::int64_t repeats = 1;               // iterations of the whole
  bool in_order = true;

  // Messages and computations of one iteration.
  Message messages() const { return static_cast<Message>(destination.size()); }
  bool operator==(const Traffic&) const = default;
};

// Source of each message.
SORTLAST_API std::vector<std::int32_t> sources(const Traffic& traffic);

// Number of messages of all iterations, and their bytes, without computations. Throws ArgumentError, with the
// message's number, if a sum exceeds 2^63 - 1.
struct TrafficTotals {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};
SORTLAST_API TrafficTotals totals(const Traffic& traffic);

// Throws ArgumentError, with the message's number, if an array has the wrong length, a task or cause does not
// exist, a size is negative, a cause neither enters nor leaves the source, or traffic repeats but is not in
// order; and as totals() does.
SORTLAST_API void check(const Traffic& traffic);

// The workloads of Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection Networks",
// section 3.3. With N ranks and messages of `size` bytes:
//   "2W" "3W"  wave-front over a square or cube of ranks, there and back
//   "2M" "3M"  exchange with all neighbours in a square or cube
//   "BU"       butterfly: exchange at distance 1, 2, 4, .. N/2
//   "BT"       binary tree to rank 0
//   "WF"       waterfall: `size` bytes flow through a square in messages of 8 * 2^(log10 size) bytes
// Squares need N = s^2, cubes N = s^3, BU and BT a power of two. Throws ArgumentError for an unknown name
// (the message lists them), a number of ranks that does not fit, and a size below 1; and, like all functions
// below, for more than 2^31 - 1 messages or 2^63 - 1 bytes.
SORTLAST_API Traffic pattern(std::string_view name, std::int32_t ranks, std::int64_t size);

struct PatternEntry {
  std::string name;
  std::string summary;  // one sentence
};
SORTLAST_API const std::vector<PatternEntry>& patterns();

// Common synthetic traffic. Every rank sends to rank + 1, rank + 2, ... in this order, without waiting.
SORTLAST_API Traffic all_to_all(std::int32_t ranks, std::int64_t size);
// Stages s of [first, last), 1 <= s < ranks: i sends to (i + s) mod ranks, and starts the next stage when it
// has received its message of this one. Throws ArgumentError for other stages.
SORTLAST_API Traffic shift(std::int32_t ranks, std::int64_t size, std::int32_t first, std::int32_t last);
// Steps [first, last) of a pattern of the fabric lab, counted from 1 over all its stages with their
// repetitions. Task i is participant i, and starts the next step when it has received its messages of this
// one. Throws ArgumentError for other steps.
SORTLAST_API Traffic pattern_traffic(const fabric::Pattern& pattern, std::int64_t first, std::int64_t last);
// Every rank sends `messages` messages to other ranks drawn uniformly, without waiting.
SORTLAST_API Traffic uniform(std::int32_t ranks, std::int64_t size, std::int32_t messages,
                             std::uint64_t seed);

// The halo exchange of a simulation. The ranks form a grid with the first axis fastest. Each sends a face of
// `size` bytes to its neighbours along every axis, and starts the next iteration when it has received a face
// from all of them. Borders have no neighbours beyond them. Throws ArgumentError for a grid without axes, and
// a side, size or iterations below 1.
SORTLAST_API Traffic halo(const std::vector<std::int32_t>& grid, std::int64_t size,
                          std::int32_t iterations = 1);

// The transfers of a schedule; task i is rank i. Every send of pixels becomes a message of pixels times
// pixel_bytes (and times the fragment's layers where ranks start with several images). It waits for the
// receives that its part needs, directly or through merges, and is sent as soon as they have arrived.
// Blending takes no time. Throws ArgumentError if pixel_bytes is below 1, or if all transfers have more than
// 2^63 - 1 bytes.
SORTLAST_API Traffic schedule_traffic(const Schedule& schedule, std::int64_t pixel_bytes);

// A job: its traffic, and the host of each task.
struct JobTraffic {
  Traffic traffic;
  fabric::Placement hosts;
};

// Several jobs on one network.
struct Joined {
  Traffic traffic;
  fabric::Placement placement;                   // host of each of its tasks
  std::vector<std::vector<std::int32_t>> tasks;  // by job and task: the task in `traffic`
  std::vector<std::int32_t> job;                 // by message of `traffic`: its job
};

// The traffic of all jobs, which begin together and do not wait for each other. Jobs may share hosts. By
// default the tasks of a host run side by side, as the flow simulator allows. With share_hosts all tasks of a
// host are combined into one, which sends any message that is ready, as the packet simulator requires. The
// result is in order if all jobs are and no tasks are combined. Otherwise each message of an in-order job
// waits for the one before it, and in the flow simulator the job's tasks send one message at a time. Throws
// ArgumentError if there are no jobs, if a job fails check() or does not have one host per task, if two tasks
// of a job share a host (with share_hosts), and for more than 2^31 - 1 messages, where repetitions have to be
// written out.
SORTLAST_API Joined join(const std::vector<JobTraffic>& jobs, bool share_hosts = false);

// Reads GOAL text, the input of LogGOPSim (Hoefler, Schneider, Lumsdaine 2010). Supported are num_ranks, rank
// blocks, labels, send, recv, calc [ns], tag, requires, irequires, and comments after // and between /* and
// */. "cpu C" and "nic C" are read and ignored. Computations of a rank run concurrently unless one requires
// the other. Throws Error, with the line, for anything else, for labels that are missing or require each
// other, and for sends and receives that do not match.
SORTLAST_API Traffic read_goal(std::string_view text, std::string name = "GOAL");
// Writes GOAL text, with repetitions written out.
SORTLAST_API void write_goal(const Traffic& traffic, std::ostream& out);

// Reads FSIN traces: lines "s FROM TO TAG BYTES" and "r FROM TO TAG BYTES" in the order of each task's
// program, lines "c TASK NANOSECONDS", and comments after #. Tasks are 0 .. the highest number that occurs.
// Messages of a task to itself are left out, as in FSIN. Throws Error, with the line.
SORTLAST_API Traffic read_fsin(std::string_view text, std::string name = "FSIN trace");
// Throws ArgumentError for traffic that is not in order.
SORTLAST_API void write_fsin(const Traffic& traffic, std::ostream& out);

}  // namespace sortlast::simulate
