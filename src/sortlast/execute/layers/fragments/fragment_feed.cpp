// Fragment feed.
#include "sortlast/execute/layers/fragments/fragment_feed.hpp"

namespace sortlast {

FragmentLists FragmentFeed::next(std::size_t pixels) {
  room_.runs.clear();
  FragmentLists some = lists_;
  some.size = runs_.pass_each(
      pixels, [this](std::uint32_t count, std::size_t of) { add_run(room_.runs, count, of); });
  some.runs = room_.runs;
  if (lists_.refers()) {
    memory_->read(lists_.first + passed_, some, room_);
  } else {
    some.colour = lists_.colour_at(passed_);
    some.depth += passed_ * sizeof(float);
    some.further += passed_ * some.further_bytes;
    if (some.ranks != nullptr) some.ranks += passed_ * some.rank_bytes;
  }
  passed_ += some.size;
  return some;
}

}  // namespace sortlast
