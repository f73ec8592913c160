// Rank plan: all that one rank does in a frame, cut into chunks, with its blending in the order of a core.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/schedule.hpp"
#include "sortlast/simulate/compositing.hpp"

namespace sortlast::simulate {

// The image is cut into cells of `cell` pixels; what happens to one depends on nothing in another.
class RankPlan {
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

  RankPlan(const Schedule& schedule, std::int32_t rank, const CompositingOptions& options);

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

}  // namespace sortlast::simulate
