// The flow simulator.
//
// Model. A message first costs message_seconds, in which nothing moves; then its bytes flow over its path, at
// every moment at the max-min fair rate among all flows that move then (flow/fair_network.cpp). Switches have
// no buffers and links no latency, so a message uses all its channels at once. A message of no bytes or
// within a host takes message_seconds. Computations take their time and use nothing else. A task starts its
// messages as its traffic requires: in order one after the other, otherwise any that are ready, up to
// sends_at_once messages, which are under way from the beginning of their cost until they arrive. So
// sends_at_once = 1 is a sender that serves its messages one by one, like the packet simulator, and 0 is an
// MPI library that posts all of them to an adapter, which shares its link among them. Without host_links a
// path begins and ends at the switches of its hosts, so that a node can use all their links at once. If other
// traffic takes a share of a channel (background), the rest is available at every moment: other traffic does
// not yield. receives_at_once holds a message back until its receiver has fewer messages under way; with both
// limits k a node has k ports (the k-port model: Bruck et al. 1997). The message keeps its sender's place
// meanwhile, like a message that a receiver has not cleared yet.
//
// With a spreading, a flow is split evenly at every switch, and each channel carries its share. This is the
// long-run behaviour of adaptive routing and spraying if they keep the queues of a switch balanced. They can
// do better if the next switches are loaded unevenly, and worse if packets of one message wait for each
// other.
//
// With ordered_links a channel serves one message after the other (flow/link_queues.hpp), so that the
// messages of a stage end one by one. Fair shares are the limit of packets that alternate, in which messages
// that begin together end together.
//
// The simulation is event-driven: nothing happens between the ends of flows, costs and computations. Events
// within `precision` of the earliest end with it, which keeps equal flows together in spite of rounding.
//
// Not modelled: full buffers that block the packets behind them. The model gives direct-send 10 FPS on 64
// hosts of a 12-ary 2-tree, where packets give 4.5 and the measurement was 5.2; shift, with stages that
// hardly meet, 7.8, 5.7 and 8.0 (bench/simulate/frames.py). SimGrid's max-min solver gives the same seconds
// to six digits and more. If many equal messages contend, rounding decides which of them meet, and totals
// vary by 1 to 2 %, also in SimGrid.
//
// Measured on one busy core: all frames of 144 ranks in 0.01 to 0.2 s; 65,536 hosts of a 16-ary 4-tree: one
// stage of a shift in 0.06 s, in random order 1.2 s; a frame of radix-k:16,16,16,16, 3.9 M messages, in 28 s
// and 1.2 GB, traffic included; 983,040 flows at once in random order, with a precision of 0.01, in 290 s.
//
// Several flows of a message can be under way at once only in different iterations, if sends_at_once is not
// 1.
#include "sortlast/simulate/flow.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <type_traits>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/simulate/flow/fair_network.hpp"
#include "sortlast/simulate/flow/flow_ways.hpp"
#include "sortlast/simulate/flow/link_queues.hpp"
#include "sortlast/simulate/flow/senders.hpp"

namespace sortlast::simulate {
namespace {

void check_options(const FlowOptions& options) {
  const auto refuse = [](const std::string& what, double value, const std::string& expected) {
    throw ArgumentError(what + " is " + std::to_string(value) + "; expected " + expected);
  };
  const double link = options.link_bytes_per_second, cost = options.message_seconds;
  if (!(link > 0 && std::isfinite(link))) refuse("link_bytes_per_second", link, "more than 0");
  if (!(cost >= 0 && std::isfinite(cost))) refuse("message_seconds", cost, "0 or more");
  for (const auto& [what, most] :
       {std::pair{"sends_at_once", options.sends_at_once}, {"receives_at_once", options.receives_at_once}}) {
    if (most < 0) refuse(what, most, "1 or more, or 0: any number");
  }
  if (!(options.precision >= 0 && options.precision <= 0.1)) {
    refuse("precision", options.precision, "0 to 0.1");
  }
}

// Rejects background that does not fit the channels, or leaves nothing.
void check_background(const std::vector<double>& background, fabric::Channel channels) {
  const std::size_t given = background.size();
  if (given > 1 && given != static_cast<std::size_t>(channels)) {
    throw ArgumentError("background has " + std::to_string(given) +
                        " shares; expected 1, or one of each of " + std::to_string(channels) + " channels");
  }
  for (std::size_t c = 0; c < given; ++c) {
    if (background[c] >= 0 && background[c] < 1) continue;
    throw ArgumentError("background " +
                        (given > 1 ? "of channel " + std::to_string(c) + " " : std::string()) + "is " +
                        std::to_string(background[c]) + "; expected 0 or more and below 1");
  }
}

void check_tasks(const fabric::Topology& topology, const Traffic& traffic,
                 const fabric::Placement& placement) {
  if (placement.size() != static_cast<std::size_t>(traffic.tasks)) {
    throw ArgumentError("the placement has " + std::to_string(placement.size()) + " hosts for " +
                        std::to_string(traffic.tasks) + " tasks");
  }
  for (std::size_t i = 0; i < placement.size(); ++i) {
    if (placement[i] >= 0 && placement[i] < topology.hosts()) continue;
    throw ArgumentError("task " + std::to_string(i) + " is placed on host " + std::to_string(placement[i]) +
                        ", which does not exist: there are " + std::to_string(topology.hosts()));
  }
}

const fabric::Topology& topology_of(const Ways& ways) {
  return *std::visit([](const auto& each) { return each.topology; }, ways);
}

// `Network` either shares its channels among flows or lets flows queue.
template <class Network>
class Simulation {
 public:
  Simulation(const Ways& ways, const Traffic& traffic, const fabric::Placement& placement,
             const FlowOptions& options, Network network)
      : traffic_(traffic),
        placement_(placement),
        options_(options),
        ways_(ways, options.host_links),
        network_(std::move(network)),
        senders_(traffic, options.sends_at_once),
        activity_(static_cast<std::size_t>(traffic.tasks)),
        receivers_(activity_.size()) {
    result_.channel_bytes.resize(static_cast<std::size_t>(topology_of(ways).channels()));
    result_.tasks.resize(activity_.size());
  }

  FlowResult run() {
    senders_.start();
    report(true);
    for (;;) {
      begin_ready();
      while (!timers_.empty() && timers_.top().time <= now_) {
        end_timers(now_);
        begin_ready();
      }
      network_.share(now_);
      const double next =
          std::min(network_.next_event(), timers_.empty() ? Network::never : timers_.top().time);
      if (next == Network::never) break;
      now_ = next;
      ++result_.events;
      end_until(now_ + options_.precision * now_);
      report(false);
    }
    if (senders_.done() < senders_.total()) {
      if (!timers_.empty() || network_.flows() > 0) {
        throw ArgumentError("traffic '" + traffic_.name +
                            "' takes more seconds than can be counted; link_bytes_per_second is " +
                            std::to_string(options_.link_bytes_per_second) + " and message_seconds " +
                            std::to_string(options_.message_seconds));
      }
      throw Error("traffic '" + traffic_.name + "' deadlocks: " + senders_.waits());
    }
    result_.seconds = now_;
    result_.shares = network_.shares();
    result_.bytes_used = bytes_used();
    return std::move(result_);
  }

 private:
  // A message or computation under way.
  struct Job {
    Senders::Action action;
    double start = 0;
  };
  // The end of a message's cost, of a message without a flow, or of a computation.
  struct Timer {
    double time = 0;
    std::int32_t job = 0;
    bool ends = false;

    bool operator>(const Timer& other) const {
      return time != other.time ? time > other.time : job > other.job;
    }
  };
  // The messages that a task is receiving, and jobs that wait until it receives fewer.
  struct Receiver {
    std::int32_t under_way = 0;
    std::deque<std::int32_t> waiting;  // jobs
  };
  // Current activity of a task, and the time up to which its results include it.
  struct Activity {
    std::int32_t transfers = 0, computations = 0;
    double since = 0;
  };

  static std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

  // Begins all ready actions, including any that become ready immediately.
  void begin_ready() {
    std::vector<Senders::Action>& ready = senders_.ready();
    for (const Senders::Action& action : ready) begin(action);
    ready.clear();
  }

  void begin(const Senders::Action& action) {
    const auto j = static_cast<std::int32_t>(free_jobs_.empty() ? jobs_.size() : index(free_jobs_.back()));
    if (free_jobs_.empty()) {
      jobs_.emplace_back();
    } else {
      free_jobs_.pop_back();
    }
    jobs_[index(j)] = {action, now_};
    const Traffic::Message m = action.message;
    const std::int32_t from = senders_.source(m), to = traffic_.destination[index(m)];
    if (from == to) {
      account(from).computations += 1;
      timers_.push({now_ + static_cast<double>(traffic_.size[index(m)]) * 1e-9, j, true});
      return;
    }
    account(from).transfers += 1;
    account(to).transfers += 1;
    const bool flows = traffic_.size[index(m)] > 0 && placement_[index(from)] != placement_[index(to)];
    if (flows && options_.message_seconds == 0) {
      flow(j);
    } else {
      timers_.push({now_ + options_.message_seconds, j, !flows});
    }
  }

  // The bytes of a message begin to move, or wait for their receiver.
  void flow(std::int32_t j) {
    const Traffic::Message m = jobs_[index(j)].action.message;
    const std::int32_t from = placement_[index(senders_.source(m))];
    const std::int32_t to = placement_[index(traffic_.destination[index(m)])];
    ways_.find(from, to);
    Receiver& receiver = receivers_[index(traffic_.destination[index(m)])];
    if (ways_.channels().empty()) {
      timers_.push({now_, j, true});
    } else if (receiver.under_way == options_.receives_at_once && receiver.under_way > 0) {
      receiver.waiting.push_back(j);
    } else {
      ++receiver.under_way;
      const auto bytes = static_cast<double>(traffic_.size[index(m)]);
      if constexpr (std::is_same_v<Network, FairNetwork>) {
        network_.start(j, ways_.channels(), bytes, ways_.shares());
      } else {
        network_.start(j, ways_.channels(), bytes);
      }
    }
  }

  // Ends everything that ends up to a time.
  void end_until(double last) {
    while (network_.next_end() <= last) {
      const std::int32_t j = network_.next_flow();
      const Traffic::Message m = jobs_[index(j)].action.message;
      const std::int64_t bytes = traffic_.size[index(m)];
      network_.for_each_channel(j, [&](fabric::Channel c, double share) {
        result_.channel_bytes[index(c)] +=
            share < 1 ? std::llround(share * static_cast<double>(bytes)) : bytes;
      });
      network_.end(j);
      end(j);
      admit_next(receivers_[index(traffic_.destination[index(m)])]);
    }
    end_timers(last);
  }

  // A receiver has received a whole message.
  void admit_next(Receiver& receiver) {
    --receiver.under_way;
    if (receiver.waiting.empty()) return;
    const std::int32_t j = receiver.waiting.front();
    receiver.waiting.pop_front();
    flow(j);
  }

  void end_timers(double last) {
    while (!timers_.empty() && timers_.top().time <= last) {
      const Timer timer = timers_.top();
      timers_.pop();
      if (timer.ends) {
        end(timer.job);
      } else {
        flow(timer.job);
      }
    }
  }

  void end(std::int32_t j) {
    const Job job = jobs_[index(j)];
    free_jobs_.push_back(j);
    const Traffic::Message m = job.action.message;
    const std::int32_t from = senders_.source(m), to = traffic_.destination[index(m)];
    if (options_.message_log) result_.log.push_back({m, job.action.iteration, job.start, now_});
    if (from == to) {
      account(from).computations -= 1;
    } else {
      account(from).transfers -= 1;
      account(to).transfers -= 1;
      count(from, to, traffic_.size[index(m)]);
    }
    senders_.over(job.action);
  }

  void count(std::int32_t from, std::int32_t to, std::int64_t bytes) {
    ++result_.messages;
    result_.bytes += bytes;
    result_.tasks[index(from)].bytes_sent += bytes;
    result_.tasks[index(to)].bytes_received += bytes;
    ++result_.tasks[index(from)].messages_sent;
    ++result_.tasks[index(to)].messages_received;
  }

  // Updates a task's results to the present time, before its activity changes.
  Activity& account(std::int32_t t) {
    Activity& activity = activity_[index(t)];
    TaskResult& task = result_.tasks[index(t)];
    const double passed = now_ - activity.since;
    if (activity.computations > 0) {
      task.compute += passed;
      if (activity.transfers > 0) task.hidden += passed;
    }
    if (activity.computations > 0 || activity.transfers > 0) task.end = now_;
    activity.since = now_;
    return activity;
  }

  // Reports the completed fraction, at most ten times a second.
  void report(bool always) {
    if (!options_.progress) return;
    const auto clock = std::chrono::steady_clock::now();
    if (!always && clock - reported_ < std::chrono::milliseconds(100)) return;
    reported_ = clock;
    const auto total = static_cast<double>(std::max<std::int64_t>(senders_.total(), 1));
    if (!options_.progress(static_cast<double>(senders_.done()) / total)) throw Error("cancelled");
  }

  std::int64_t bytes_used() const {
    const auto size = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
    return network_.bytes() + senders_.bytes() +
           static_cast<std::int64_t>(size(jobs_) + size(free_jobs_) + size(activity_) + size(receivers_) +
                                     size(result_.tasks) + size(result_.channel_bytes) + size(result_.log));
  }

  const Traffic& traffic_;
  const fabric::Placement& placement_;
  const FlowOptions& options_;
  FlowWays ways_;
  Network network_;
  Senders senders_;
  std::vector<Job> jobs_;  // a flow has the number of its job
  std::vector<std::int32_t> free_jobs_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::vector<Activity> activity_;   // by task
  std::vector<Receiver> receivers_;  // by task
  double now_ = 0;
  std::chrono::steady_clock::time_point reported_;
  FlowResult result_;
};

}  // namespace

FlowResult simulate_flows(const Ways& ways, const Traffic& traffic, const fabric::Placement& placement,
                          const FlowOptions& options) {
  check(traffic);
  check_options(options);
  check_tasks(topology_of(ways), traffic, placement);
  const fabric::Channel channels = topology_of(ways).channels();
  check_background(options.background, channels);

  // Compute the rest that other traffic leaves of each channel.
  std::vector<double> left{options.link_bytes_per_second};
  if (!options.background.empty()) left.clear();
  for (const double share : options.background) left.push_back(options.link_bytes_per_second * (1 - share));
  const double capacity = left.front();
  const bool alike = std::all_of(left.begin(), left.end(), [&](double each) { return each == capacity; });
  if (!alike && options.ordered_links) {
    throw ArgumentError(
        "background differs from channel to channel; with ordered_links it has to be one share");
  }
  if (options.ordered_links && std::holds_alternative<fabric::Spreading>(ways)) {
    throw ArgumentError("ordered_links serve whole messages; they need one path, and no spreading");
  }
  if (!alike) return Simulation(ways, traffic, placement, options, FairNetwork(std::move(left))).run();
  if (options.ordered_links) {
    LinkQueues queues(channels, capacity, options.precision);
    return Simulation(ways, traffic, placement, options, std::move(queues)).run();
  }
  return Simulation(ways, traffic, placement, options, FairNetwork(channels, capacity)).run();
}

}  // namespace sortlast::simulate
