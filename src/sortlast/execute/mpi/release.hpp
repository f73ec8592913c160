// Release: a communicator of our own is freed once all of its ranks have let it go, which none waits for.
#pragma once

#include <mpi.h>

namespace sortlast {

// This rank uses `comm` no more, and all of its calls on it have ended well. Not collective. MPI frees it in
// this or a later call of the two.
void release(MPI_Comm comm) noexcept;

// Free what all ranks have let go by now.
void free_released() noexcept;

}  // namespace sortlast
