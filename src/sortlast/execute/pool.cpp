// Pool: aligned memory that is used again from frame to frame.
//
// Fresh memory costs a page fault every 4 KiB, which is more than the blending that is done in it. Blocks
// given back are kept by size, and taken again when a request needs at least half of one.
#include "sortlast/execute/pool.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>

namespace sortlast {
namespace {

constexpr std::align_val_t alignment{64};

struct Free {
  void operator()(std::byte* block) const { ::operator delete(block, alignment); }
};
using Block = std::unique_ptr<std::byte, Free>;

}  // namespace

struct Pool::State {
  std::mutex mutex;  // results may be given back from another thread
  std::multimap<std::size_t, Block> idle;
  std::size_t taken = 0;
  std::size_t peak = 0;

  void give_back(std::size_t size, Block block) {
    const std::lock_guard lock(mutex);
    taken -= size;
    idle.emplace(size, std::move(block));
  }
};

Pool::Pool() : state_(std::make_shared<State>()) {}

Memory Pool::take(std::size_t bytes) {
  if (bytes == 0) return {};
  const std::size_t wanted = (bytes + 63) / 64 * 64;
  Block block;
  std::size_t size = wanted;
  {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->idle.lower_bound(wanted);
    if (found != state_->idle.end() && found->first / 2 <= wanted) {
      size = found->first;
      block = std::move(found->second);
      state_->idle.erase(found);
    }
    state_->taken += size;
    state_->peak = std::max(state_->peak, state_->taken);
  }
  if (!block) block.reset(static_cast<std::byte*>(::operator new(wanted, alignment)));
  std::byte* const start = block.release();
  return {start, [state = state_, size](std::byte* memory) { state->give_back(size, Block(memory)); }};
}

std::size_t Pool::taken() const {
  const std::lock_guard lock(state_->mutex);
  return state_->taken;
}

std::size_t Pool::peak() const {
  const std::lock_guard lock(state_->mutex);
  return state_->peak;
}

void Pool::reset_peak() {
  const std::lock_guard lock(state_->mutex);
  state_->peak = state_->taken;
}

}  // namespace sortlast
