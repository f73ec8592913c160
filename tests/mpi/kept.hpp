// Communicators that the library keeps: all that it made are freed, unless messages still lie on one.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/calls.hpp"
#include "mpi/ranks.hpp"
#include "sortlast/compositor.hpp"

namespace sortlast::testing {

// Communicators of the library that were made since, on this rank, and not freed. Collective: all are made
// when those of earlier tests have gone.
class Kept {
 public:
  Kept() {
    constexpr int looks = 50;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int look = 0; look < looks; ++look, sleep(1e-3)) const Compositor another(MPI_COMM_SELF);
    MPI_Barrier(MPI_COMM_WORLD);
    before_ = count();
  }

  std::int64_t count() const {
    const Calls calls = calls_so_far();
    return calls.communicators - calls.freed - before_;
  }

  // Whether all are freed within some seconds of making others, which is when that is looked for.
  bool all_freed(double seconds) const {
    for (const double begin = MPI_Wtime(); count() > 0; sleep(1e-3)) {
      if (MPI_Wtime() - begin > seconds) return false;
      const Compositor another(MPI_COMM_SELF);
    }
    return true;
  }

 private:
  std::int64_t before_ = 0;
};

}  // namespace sortlast::testing
