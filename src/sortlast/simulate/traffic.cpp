#include "sortlast/simulate/traffic.hpp"

#include <algorithm>

#include "sortlast/error.hpp"

namespace sortlast::simulate {

std::vector<std::int32_t> sources(const Traffic& traffic) {
  std::vector<std::int32_t> source(traffic.destination.size());
  for (std::size_t i = 0; i + 1 < traffic.first.size(); ++i) {
    std::fill(source.begin() + traffic.first[i], source.begin() + traffic.first[i + 1],
              static_cast<std::int32_t>(i));
  }
  return source;
}

namespace {

[[noreturn]] void refuse(const Traffic& traffic, const std::string& what) {
  throw ArgumentError("traffic '" + traffic.name + "': " + what);
}

// Whether a list of firsts has `count` + 1 entries that rise from 0 to `end`.
template <class Index>
bool covers(const std::vector<Index>& first, std::size_t count, std::size_t end) {
  return first.size() == count + 1 && first.front() == 0 && static_cast<std::size_t>(first.back()) == end &&
         std::is_sorted(first.begin(), first.end());
}

void check_arrays(const Traffic& traffic) {
  const std::size_t count = traffic.destination.size();
  if (traffic.tasks < 1) refuse(traffic, "there are no tasks");
  if (count > static_cast<std::size_t>(INT32_MAX)) refuse(traffic, "more than 2^31 - 1 messages");
  if (!covers(traffic.first, static_cast<std::size_t>(traffic.tasks), count)) {
    refuse(traffic, "`first` does not divide the messages among the tasks");
  }
  if (traffic.size.size() != count) refuse(traffic, "one size a message is needed");
  if (!covers(traffic.first_cause, count, traffic.causes.size())) {
    refuse(traffic, "`first_cause` does not divide the causes among the messages");
  }
  if (traffic.repeats < 1) refuse(traffic, "repeats is " + std::to_string(traffic.repeats));
  if (traffic.repeats > 1 && !traffic.in_order) refuse(traffic, "only traffic in order can repeat");
}

}  // namespace

TrafficTotals totals(const Traffic& traffic) {
  // Computations count too: simulators number them like messages.
  std::int64_t events = 0;
  if (__builtin_mul_overflow(std::int64_t{traffic.messages()}, traffic.repeats, &events)) {
    refuse(traffic, std::to_string(traffic.messages()) + " messages and computations, " +
                        std::to_string(traffic.repeats) + " times, are more than 2^63 - 1");
  }
  const std::vector<std::int32_t> source = sources(traffic);
  std::int64_t messages = 0, bytes = 0, all_bytes = 0;  // bytes of one iteration, and of all
  for (std::size_t m = 0; m < source.size(); ++m) {
    if (source[m] == traffic.destination[m]) continue;
    ++messages;
    if (__builtin_add_overflow(bytes, traffic.size[m], &bytes) ||
        __builtin_mul_overflow(bytes, traffic.repeats, &all_bytes)) {
      refuse(traffic, "with message " + std::to_string(m) + " of task " + std::to_string(source[m]) + " (" +
                          std::to_string(traffic.size[m]) +
                          " bytes) there are more than 2^63 - 1 bytes in all");
    }
  }
  return {messages * traffic.repeats, all_bytes};
}

void check(const Traffic& traffic) {
  check_arrays(traffic);
  const std::vector<std::int32_t> source = sources(traffic);
  const auto message = [&](std::size_t m) { return "message " + std::to_string(m); };
  for (std::size_t m = 0; m < source.size(); ++m) {
    if (traffic.destination[m] < 0 || traffic.destination[m] >= traffic.tasks) {
      refuse(traffic, message(m) + " goes to task " + std::to_string(traffic.destination[m]) +
                          ", which does not exist: there are " + std::to_string(traffic.tasks));
    }
    if (traffic.size[m] < 0) {
      refuse(traffic, message(m) + " has the size " + std::to_string(traffic.size[m]));
    }
    for (std::int64_t i = traffic.first_cause[m]; i < traffic.first_cause[m + 1]; ++i) {
      const Traffic::Message cause = traffic.causes[static_cast<std::size_t>(i)];
      if (cause < 0 || cause >= traffic.messages()) {
        refuse(traffic,
               message(m) + " waits for message " + std::to_string(cause) + ", which does not exist");
      }
      const auto c = static_cast<std::size_t>(cause);
      if (source[c] != source[m] && traffic.destination[c] != source[m]) {
        refuse(traffic, message(m) + " of task " + std::to_string(source[m]) + " waits for " + message(c) +
                            ", which this task neither sends nor receives");
      }
    }
  }
  (void)totals(traffic);
}

}  // namespace sortlast::simulate
