// Traffic: messages with causes, who sends how much to whom, and what each message waits for; patterns,
// schedules and files that it is made from.
//
// Task i sends the messages first[i] .. first[i + 1] - 1. A message may go when all its causes are over at
// its source: a message that this task receives has arrived, one that it sends itself has been handed to the
// injection queue, a computation has ended. Two disciplines:
//   in order      a task sends its messages one after the other, as listed (a sequential program, as in the
//                 traces of FSIN)
//   not in order  a task sends whatever may go, first come, first served (an executor, a graph in GOAL)
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
  std::vector<std::int32_t> destination;  // by message: a task; the source itself: this is a computation
  std::vector<std::int64_t> size;         // by message: bytes, 0 or more; of a computation: nanoseconds
  std::vector<std::int64_t> first_cause;  // messages() + 1 entries
  std::vector<Message> causes;            // of message m: first_cause[m] .. first_cause[m + 1] - 1
  std::int64_t repeats = 1;               // iterations of all of it
  bool in_order = true;

  // Messages and computations of one iteration.
  Message messages() const { return static_cast<Message>(destination.size()); }
  bool operator==(const Traffic&) const = default;
};

// Source of every message.
SORTLAST_API std::vector<std::int32_t> sources(const Traffic& traffic);

// Messages of all iterations, and their bytes; computations are left out. Throws ArgumentError, with the
// message's number, if a sum passes 2^63 - 1.
struct TrafficTotals {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};
SORTLAST_API TrafficTotals totals(const Traffic& traffic);

// Throws ArgumentError, with the message's number, if an array has a wrong length, a task or cause does not
// exist, a size is negative, a cause neither enters nor leaves the source, traffic repeats that is not in
// order, or totals() does.
SORTLAST_API void check(const Traffic& traffic);

// The workloads of Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection Networks",
// section 3.3. With N ranks and messages of `size` bytes:
//   "2W" "3W"  wave-front over a square or cube of ranks, there and back
//   "2M" "3M"  exchange with all neighbours in a square or cube
//   "BU"       butterfly: exchange at distance 1, 2, 4, .. N/2
//   "BT"       binary tree to rank 0
//   "WF"       waterfall: `size` bytes flow through a square in messages of 8 * 2^(log10 size) bytes
// Squares need N = s^2, cubes N = s^3, BU and BT a power of two. Throws ArgumentError: an unknown name (the
// message lists them), ranks that do not fit, a size below 1; as all below, more than 2^31 - 1 messages, or
// more than 2^63 - 1 bytes.
SORTLAST_API Traffic pattern(std::string_view name, std::int32_t ranks, std::int64_t size);

struct PatternEntry {
  std::string name;
  std::string summary;  // one sentence
};
SORTLAST_API const std::vector<PatternEntry>& patterns();

// The usual synthetic ones. Every rank sends to rank + 1, rank + 2, ... in this order; nobody waits.
SORTLAST_API Traffic all_to_all(std::int32_t ranks, std::int64_t size);
// The stages s of [first, last), 1 <= s < ranks: i sends to (i + s) mod ranks, and goes on to the next stage
// when it has received its message of this one. Throws ArgumentError for other stages.
SORTLAST_API Traffic shift(std::int32_t ranks, std::int64_t size, std::int32_t first, std::int32_t last);
// The steps [first, last) of a pattern of the fabric lab, counted from 1: of all its stages with their
// repetitions. Task i is participant i, and goes on to the next step when it has received its messages of
// this one. Throws ArgumentError for other steps.
SORTLAST_API Traffic pattern_traffic(const fabric::Pattern& pattern, std::int64_t first, std::int64_t last);
// Every rank sends `messages` to others drawn uniformly; nobody waits.
SORTLAST_API Traffic uniform(std::int32_t ranks, std::int64_t size, std::int32_t messages,
                             std::uint64_t seed);

// The halo exchange of a simulation: the ranks of a grid, whose first axis runs fastest, send a face of
// `size` bytes to each of their neighbours along every axis, and the next one when they have received one
// from all. Borders have no neighbours. Throws ArgumentError: no grid, a side, size or iterations below 1.
SORTLAST_API Traffic halo(const std::vector<std::int32_t>& grid, std::int64_t size,
                          std::int32_t iterations = 1);

// The transfers of a schedule: task i is rank i. Every send of pixels becomes a message of pixels times
// pixel_bytes (and times the fragment's layers, where ranks start with several images) that waits for the
// receives which its part needs, directly or through merges, and goes as soon as they are there. Blending
// takes no time. Throws ArgumentError if pixel_bytes is below 1, or all transfers have more than 2^63 - 1
// bytes.
SORTLAST_API Traffic schedule_traffic(const Schedule& schedule, std::int64_t pixel_bytes);

// A job: its traffic, and the host of each of its tasks.
struct JobTraffic {
  Traffic traffic;
  fabric::Placement hosts;
};

// Several jobs on one network.
struct Joined {
  Traffic traffic;
  fabric::Placement placement;                   // host of each task of it
  std::vector<std::vector<std::int32_t>> tasks;  // by job and its task: the task of `traffic`
  std::vector<std::int32_t> job;                 // by message of `traffic`: whose it is
};

// The traffic of all jobs, which begin together and do not wait for each other. Hosts may be shared: by tasks
// side by side, as the flow simulator takes them; or, with share_hosts, by making all tasks of a host one,
// which sends whatever may go first, as the packet simulator needs it. If all jobs are in order and no tasks
// are made one, so is the whole. Otherwise a message of a job in order waits for the one before it: in the
// flow simulator its tasks then send one message at a time. Throws ArgumentError: no jobs, one that does not
// pass check(), a number of hosts that is not that of its tasks; with share_hosts two tasks of a job on one
// host; more than 2^31 - 1 messages, where repetitions have to be written out.
SORTLAST_API Joined join(const std::vector<JobTraffic>& jobs, bool share_hosts = false);

// GOAL text, the input of LogGOPSim (Hoefler, Schneider, Lumsdaine 2010). Understood: num_ranks, rank blocks,
// labels, send, recv, calc [ns], tag, requires, irequires, comments after // and between /* and */; "cpu C"
// and "nic C" are read and have no effect. Computations of a rank run beside each other unless one requires
// the other. Throws Error, with the line, for anything else, for labels that are missing or require each
// other, sends and receives that do not match.
SORTLAST_API Traffic read_goal(std::string_view text, std::string name = "GOAL");
// Repetitions are written out.
SORTLAST_API void write_goal(const Traffic& traffic, std::ostream& out);

// Traces of FSIN: lines "s FROM TO TAG BYTES" and "r FROM TO TAG BYTES" in the order of each task's program,
// "c TASK NANOSECONDS", comments after #. Tasks are 0 .. the highest that occurs. Messages of a task to
// itself are left out, as FSIN does. Throws Error, with the line.
SORTLAST_API Traffic read_fsin(std::string_view text, std::string name = "FSIN trace");
// In-order traffic only: throws ArgumentError for other.
SORTLAST_API void write_fsin(const Traffic& traffic, std::ostream& out);

}  // namespace sortlast::simulate
