// Allocations: memory of this process that lies in segments, found again by its address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "sortlast/execute/node/segment.hpp"
#include "sortlast/execute/run/pool.hpp"

namespace sortlast {

// A place in a segment.
struct Place {
  SegmentName segment;  // of process 0: none
  std::uint64_t offset = 0;
};

// Memory may be given back in any thread and after the allocations are gone.
class Allocations {
 public:
  Allocations() : state_(std::make_shared<State>()) {}

  // `bytes` zeros in a segment of their own, aligned to a page. Throws Error.
  Memory take(std::size_t bytes);
  // The place of `bytes` from an address on, if all of them lie in one allocation.
  Place find(const void* address, std::size_t bytes) const;

 private:
  struct State {
    std::mutex mutex;
    std::map<std::uintptr_t, SegmentName> segments;  // by the address of their data
  };
  std::shared_ptr<State> state_;
};

}  // namespace sortlast
