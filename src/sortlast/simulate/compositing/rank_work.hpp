// Rank work: everything that one rank does in a frame, with blending in the order of a single core, and the
// dependencies of each part.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/simulate/flow.hpp"

namespace sortlast::simulate {

inline std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

// Longest computation [s]; its nanoseconds still fit in an integer.
constexpr double most_seconds = 9e9;

// Everything that one rank does in a frame, cut into chunks: the image is cut into cells of `cell` pixels,
// and cells are independent of each other.
class RankWork {
 public:
  // The part of a send in one cell.
  struct Part {
    std::int32_t stage = 0;
    std::int32_t peer = 0;
    Value value = 0;
    Range pixels;
    std::int64_t bytes = 0;
    std::size_t send = 0;  // of the program
    bool follows = false;  // belongs to the same send as the previous part
  };
  // One fragment joined to another in one cell, or a copy.
  struct Step {
    std::int32_t stage = 0;  // of the latest receive that it needs
    Range pixels;
    Value target = 0;
    Value first = -1, second = -1;  // values that it is the first to use; -1: none
    std::int64_t nanoseconds = 0;
  };

  RankWork(const Schedule& schedule, std::int32_t rank, const CompositingOptions& options);

  const std::vector<Part>& parts() const { return parts_; }
  // In the order in which they are blended: by stage, cell, and the order of the program's merges. Each may
  // need results of earlier steps.
  const std::vector<Step>& steps() const { return steps_; }
  // Stages in which the rank sends or receives, in order; all stages if there is a barrier.
  const std::vector<std::int32_t>& stages() const { return stages_; }
  const Program& program() const { return program_; }
  std::int64_t cell(std::int64_t pixel) const { return pixel / cell_; }
  std::int64_t cells(Range pixels) const {
    return pixels.empty() ? 0 : cell(pixels.end - 1) - cell(pixels.begin) + 1;
  }

 private:
  void check_count() const;
  void cut_sends();
  void list_steps();
  Range in_cell(Range pixels, std::int64_t i) const;
  std::int64_t bytes(Range pixels, Value value) const;

  const CompositingOptions& options_;
  std::int64_t cell_;  // pixels
  Program program_;
  std::vector<Part> parts_;
  std::vector<Step> steps_;
  std::vector<std::int32_t> stages_;
};

// Numbers of one rank's messages and computations, and their causes: the messages of a rank are followed by
// its blending, step by step, and by a gate and an end for each of its stages.
class RankCauses {
 public:
  using Message = Traffic::Message;

  // `first`: number of the rank's first message; `received`: number of the first message of each receive. The
  // work must outlive this object.
  RankCauses(const RankWork& work, Message first, std::vector<Message> received);

  Message step(std::size_t i) const { return first_step_ + static_cast<Message>(i); }
  Message gate(std::size_t k) const { return first_gate_ + static_cast<Message>(2 * k); }
  Message end(std::size_t k) const { return gate(k) + 1; }
  // Position of a stage among the stages in which the rank takes part.
  std::size_t place(std::int32_t stage) const;

  // Adds the producer of a part of a value in one cell: a message, the last blending of it, or nothing (the
  // rank's own image).
  void need(Value value, Range pixels, std::vector<Message>& causes) const;
  // Adds the last blending that needs only messages of stages before `stage`.
  void blended_before(std::int32_t stage, std::vector<Message>& causes) const;
  // Adds the messages of a stage, sent and received.
  void transfers_of(std::int32_t stage, std::vector<Message>& causes) const;

 private:
  const RankWork& work_;
  std::vector<Message> received_;
  Message first_part_, first_step_, first_gate_;
  std::vector<std::int32_t> arrival_;               // by value: the receive that delivers it; -1: none
  std::vector<std::vector<std::int32_t>> writers_;  // by value: steps that write it
};

// Messages numbered by one end of a transfer, found by the other end.
class Matches {
 public:
  // Adds a message of the next rank, for a transfer with `other`. Ranks are added in order, and the transfers
  // of a rank in their order.
  void add(std::int32_t other, Traffic::Message message) { added_.emplace_back(other, message); }

  // Sorts them by the other end, of p ranks.
  void sort(std::int32_t p);

  // The messages for the transfers of a rank, each of which has a `peer`: both ends of a pair list the
  // transfers between them in the same order. Throws Error if there are more or fewer.
  std::vector<Traffic::Message> of(std::int32_t rank, const std::vector<Send>& sends) const;
  std::vector<Traffic::Message> of(std::int32_t rank, const std::vector<Receive>& receives) const;

 private:
  template <class Ends>
  std::vector<Traffic::Message> matching(std::int32_t rank, const Ends& ends) const;

  std::vector<std::pair<std::int32_t, Traffic::Message>> added_;
  std::vector<std::size_t> first_;  // by rank
  std::vector<Traffic::Message> messages_;
};

inline RankWork::RankWork(const Schedule& schedule, std::int32_t rank, const CompositingOptions& options)
    : options_(options),
      cell_(options.chunk_bytes > 0 ? std::max<std::int64_t>(1, options.chunk_bytes / options.pixel_bytes)
                                    : std::max<std::int64_t>(1, schedule.n())),
      program_(schedule.program(rank)) {
  check_count();
  cut_sends();
  list_steps();
  for (const Send& send : program_.sends) stages_.push_back(send.stage);
  for (const Receive& receive : program_.receives) stages_.push_back(receive.stage);
  for (std::int32_t s = 1; options.barrier && s <= schedule.stages(); ++s) stages_.push_back(s);
  std::sort(stages_.begin(), stages_.end());
  stages_.erase(std::unique(stages_.begin(), stages_.end()), stages_.end());
}

// Called before anything is cut: chunks of a few bytes may exceed the memory.
inline void RankWork::check_count() const {
  std::int64_t count = 0;
  const auto add = [&](Range pixels, std::size_t times) {
    std::int64_t all = 0;
    if (!__builtin_mul_overflow(cells(pixels), static_cast<std::int64_t>(times), &all) &&
        !__builtin_add_overflow(count, all, &count) && count <= INT32_MAX) {
      return;
    }
    throw ArgumentError("rank " + std::to_string(program_.rank) +
                        " has more than 2^31 - 1 messages and computations; choose larger chunks");
  };
  for (const Send& send : program_.sends) add(send.pixels, 1);
  for (const Merge& merge : program_.merges) add(merge.pixels, merge.inputs.size());
}

// The part of some pixels in the i-th of their cells.
inline Range RankWork::in_cell(Range pixels, std::int64_t i) const {
  const std::int64_t begin = (cell(pixels.begin) + i) * cell_;
  return intersection(pixels, {begin, begin + cell_});
}

inline std::int64_t RankWork::bytes(Range pixels, Value value) const {
  const std::int64_t dense = pixels.size() * options_.pixel_bytes;
  if (options_.active == 1) return dense;
  const auto depth = static_cast<double>(program_.values[static_cast<std::size_t>(value)].depth.size());
  return std::llround(static_cast<double>(dense) * (1 - std::pow(1 - options_.active, depth)));
}

inline void RankWork::cut_sends() {
  for (std::size_t k = 0; k < program_.sends.size(); ++k) {
    const Send& send = program_.sends[k];
    for (std::int64_t i = 0; i < cells(send.pixels); ++i) {
      const Range part = in_cell(send.pixels, i);
      parts_.push_back({send.stage, send.peer, send.value, part, bytes(part, send.value), k, i > 0});
    }
  }
}

inline void RankWork::list_steps() {
  // Find the stage after which each value is complete.
  std::vector<std::int32_t> ready(program_.values.size(), 0);
  const auto ready_at = [&](Value value) -> std::int32_t& { return ready[static_cast<std::size_t>(value)]; };
  for (const Receive& receive : program_.receives) ready_at(receive.value) = receive.stage;

  // List the joins of every merge, chain by chain.
  for (const Merge& merge : program_.merges) {
    std::int32_t stage = ready_at(merge.inputs[0].value);
    const bool copies = merge.inputs.size() == 1;
    for (std::size_t j = copies ? 0 : 1; j < merge.inputs.size(); ++j) {
      const Value joined = merge.inputs[j].value;
      stage = std::max(stage, ready_at(joined));
      for (std::int64_t i = 0; i < cells(merge.pixels); ++i) {
        const Range part = in_cell(merge.pixels, i);
        const double seconds =
            copies || options_.blend_bytes_per_second == 0
                ? 0
                : static_cast<double>(bytes(part, joined)) / options_.blend_bytes_per_second;
        if (seconds > most_seconds) {
          throw ArgumentError("blend_bytes_per_second is " + std::to_string(options_.blend_bytes_per_second) +
                              ", so that blending a part of the image takes more than 9e9 seconds");
        }
        steps_.push_back({stage, part, merge.value, j == 1 ? merge.inputs[0].value : -1, joined,
                          std::llround(seconds * 1e9)});
      }
    }
    ready_at(merge.value) = std::max(ready_at(merge.value), stage);
  }
  std::stable_sort(steps_.begin(), steps_.end(), [this](const Step& a, const Step& b) {
    return a.stage != b.stage ? a.stage < b.stage : cell(a.pixels.begin) < cell(b.pixels.begin);
  });
}

inline RankCauses::RankCauses(const RankWork& work, Message first, std::vector<Message> received)
    : work_(work),
      received_(std::move(received)),
      first_part_(first),
      first_step_(first_part_ + static_cast<Message>(work.parts().size())),
      first_gate_(first_step_ + static_cast<Message>(work.steps().size())),
      arrival_(work.program().values.size(), -1),
      writers_(arrival_.size()) {
  for (std::size_t i = 0; i < received_.size(); ++i) {
    arrival_[index(work.program().receives[i].value)] = static_cast<std::int32_t>(i);
  }
  for (std::size_t i = 0; i < work.steps().size(); ++i) {
    writers_[index(work.steps()[i].target)].push_back(static_cast<std::int32_t>(i));
  }
}

inline std::size_t RankCauses::place(std::int32_t stage) const {
  return static_cast<std::size_t>(std::lower_bound(work_.stages().begin(), work_.stages().end(), stage) -
                                  work_.stages().begin());
}

inline void RankCauses::need(Value value, Range pixels, std::vector<Message>& causes) const {
  const std::int32_t receive = arrival_[index(value)];
  if (receive >= 0) {
    const Range whole = work_.program().values[index(value)].pixels;
    causes.push_back(received_[index(receive)] +
                     static_cast<Message>(work_.cell(pixels.begin) - work_.cell(whole.begin)));
  }
  const std::vector<std::int32_t>& writers = writers_[index(value)];
  const auto last = std::find_if(writers.rbegin(), writers.rend(), [&](std::int32_t i) {
    return !intersection(work_.steps()[index(i)].pixels, pixels).empty();
  });
  if (last != writers.rend()) causes.push_back(step(index(*last)));
}

inline void RankCauses::blended_before(std::int32_t stage, std::vector<Message>& causes) const {
  const auto& steps = work_.steps();
  const auto later =
      std::lower_bound(steps.begin(), steps.end(), stage,
                       [](const RankWork::Step& one, std::int32_t s) { return one.stage < s; });
  if (later != steps.begin()) causes.push_back(step(static_cast<std::size_t>(later - steps.begin()) - 1));
}

inline void RankCauses::transfers_of(std::int32_t stage, std::vector<Message>& causes) const {
  const auto& parts = work_.parts();
  auto part = std::lower_bound(parts.begin(), parts.end(), stage,
                               [](const RankWork::Part& one, std::int32_t s) { return one.stage < s; });
  for (; part != parts.end() && part->stage == stage; ++part) {
    causes.push_back(first_part_ + static_cast<Message>(part - parts.begin()));
  }
  const auto& receives = work_.program().receives;
  auto receive = std::lower_bound(receives.begin(), receives.end(), stage,
                                  [](const Receive& one, std::int32_t s) { return one.stage < s; });
  for (; receive != receives.end() && receive->stage == stage; ++receive) {
    const Message first = received_[static_cast<std::size_t>(receive - receives.begin())];
    const std::int64_t count = work_.cells(work_.program().values[index(receive->value)].pixels);
    for (Message i = 0; i < count; ++i) causes.push_back(first + i);
  }
}

inline void Matches::sort(std::int32_t p) {
  first_.assign(static_cast<std::size_t>(p) + 1, 0);
  for (const auto& [rank, message] : added_) ++first_[static_cast<std::size_t>(rank) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  messages_.resize(added_.size());
  std::vector<std::size_t> at(first_.begin(), first_.end() - 1);
  for (const auto& [rank, message] : added_) messages_[at[static_cast<std::size_t>(rank)]++] = message;
  added_ = {};
}

template <class Ends>
inline std::vector<Traffic::Message> Matches::matching(std::int32_t rank, const Ends& transfers) const {
  const std::size_t begin = first_[static_cast<std::size_t>(rank)];
  if (first_[static_cast<std::size_t>(rank) + 1] - begin != transfers.size()) {
    throw Error("rank " + std::to_string(rank) + " has " + std::to_string(transfers.size()) +
                " transfers, and their other ends " +
                std::to_string(first_[static_cast<std::size_t>(rank) + 1] - begin));
  }
  std::vector<std::size_t> by_peer(transfers.size());
  std::iota(by_peer.begin(), by_peer.end(), std::size_t{0});
  std::stable_sort(by_peer.begin(), by_peer.end(),
                   [&](std::size_t a, std::size_t b) { return transfers[a].peer < transfers[b].peer; });
  std::vector<Traffic::Message> found(transfers.size());
  for (std::size_t i = 0; i < by_peer.size(); ++i) found[by_peer[i]] = messages_[begin + i];
  return found;
}

inline std::vector<Traffic::Message> Matches::of(std::int32_t rank, const std::vector<Send>& sends) const {
  return matching(rank, sends);
}

inline std::vector<Traffic::Message> Matches::of(std::int32_t rank,
                                                 const std::vector<Receive>& receives) const {
  return matching(rank, receives);
}

}  // namespace sortlast::simulate
