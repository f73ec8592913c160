// Traffic: messages with causes, who sends how much to whom, and what each message waits for.
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
#include <string>
#include <vector>

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
std::vector<std::int32_t> sources(const Traffic& traffic);

// Messages of all iterations, and their bytes; computations are left out.
struct TrafficTotals {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};
TrafficTotals totals(const Traffic& traffic);

// Throws ArgumentError, with the message's number, if an array has a wrong length, a task or cause does not
// exist, a size is negative, a cause neither enters nor leaves the source, or traffic repeats that is not in
// order.
void check(const Traffic& traffic);

}  // namespace sortlast::simulate
