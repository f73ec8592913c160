// Traffic: totals and checks, and the transfers of a schedule.
#include "sortlast/simulate/traffic.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/schedule/depth_layers.hpp"

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

// Whether a list of first indices has `count` + 1 entries that rise from 0 to `end`.
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

// A send needs a part of a value; the value is the rank's own image, or was received, or was merged from
// parts of others. Its causes are therefore the receives at the ends of all these chains.

namespace {

// Messages of a schedule are numbered from their source's first on, in the order of its sends with pixels.
struct Numbers {
  std::vector<Program> programs;
  std::vector<std::vector<Traffic::Message>> sent;      // by rank and send; -1: no pixels
  std::vector<std::vector<Traffic::Message>> received;  // by rank and receive
};

// Both ends of a pair list the transfers between them in the same order.
void match_receives(Numbers& numbers) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Traffic::Message>> between;
  for (std::size_t r = 0; r < numbers.programs.size(); ++r) {
    for (std::size_t i = 0; i < numbers.programs[r].sends.size(); ++i) {
      between[{static_cast<std::int32_t>(r), numbers.programs[r].sends[i].peer}].push_back(
          numbers.sent[r][i]);
    }
  }
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> taken;
  for (std::size_t r = 0; r < numbers.programs.size(); ++r) {
    std::vector<Traffic::Message>& received = numbers.received.emplace_back();
    for (const Receive& receive : numbers.programs[r].receives) {
      const std::pair key(receive.peer, static_cast<std::int32_t>(r));
      const std::vector<Traffic::Message>& sends = between[key];
      const std::size_t k = taken[key]++;
      if (k >= sends.size()) {
        throw Error("rank " + std::to_string(r) + " receives more from rank " + std::to_string(receive.peer) +
                    " than that one sends to it");
      }
      received.push_back(sends[k]);
    }
  }
}

// Finds the receives that a part of a value needs.
class Needs {
 public:
  Needs(const Program& program, const std::vector<Traffic::Message>& received)
      : merges_(program.values.size()), arrival_(program.values.size(), -1) {
    for (const Merge& merge : program.merges)
      merges_[static_cast<std::size_t>(merge.value)].push_back(&merge);
    for (std::size_t i = 0; i < received.size(); ++i) {
      arrival_[static_cast<std::size_t>(program.receives[i].value)] = received[i];
    }
  }

  // Each once, in ascending order.
  std::vector<Traffic::Message> of(Value value, Range pixels) const {
    std::vector<Traffic::Message> found;
    std::vector<std::pair<Value, Range>> open{{value, pixels}};
    while (!open.empty()) {
      const auto [v, part] = open.back();
      open.pop_back();
      const auto at = static_cast<std::size_t>(v);
      if (arrival_[at] >= 0) found.push_back(arrival_[at]);
      for (const Merge* merge : merges_[at]) {
        const Range shared = intersection(merge->pixels, part);
        if (shared.empty()) continue;
        for (const Merge::Input& input : merge->inputs) open.emplace_back(input.value, shared);
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  std::vector<std::vector<const Merge*>> merges_;  // by value: merges that write it
  std::vector<Traffic::Message> arrival_;          // by value; -1: not received
};

}  // namespace

Traffic schedule_traffic(const Schedule& schedule, std::int64_t pixel_bytes) {
  if (pixel_bytes < 1) {
    throw ArgumentError("pixel_bytes is " + std::to_string(pixel_bytes) + "; expected 1 or more");
  }
  if (schedule.n() > INT64_MAX / pixel_bytes) {
    throw ArgumentError(std::to_string(schedule.n()) + " pixels of " + std::to_string(pixel_bytes) +
                        " bytes are more than 2^63 - 1 bytes");
  }

  // Number the sends that carry pixels.
  Traffic made;
  made.name = schedule.name();
  made.tasks = schedule.p();
  made.in_order = false;
  Numbers numbers;
  const DepthLayers depth_layers(schedule);
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    made.first.push_back(made.messages());
    numbers.programs.push_back(schedule.program(rank));
    std::vector<Traffic::Message>& sent = numbers.sent.emplace_back();
    for (const Send& send : numbers.programs.back().sends) {
      sent.push_back(send.pixels.empty() ? -1 : made.messages());
      if (send.pixels.empty()) continue;
      made.destination.push_back(send.peer);
      const Fragment& whole = numbers.programs.back().values[static_cast<std::size_t>(send.value)];
      const std::int64_t layers = depth_layers.of(whole.depth).layers;
      std::int64_t bytes = 0;
      if (__builtin_mul_overflow(send.pixels.size() * pixel_bytes, layers, &bytes))
        throw ArgumentError(std::to_string(send.pixels.size()) + " pixels of " + std::to_string(pixel_bytes) +
                            " bytes in " + std::to_string(layers) + " layers are more than 2^63 - 1 bytes");
      made.size.push_back(bytes);
    }
  }
  made.first.push_back(made.messages());
  match_receives(numbers);

  // Find the causes of each of them.
  made.first_cause.push_back(0);
  for (std::size_t r = 0; r < numbers.programs.size(); ++r) {
    const Program& program = numbers.programs[r];
    const Needs needs(program, numbers.received[r]);
    for (const Send& send : program.sends) {
      if (send.pixels.empty()) continue;
      const std::vector<Traffic::Message> causes = needs.of(send.value, send.pixels);
      made.causes.insert(made.causes.end(), causes.begin(), causes.end());
      made.first_cause.push_back(static_cast<std::int64_t>(made.causes.size()));
    }
  }
  (void)totals(made);
  return made;
}

}  // namespace sortlast::simulate
