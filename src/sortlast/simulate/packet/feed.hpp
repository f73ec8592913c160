// Feed: the tasks and their injection queues. Turns traffic into packets, and arrivals into the messages that
// they cause.
//
// A message is cut into packets only as they enter the queue, one per cycle, so that memory does not grow
// with the length of messages. A packet occupies its place in the queue until its tail has left. Packets of
// the background (background.hpp) wait outside the queue, and enter it first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/random.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/packet/background.hpp"
#include "sortlast/simulate/traffic.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {

class Feed {
 public:
  struct Packet {
    Traffic::Message message = 0;
    std::int32_t entered = 0;  // cycle in which it entered the queue
  };

  // All arguments must outlive the feed. Cycles of computations are rounded up.
  Feed(const Traffic& traffic, const Background& background, const PacketOptions& options);

  // Releases everything without causes.
  void start();

  bool empty(std::int32_t task) const { return hosts_[static_cast<std::size_t>(task)].count == 0; }
  // Prefetches the memory of a task.
  void prefetch(std::int32_t task) const {
    const auto t = static_cast<std::size_t>(task);
    __builtin_prefetch(&hosts_[t]);
    __builtin_prefetch(&queue_[t * static_cast<std::size_t>(options_.injection_packets)]);
  }
  // Takes the first packet of a queue that is not empty.
  Packet take(std::int32_t task);
  // The tail of the packet taken last has left, in the cycle before `now`.
  void left(std::int32_t task, std::int32_t now);

  // Counts a packet of a message that will have arrived; true: it is the last of an iteration.
  bool count_packet(Traffic::Message m) { return ++arriving_[index(m)] % packets_[index(m)] == 0; }
  bool is_background(Traffic::Message m) const { return m >= traffic_.messages(); }
  // An iteration of a message has arrived, from cycle `now` on.
  void arrived(Traffic::Message m, std::int32_t now);

  // Computations: whether any is under way, the first end, and its consequences.
  bool computing() const { return !timers_.empty(); }
  std::int64_t next_timer() const { return timers_.top().first; }
  void fire(std::int32_t now);

  // The background: the arrival of its next packet, if there is any; adds all arrivals up to now.
  static constexpr std::int64_t never = INT64_MAX;
  std::int64_t next_background() const { return arrivals_.empty() ? never : arrivals_.top().first; }
  void add_background(std::int32_t now);
  // The last cycle in which a packet of the traffic entered a queue, or a message or computation ended.
  std::int64_t last_progress() const { return progressed_; }

  // Tasks with a queue that was empty and has received a packet since the list was last cleared.
  std::vector<std::int32_t>& woken() { return woken_; }

  std::int64_t delivered() const { return delivered_; }  // completed messages and computations
  std::int64_t total() const { return total_; }
  // Why the first unfinished tasks wait: "task 3 waits for message 7 from task 5".
  std::string waits() const;

  std::vector<MessageRecord> log() const;
  std::int64_t bytes() const;

 private:
  struct Host {
    Traffic::Message next = 0, end = 0;  // in order: the next message, and the end of the list
    std::int32_t iteration = 0;
    Traffic::Message open = -1;  // the message being cut; -1: none ...
    std::uint32_t uncut = 0;     // ... and its remaining packets
    Traffic::Message last = -1;  // not in order: the end of the circular list of ready messages
    std::int32_t entered = -1;   // cycle in which the last packet entered
    std::uint16_t head = 0, count = 0;
    bool leaving = false, computing = false;
    bool blocked = false;  // in order: no cause of the next message has ended since it was last checked
    std::uint32_t background = 0;  // waiting packets of the background
  };

  static std::size_t index(Traffic::Message m) { return static_cast<std::size_t>(m); }
  bool is_computation(Traffic::Message m) const {
    return traffic_.destination[index(m)] == source_[index(m)];
  }
  double background_chance() const { return options_.background / options_.packet_phits; }
  Traffic::Message draw_background(std::int32_t task);
  void fill(std::int32_t task, std::int32_t now);
  bool open_next(std::int32_t task, std::int32_t now);
  bool open_in_order(std::int32_t task, std::int32_t now);
  bool causes_over(Traffic::Message m, const Host& host) const;
  void step(Host& host, std::int32_t task);
  void open(Host& host, Traffic::Message m, std::int32_t now);
  void compute(Traffic::Message m, std::int32_t now);
  void release(Traffic::Message m, std::int32_t now);
  void over_at(Traffic::Message m, std::int32_t task, std::int32_t now);

  const Traffic& traffic_;
  const Background& background_;
  const PacketOptions& options_;
  std::int64_t total_ = 0, delivered_ = 0;
  std::vector<std::int32_t> source_;
  std::vector<std::uint32_t> packets_;    // per iteration of each message
  std::vector<std::uint32_t> arriving_;   // packets of each message, all iterations
  std::vector<std::uint32_t> completed_;  // completed iterations of each message
  std::vector<Host> hosts_;
  std::vector<Packet> queue_;  // tasks x injection_packets: rings
  std::vector<std::int32_t> woken_;

  // Not in order: the lists of ready messages.
  Dependents dependents_;
  std::vector<Traffic::Message> next_ready_;

  using Timer = std::pair<std::int64_t, Traffic::Message>;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::vector<MessageRecord> log_;  // by message and iteration

  // The background: time of each task's next packet, and the random numbers.
  using Arrival = std::pair<std::int64_t, std::int32_t>;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  SplitMix64 random_;
  std::int64_t progressed_ = 0;
};

inline Feed::Feed(const Traffic& traffic, const Background& background, const PacketOptions& options)
    : traffic_(traffic),
      background_(background),
      options_(options),
      total_(traffic.messages() * traffic.repeats),
      source_(sources(traffic)),
      arriving_(source_.size()),
      completed_(source_.size()),
      hosts_(static_cast<std::size_t>(traffic.tasks)),
      queue_(hosts_.size() * static_cast<std::size_t>(options.injection_packets)),
      random_(options.seed, 2) {
  if (traffic.repeats > INT32_MAX) {
    throw ArgumentError("traffic '" + traffic.name + "' repeats " + std::to_string(traffic.repeats) +
                        " times; packets can be simulated for 2^31 - 1 or fewer");
  }
  packets_.reserve(source_.size());
  for (std::size_t m = 0; m < source_.size(); ++m) {
    const std::int64_t packets =
        is_computation(static_cast<Traffic::Message>(m))
            ? 1
            : std::max<std::int64_t>(1, traffic.size[m] / options.packet_bytes +
                                            (traffic.size[m] % options.packet_bytes > 0 ? 1 : 0));
    if (packets > UINT32_MAX / traffic.repeats) {
      throw ArgumentError("message " + std::to_string(m) + " of traffic '" + traffic.name + "' is " +
                          std::to_string(packets) + " packets long; choose larger packets");
    }
    packets_.push_back(static_cast<std::uint32_t>(packets));
  }
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    hosts_[i].next = traffic.first[i];
    hosts_[i].end = traffic.first[i + 1];
  }
  if (!traffic.in_order) {
    dependents_ = Dependents(traffic);
    next_ready_.assign(source_.size(), -1);
  }
  if (options.message_log) log_.resize(static_cast<std::size_t>(total_));
}

inline void Feed::start() {
  if (!traffic_.in_order) {
    for (Traffic::Message m = 0; m < traffic_.messages(); ++m) {
      // A waiting message may be released, and counted down, by a message released here before it.
      if (traffic_.first_cause[index(m)] == traffic_.first_cause[index(m) + 1]) release(m, 0);
    }
  }
  for (std::int32_t task = 0; task < traffic_.tasks; ++task) fill(task, 0);
  if (!background_.any()) return;
  for (std::int32_t task = 0; task < traffic_.tasks; ++task) {
    arrivals_.emplace(draw_wait(random_, background_chance()), task);
  }
}

// Adds a packet of the background to each host that is due.
inline void Feed::add_background(std::int32_t now) {
  while (next_background() <= now) {
    const std::int32_t task = arrivals_.top().second;
    arrivals_.pop();
    arrivals_.emplace(now + draw_wait(random_, background_chance()), task);
    ++hosts_[static_cast<std::size_t>(task)].background;
    fill(task, now);
  }
}

// The number of a packet of the background that a task sends.
inline Traffic::Message Feed::draw_background(std::int32_t task) {
  const auto at = static_cast<std::size_t>(task);
  const auto count = static_cast<std::size_t>(background_.first[at + 1] - background_.first[at]);
  return traffic_.messages() + background_.first[at] + static_cast<std::int32_t>(random_.below(count));
}

inline Feed::Packet Feed::take(std::int32_t task) {
  Host& host = hosts_[static_cast<std::size_t>(task)];
  const auto capacity = static_cast<std::size_t>(options_.injection_packets);
  const Packet packet = queue_[static_cast<std::size_t>(task) * capacity + host.head];
  host.head = host.head + 1u == capacity ? std::uint16_t{0} : static_cast<std::uint16_t>(host.head + 1);
  --host.count;
  host.leaving = true;
  return packet;
}

inline void Feed::left(std::int32_t task, std::int32_t now) {
  hosts_[static_cast<std::size_t>(task)].leaving = false;
  fill(task, now);
}

// Lets packets enter a queue while there are packets and room.
inline void Feed::fill(std::int32_t task, std::int32_t now) {
  Host& host = hosts_[static_cast<std::size_t>(task)];
  const auto capacity = static_cast<std::size_t>(options_.injection_packets);
  const bool was_empty = host.count == 0;
  while (host.count + (host.leaving ? 1u : 0u) < capacity) {
    const bool others = host.background > 0;
    if (!others && host.open < 0 && !open_next(task, now)) break;
    host.entered = std::max(now, host.entered + 1);
    std::size_t place = host.head + std::size_t{host.count};
    if (place >= capacity) place -= capacity;
    queue_[static_cast<std::size_t>(task) * capacity + place] = {others ? draw_background(task) : host.open,
                                                                 host.entered};
    ++host.count;
    if (others) {
      --host.background;
      continue;
    }
    progressed_ = now;
    if (--host.uncut > 0) continue;
    const Traffic::Message handed = std::exchange(host.open, -1);
    if (!traffic_.in_order) over_at(handed, task, now);
  }
  if (was_empty && host.count > 0) woken_.push_back(task);
}

inline void Feed::open(Host& host, Traffic::Message m, std::int32_t now) {
  host.open = m;
  host.uncut = packets_[index(m)];
  if (!options_.message_log) return;
  log_[static_cast<std::size_t>(m * traffic_.repeats + host.iteration)] = {
      m, host.iteration, std::max(now, host.entered + 1), -1};
}

inline bool Feed::open_next(std::int32_t task, std::int32_t now) {
  if (traffic_.in_order) return open_in_order(task, now);
  Host& host = hosts_[static_cast<std::size_t>(task)];
  if (host.last < 0) return false;

  // The list of ready messages is circular: the last links to the first.
  const Traffic::Message first = next_ready_[index(host.last)];
  if (first == host.last) {
    host.last = -1;
  } else {
    next_ready_[index(host.last)] = next_ready_[index(first)];
  }
  open(host, first, now);
  return true;
}

inline bool Feed::causes_over(Traffic::Message m, const Host& host) const {
  const std::int32_t task = source_[index(m)];
  for (std::int64_t i = traffic_.first_cause[index(m)]; i < traffic_.first_cause[index(m) + 1]; ++i) {
    const Traffic::Message cause = traffic_.causes[static_cast<std::size_t>(i)];
    const bool own = source_[index(cause)] == task;
    if (own ? cause >= m : completed_[index(cause)] <= static_cast<std::uint32_t>(host.iteration))
      return false;
  }
  return true;
}

inline bool Feed::open_in_order(std::int32_t task, std::int32_t now) {
  Host& host = hosts_[static_cast<std::size_t>(task)];
  if (host.blocked || host.computing || host.next == host.end) return false;
  host.blocked = !causes_over(host.next, host);
  if (host.blocked) return false;
  const Traffic::Message m = host.next;
  if (is_computation(m)) {
    host.computing = true;
    compute(m, std::max(now, host.entered + 1));
    return false;
  }
  open(host, m, now);
  step(host, task);
  return true;
}

// Advances to the next message of the program.
inline void Feed::step(Host& host, std::int32_t task) {
  if (++host.next < host.end || host.iteration + 1 >= traffic_.repeats) return;
  host.next = traffic_.first[static_cast<std::size_t>(task)];
  ++host.iteration;
}

inline void Feed::compute(Traffic::Message m, std::int32_t now) {
  const double phit_seconds =
      static_cast<double>(options_.packet_bytes) / options_.packet_phits / options_.link_bytes_per_second;
  const double cycles = std::ceil(static_cast<double>(traffic_.size[index(m)]) * 1e-9 / phit_seconds - 1e-9);
  constexpr double for_ever = 0x1p40;  // beyond the last cycle that can be simulated
  timers_.emplace(now + static_cast<std::int64_t>(std::clamp(cycles, 0.0, for_ever)), m);
}

inline void Feed::fire(std::int32_t now) {
  while (!timers_.empty() && timers_.top().first <= now) {
    const Traffic::Message m = timers_.top().second;
    timers_.pop();
    ++delivered_;
    progressed_ = now;
    const std::int32_t task = source_[index(m)];
    Host& host = hosts_[static_cast<std::size_t>(task)];
    if (options_.message_log) {
      log_[static_cast<std::size_t>(m * traffic_.repeats + host.iteration)] = {m, host.iteration, now, now};
    }
    if (traffic_.in_order) {
      host.computing = false;
      step(host, task);
    } else {
      over_at(m, task, now);
    }
    fill(task, now);
  }
}

// A message without open causes joins the list of ready messages.
inline void Feed::release(Traffic::Message m, std::int32_t now) {
  if (is_computation(m)) return compute(m, now);
  Host& host = hosts_[static_cast<std::size_t>(source_[index(m)])];
  next_ready_[index(m)] = host.last < 0 ? m : std::exchange(next_ready_[index(host.last)], m);
  host.last = m;
}

// Message m has ended at one of its ends: count down the messages that wait for it there.
inline void Feed::over_at(Traffic::Message m, std::int32_t task, std::int32_t now) {
  for (const Traffic::Message dependent : dependents_.of(m)) {
    if (source_[index(dependent)] != task) continue;
    if (dependents_.settle(dependent)) release(dependent, now);
  }
}

inline void Feed::arrived(Traffic::Message m, std::int32_t now) {
  const std::int32_t task = traffic_.destination[index(m)];
  hosts_[static_cast<std::size_t>(task)].blocked = false;
  const std::uint32_t iteration = completed_[index(m)]++;
  ++delivered_;
  progressed_ = now;
  if (options_.message_log) {
    log_[static_cast<std::size_t>(m * traffic_.repeats + iteration)].end = now;
  }
  if (!traffic_.in_order) over_at(m, task, now);
  fill(task, now);
}

inline std::string Feed::waits() const {
  std::string text;
  int named = 0;
  for (std::int32_t task = 0; task < traffic_.tasks && named < 4; ++task) {
    const Host& host = hosts_[static_cast<std::size_t>(task)];
    for (Traffic::Message m = host.next; m < host.end; ++m) {
      if (!traffic_.in_order && dependents_.missing(m) <= 0) continue;
      for (std::int64_t i = traffic_.first_cause[index(m)]; i < traffic_.first_cause[index(m) + 1]; ++i) {
        const Traffic::Message cause = traffic_.causes[static_cast<std::size_t>(i)];
        if (completed_[index(cause)] > static_cast<std::uint32_t>(host.iteration)) continue;
        text += (named++ > 0 ? "; task " : "task ") + std::to_string(task) + " waits for message " +
                std::to_string(cause) + " of task " + std::to_string(source_[index(cause)]);
        break;
      }
      break;
    }
  }
  return text;
}

inline std::vector<MessageRecord> Feed::log() const {
  std::vector<MessageRecord> sorted = log_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const MessageRecord& a, const MessageRecord& b) { return a.end < b.end; });
  return sorted;
}

inline std::int64_t Feed::bytes() const {
  const auto size = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
  return static_cast<std::int64_t>(size(source_) + size(packets_) + size(arriving_) + size(completed_) +
                                   size(hosts_) + size(queue_) + size(woken_) + size(next_ready_) +
                                   size(log_)) +
         dependents_.bytes() + static_cast<std::int64_t>(arrivals_.size() * sizeof(Arrival));
}

}  // namespace sortlast::simulate
