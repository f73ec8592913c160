// Plan: what one rank does in one kind of frame, made once and used for as many frames as have it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sortlast/execute/plan/indexed_program.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

struct Plan {
  // For `rank` and images of `format` that are composited by `op`. Tags of messages are 0..tag_limit.
  Plan(std::shared_ptr<const Schedule> schedule, std::int32_t rank, const Format& format, Op op,
       const WireOptions& wire, std::int32_t tag_limit);

  std::shared_ptr<const Schedule> schedule;
  IndexedProgram indexed;
  std::vector<std::int32_t> send_tags;  // of each send
  std::vector<std::int32_t> receive_tags;
  std::vector<std::int64_t> stage_chunks;  // by stage: messages of this rank
  std::int64_t chunks = 0;                 // all of them

  // The other ranks of this one's node, and how many receives read the image of each.
  struct Mate {
    std::int32_t rank = 0;
    std::int32_t reads = 0;
  };
  std::vector<Mate> mates;
  std::vector<std::size_t> mate_of;  // of each spared receive, place in `mates`
};

}  // namespace sortlast
