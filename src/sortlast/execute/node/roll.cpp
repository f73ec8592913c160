// Roll.
#include "sortlast/execute/node/roll.hpp"

namespace sortlast {

static_assert(std::atomic<double>::is_always_lock_free);

Roll::Count Roll::join() { return count_of(open_.fetch_add(1, std::memory_order_acq_rel) + 1); }

void Roll::set_end(std::uint64_t frame, double end) {
  double none = 0;
  end_of(frame).compare_exchange_strong(none, end, std::memory_order_acq_rel);
}

void Roll::close(std::uint64_t frame) {
  // This precedes the opening of the next frame, because a rank that joins it could otherwise find the end of
  // the previous frame. A rank that closes a frame is part of it, so it does this before any rank of the
  // frame can set the end of the next one.
  end_of(frame + 1).store(0, std::memory_order_release);
  std::uint64_t open = open_.load(std::memory_order_acquire);
  const std::uint64_t next = word_of({frame + 1, 0});
  do {
    if (count_of(open).frame != frame) return;
  } while (!open_.compare_exchange_weak(open, next, std::memory_order_acq_rel));
  closed_.store(open, std::memory_order_release);
  closing_.ring();
}

}  // namespace sortlast
