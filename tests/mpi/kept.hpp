// Communicators that the library keeps: those that all ranks have destroyed are freed when the next is made.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/calls.hpp"
#include "mpi/ranks.hpp"
#include "sortlast/compositor.hpp"

namespace sortlast::testing {

// Communicators of the library that were made since, on this rank, and not freed. Collective.
class Kept {
 public:
  Kept() {
    constexpr int some = 3;
    for (int i = 0; i < some; ++i) const Compositor another(MPI_COMM_WORLD);
    before_ = count();
  }

  // Collective: how many are left when another has been made.
  std::int64_t count_after_another() const {
    {
      const Compositor another(MPI_COMM_WORLD);
    }
    return count();
  }

 private:
  std::int64_t count() const {
    const Calls calls = calls_so_far();
    return calls.communicators - calls.freed - before_;
  }

  std::int64_t before_ = 0;
};

}  // namespace sortlast::testing
