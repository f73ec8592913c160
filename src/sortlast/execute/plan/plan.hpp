// Plan: the work of one rank in one kind of frame, made once and used for all frames of that kind.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sortlast/content/indexed_program.hpp"
#include "sortlast/execute/plan/message_tags.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// The index, and the data for sending it by MPI.
struct Plan {
  // For a participant of the schedule and images of `format` that are composited by `op`. Message tags are
  // 0..tag_limit. `ranks`: the rank of each participant, ascending, by which peers and mates are named;
  // empty: the participant numbers.
  Plan(const std::shared_ptr<const Schedule>& schedule, std::int32_t participant, const Format& format, Op op,
       const WireOptions& wire, std::int32_t tag_limit, const std::vector<std::int32_t>& ranks = {});
  // For contents of varying size.
  Plan(const std::shared_ptr<const Schedule>& schedule, std::int32_t participant, std::int32_t tag_limit);

  std::shared_ptr<const Schedule> schedule;
  IndexedProgram indexed;
  MessageTags send_tags;
  MessageTags receive_tags;
  std::int64_t receive_chunks = 0;  // messages that this rank receives

  // The other ranks of this one's node, and how many receives read the image of each.
  struct Mate {
    std::int32_t rank = 0;
    std::int32_t reads = 0;
  };
  std::vector<Mate> mates;
  std::vector<std::size_t> mate_of;  // of each spared receive: index in `mates`

 private:
  Plan(std::shared_ptr<const Schedule> schedule, IndexedProgram indexed, std::int32_t tag_limit);
  void name_by(const std::vector<std::int32_t>& ranks);
};

}  // namespace sortlast
