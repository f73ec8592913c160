// Rank work: all that one rank does in a frame, with its blending in the order of a core, and what each part
// of it waits for.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sortlast/schedule.hpp"
#include "sortlast/simulate/compositing.hpp"

namespace sortlast::simulate {

// Longest computation [s] whose nanoseconds an integer holds.
constexpr double most_seconds = 9e9;

// All that one rank does in a frame, cut into chunks: the image is cut into cells of `cell` pixels; what
// happens to one depends on nothing in another.
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
    bool follows = false;  // the part before it is of the same send
  };
  // One fragment joined to another in one cell; or a copy.
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
  // need what those before it made.
  const std::vector<Step>& steps() const { return steps_; }
  // Stages in which the rank sends or receives, in order; with a barrier all.
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

// The numbers of one rank's messages and computations, and what they wait for: the messages of a rank are
// followed by its blending, step by step, and by a gate and an end for each of its stages.
class RankCauses {
 public:
  using Message = Traffic::Message;

  // `first`: number of the rank's first message; `received`: that of the first message of each receive. The
  // work must outlive this.
  RankCauses(const RankWork& work, Message first, std::vector<Message> received);

  Message step(std::size_t i) const { return first_step_ + static_cast<Message>(i); }
  Message gate(std::size_t k) const { return first_gate_ + static_cast<Message>(2 * k); }
  Message end(std::size_t k) const { return gate(k) + 1; }
  // Where a stage is among those in which the rank takes part.
  std::size_t place(std::int32_t stage) const;

  // Adds what makes a part of a value, in one cell: a message, the last blending of it, or nothing (the
  // rank's own image).
  void need(Value value, Range pixels, std::vector<Message>& causes) const;
  // Adds the last blending for which the messages of stages before `stage` are enough.
  void blended_before(std::int32_t stage, std::vector<Message>& causes) const;
  // Adds the messages of a stage, both ways.
  void transfers_of(std::int32_t stage, std::vector<Message>& causes) const;

 private:
  const RankWork& work_;
  std::vector<Message> received_;
  Message first_part_, first_step_, first_gate_;
  std::vector<std::int32_t> arrival_;               // by value: the receive that brings it; -1: none
  std::vector<std::vector<std::int32_t>> writers_;  // by value: steps that write it
};

// Messages that one end of a transfer has numbered, found by the other end.
class Matches {
 public:
  // A message of the next rank, for a transfer with `other`. Ranks follow each other, and the transfers of a
  // rank in their order.
  void add(std::int32_t other, Traffic::Message message) { added_.emplace_back(other, message); }

  // Sort them by the other end, of p ranks.
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

}  // namespace sortlast::simulate
