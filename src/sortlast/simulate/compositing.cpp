// A frame of a schedule as traffic, and its simulation.
//
// The messages of a rank are followed by its computations. First its blending, step by step, each after the
// previous one, as on one core. Then two computations for every stage in which it takes part: a gate, which
// its messages of this stage wait for, and the stage's end, which waits for its messages of this stage, sent
// and received, and for the previous end. The gate of stage s waits for the end of the last stage that is at
// least `window` before s, and takes the stage's cost. So there are only a few causes per message, whatever
// the window.
//
// A rendezvous is an empty message from the receiver of a transfer to its sender, sent when the gate of its
// stage has opened. A barrier consists of empty messages: from every rank to rank 0 when it has ended a
// stage, and back when all have; gates wait for the latter.
//
// Blending in a fixed order means that a core may wait for one message while another has arrived. The order
// is by stage, and within a stage the order of the program, in which messages are expected. There is no
// deadlock: blending of a stage needs receives of this stage and of earlier ones, which need gates and
// blending of earlier stages.
//
// Rejected: blending as one more channel at the receiver, shared by its flows. It works as well for streams,
// but a rank that receives many messages at once would then blend with no part of it exposed at the end, and
// swaps could forward data before blending it.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/compositing/rank_work.hpp"
#include "sortlast/simulate/flow.hpp"

namespace sortlast::simulate {
namespace {

using Message = Traffic::Message;

void check_options(const CompositingOptions& options) {
  const auto refuse = [](const std::string& what, double value, const std::string& expected) {
    throw ArgumentError(what + " is " + std::to_string(value) + "; expected " + expected);
  };
  const auto finite = [&](const std::string& what, double value) {
    if (!(value >= 0 && std::isfinite(value))) refuse(what, value, "0 or more");
  };
  if (options.pixel_bytes < 1 || options.pixel_bytes > 1 << 20) {
    refuse("pixel_bytes", static_cast<double>(options.pixel_bytes), "1 to 2^20");
  }
  if (!(options.active > 0 && options.active <= 1)) refuse("active", options.active, "more than 0, up to 1");
  finite("blend_bytes_per_second", options.blend_bytes_per_second);
  finite("stage_seconds", options.stage_seconds);
  finite("chunk_bytes", static_cast<double>(options.chunk_bytes));
  if (options.window < -1)
    refuse("window", options.window, "1 or more, 0: any number, or -1: the schedule's");
  if (options.stage_seconds > most_seconds) refuse("stage_seconds", options.stage_seconds, "9e9 or less");
}

// Half of the range of an integer, because chunks are counted past the last pixel.
void check_pixels(const Schedule& schedule, const CompositingOptions& options) {
  if (schedule.n() <= INT64_MAX / 2 / options.pixel_bytes) return;
  throw ArgumentError(std::to_string(schedule.n()) + " pixels of " + std::to_string(options.pixel_bytes) +
                      " bytes are more than 2^62 bytes");
}

class Frame {
 public:
  Frame(const Schedule& schedule, const CompositingOptions& options)
      : schedule_(schedule), options_(options) {
    const bool one = options.barrier || !options.overlap;
    window_ = one ? 1 : options.window < 0 ? schedule.window() : options.window;
    gated_ = window_ > 0 || options.stage_seconds > 0;
    cleared_ = gated_ && options.rendezvous && !options.barrier;
    number();
  }

  Traffic make() && {
    made_.name = schedule_.name();
    made_.tasks = schedule_.p();
    made_.first = first_;
    made_.in_order = false;
    made_.first_cause.push_back(0);
    for (std::int32_t rank = 0; rank < schedule_.p(); ++rank) add_rank(rank);
    return std::move(made_);
  }

 private:
  // Counts the messages and computations of every rank, and gives both ends of each transfer the numbers of
  // the other end.
  void number() {
    std::int64_t next = 0;
    for (std::int32_t rank = 0; rank < schedule_.p(); ++rank) {
      first_.push_back(static_cast<Message>(next));
      const RankWork work(schedule_, rank, options_);
      std::int64_t message = next;
      for (const Send& send : work.program().sends) {
        arrivals_.add(send.peer, static_cast<Message>(message));
        message += work.cells(send.pixels);
      }
      next += static_cast<std::int64_t>(work.parts().size() + work.steps().size());
      if (gated_) next += static_cast<std::int64_t>(2 * work.stages().size());
      for (const Receive& receive : work.program().receives) {
        if (cleared_) clearances_.add(receive.peer, static_cast<Message>(next++));
      }
      next += barriers() * (rank == 0 ? schedule_.p() : 1);
      if (next > INT32_MAX) {
        throw ArgumentError(schedule_.name() + " of " + std::to_string(schedule_.p()) +
                            " ranks has more than 2^31 - 1 messages and computations; choose larger chunks");
      }
    }
    first_.push_back(static_cast<Message>(next));
    arrivals_.sort(schedule_.p());
    clearances_.sort(schedule_.p());
  }

  // The barrier after stage k, k = 0 .. barriers() - 1: the message of a rank to rank 0, the computation of
  // rank 0 after all of these have arrived, and its message to a rank. They come last in each rank's actions.
  std::int64_t barriers() const { return options_.barrier ? std::max(schedule_.stages() - 1, 0) : 0; }
  Message arrives(std::int32_t rank, std::size_t k) const {
    return static_cast<Message>(first_[static_cast<std::size_t>(rank) + 1] - barriers() +
                                static_cast<std::int64_t>(k));
  }
  Message all_there(std::size_t k) const {
    return static_cast<Message>(first_[1] - (barriers() - static_cast<std::int64_t>(k)) * schedule_.p());
  }
  Message released(std::int32_t rank, std::size_t k) const { return all_there(k) + rank; }

  void add_rank(std::int32_t rank);
  void add_sends(const RankWork& work, const RankCauses& number, const std::vector<Message>& clearances);
  void add_blending(std::int32_t rank, const RankWork& work, const RankCauses& number);
  void add_stages(std::int32_t rank, const RankWork& work, const RankCauses& number);
  void add_clearances(const RankWork& work, const RankCauses& number);
  void add_barriers(std::int32_t rank, const RankWork& work, const RankCauses& number);
  void add(std::int32_t to, std::int64_t size, const std::vector<Message>& causes) {
    made_.destination.push_back(to);
    made_.size.push_back(size);
    made_.causes.insert(made_.causes.end(), causes.begin(), causes.end());
    made_.first_cause.push_back(static_cast<std::int64_t>(made_.causes.size()));
  }

  const Schedule& schedule_;
  const CompositingOptions& options_;
  std::int32_t window_ = 0;
  bool gated_ = false;          // whether stages have gates
  bool cleared_ = false;        // whether transfers wait for their receivers
  std::vector<Message> first_;  // of each rank, and one past the end
  Matches arrivals_;            // by receiver: number of the first message of each transfer
  Matches clearances_;          // by sender: number of the receiver's message that it is ready
  Traffic made_;
};

void Frame::add_rank(std::int32_t rank) {
  const RankWork work(schedule_, rank, options_);
  const RankCauses number(work, first_[static_cast<std::size_t>(rank)],
                          arrivals_.of(rank, work.program().receives));
  add_sends(work, number, cleared_ ? clearances_.of(rank, work.program().sends) : std::vector<Message>());
  add_blending(rank, work, number);
  if (gated_) add_stages(rank, work, number);
  if (cleared_) add_clearances(work, number);
  if (barriers() > 0) add_barriers(rank, work, number);
}

// Sends complete data, the parts of a transfer one after the other.
void Frame::add_sends(const RankWork& work, const RankCauses& number,
                      const std::vector<Message>& clearances) {
  std::vector<Message> causes;
  for (const RankWork::Part& part : work.parts()) {
    causes.clear();
    number.need(part.value, part.pixels, causes);
    if (gated_) causes.push_back(number.gate(number.place(part.stage)));
    if (part.follows) {
      causes.push_back(static_cast<Message>(made_.destination.size()) - 1);
    } else if (cleared_) {
      causes.push_back(clearances[part.send]);
    }
    add(part.peer, part.bytes, causes);
  }
}

// Blends one step after the other; without overlap only after the transfers of the stage.
void Frame::add_blending(std::int32_t rank, const RankWork& work, const RankCauses& number) {
  std::vector<Message> causes;
  const auto& steps = work.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    causes.clear();
    if (i > 0) causes.push_back(number.step(i - 1));
    if (steps[i].first >= 0) number.need(steps[i].first, steps[i].pixels, causes);
    number.need(steps[i].second, steps[i].pixels, causes);
    const bool begins = i == 0 || steps[i - 1].stage < steps[i].stage;
    if (!options_.overlap && begins && steps[i].stage > 0) {
      causes.push_back(number.end(number.place(steps[i].stage)));
    }
    add(rank, steps[i].nanoseconds, causes);
  }
}

// Adds the gate and the end of each stage.
void Frame::add_stages(std::int32_t rank, const RankWork& work, const RankCauses& number) {
  std::vector<Message> causes;
  const std::vector<std::int32_t>& stages = work.stages();
  const std::int64_t stage_cost = std::llround(options_.stage_seconds * 1e9);
  std::size_t before = 0;  // stages that must have ended before this one may begin
  for (std::size_t k = 0; k < stages.size(); ++k) {
    while (window_ > 0 && stages[before] <= stages[k] - window_) ++before;
    causes.clear();
    if (before > 0 && options_.barrier) {
      causes.push_back(rank == 0 ? all_there(k - 1) : released(rank, k - 1));
    } else if (before > 0) {
      causes.push_back(number.end(before - 1));
      if (!options_.overlap) number.blended_before(stages[k], causes);
    }
    add(rank, stage_cost, causes);

    causes.clear();
    if (k > 0) causes.push_back(number.end(k - 1));
    number.transfers_of(stages[k], causes);
    add(rank, 0, causes);
  }
}

// Notifies the sender of each transfer when its stage has begun here.
void Frame::add_clearances(const RankWork& work, const RankCauses& number) {
  for (const Receive& receive : work.program().receives) {
    add(receive.peer, 0, {number.gate(number.place(receive.stage))});
  }
}

// Synchronises with rank 0 after every stage but the last.
void Frame::add_barriers(std::int32_t rank, const RankWork& work, const RankCauses& number) {
  std::vector<Message> causes;
  for (std::size_t k = 0; k < static_cast<std::size_t>(barriers()); ++k) {
    causes = {number.end(k)};
    if (!options_.overlap) number.blended_before(work.stages()[k] + 1, causes);
    if (rank > 0) {
      add(0, 0, causes);
      continue;
    }
    for (std::int32_t other = 1; other < schedule_.p(); ++other) causes.push_back(arrives(other, k));
    add(0, 0, causes);
    for (std::int32_t other = 1; other < schedule_.p(); ++other) add(other, 0, {all_there(k)});
  }
}

// The work of a rank, without its time.
Timing work_of(const Schedule& schedule, std::int32_t rank, const CompositingOptions& options) {
  const RankWork work(schedule, rank, options);
  Timing timing;
  double nanoseconds = 0;
  for (const RankWork::Step& step : work.steps()) nanoseconds += static_cast<double>(step.nanoseconds);
  timing.blend = nanoseconds * 1e-9;
  timing.messages_sent = static_cast<std::int64_t>(work.parts().size());
  for (const Receive& receive : work.program().receives) {
    timing.messages_received +=
        work.cells(work.program().values[static_cast<std::size_t>(receive.value)].pixels);
  }
  timing.stages = schedule.stages();
  return timing;
}

}  // namespace

Traffic compositing_traffic(const Schedule& schedule, const CompositingOptions& options) {
  check_options(options);
  check_pixels(schedule, options);
  return Frame(schedule, options).make();
}

CompositingResult simulate(const Schedule& schedule, const Ways& ways, const fabric::Placement& placement,
                           const CompositingOptions& options, const FlowOptions& flow) {
  CompositingResult result;
  result.traffic = compositing_traffic(schedule, options);
  result.flow = simulate_flows(ways, result.traffic, placement, flow);

  // Copy the results of the rank that ends last.
  const auto last = std::max_element(result.flow.tasks.begin(), result.flow.tasks.end(),
                                     [](const TaskResult& a, const TaskResult& b) { return a.end < b.end; });
  const auto rank = static_cast<std::int32_t>(last - result.flow.tasks.begin());
  Timing& timing = result.timing;
  timing = work_of(schedule, rank, options);
  timing.total = result.flow.seconds;
  timing.wait = std::max(0.0, timing.total - timing.blend);
  timing.bytes_sent = last->bytes_sent;
  timing.bytes_received = last->bytes_received;
  if (timing.blend == 0) return result;

  // Find the time added by blending.
  CompositingOptions without = options;
  without.blend_bytes_per_second = 0;
  FlowOptions quiet = flow;
  quiet.message_log = false;
  const FlowResult unblended = simulate_flows(ways, compositing_traffic(schedule, without), placement, quiet);
  result.hidden = std::clamp(1 - (timing.total - unblended.seconds) / timing.blend, 0.0, 1.0);
  return result;
}

}  // namespace sortlast::simulate
