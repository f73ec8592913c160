// What a process asks of MPI and of the heap, counted.
#pragma once

#include <cstdint>

namespace sortlast::testing {

// Since the process began, on this rank.
struct Calls {
  std::int64_t reductions = 0;     // MPI_Iallreduce ...
  std::int64_t reduced_bytes = 0;  // ... and what this rank put into them
  std::int64_t collectives = 0;    // any other over all ranks
  std::int64_t communicators = 0;  // made
  std::int64_t freed = 0;          // of those
  std::int64_t windows = 0;        // made
  std::int64_t blocks = 0;         // of aligned memory: what pools hold
  std::int64_t segments = 0;       // of shared memory: made or mapped
  std::int64_t huge_planes = 0;    // that the kernel was asked to put on huge pages
};

Calls calls_so_far();

}  // namespace sortlast::testing
