// What a process asks of MPI and of the heap: functions that stand before the real ones and count.
#include "mpi/calls.hpp"

#include <malloc.h>
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

namespace sortlast::testing {
namespace {

// Memory may be asked for by any thread.
std::atomic<std::int64_t> reductions;
std::atomic<std::int64_t> reduced_bytes;
std::atomic<std::int64_t> collectives;
std::atomic<std::int64_t> communicators;
std::atomic<std::int64_t> freed;
std::atomic<std::int64_t> windows;
std::atomic<std::int64_t> blocks;
std::atomic<std::int64_t> segments;
std::atomic<std::int64_t> huge_planes;

}  // namespace

Calls calls_so_far() {
  return {reductions, reduced_bytes, collectives, communicators, freed,
          windows,    blocks,        segments,    huge_planes};
}

}  // namespace sortlast::testing

// MPI's profiling interface: the library's own are PMPI_...
#define SORTLAST_COUNT(counter, name, parameters, arguments) \
  extern "C" int MPI_##name parameters {                     \
    ++sortlast::testing::counter;                            \
    return PMPI_##name arguments;                            \
  }

SORTLAST_COUNT(communicators, Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
SORTLAST_COUNT(communicators, Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request),
               (comm, made, request))
SORTLAST_COUNT(communicators, Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm* made),
               (comm, colour, key, made))
SORTLAST_COUNT(communicators, Comm_split_type,
               (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
               (comm, type, key, info, made))
SORTLAST_COUNT(communicators, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made),
               (comm, group, made))

SORTLAST_COUNT(freed, Comm_free, (MPI_Comm * comm), (comm))

SORTLAST_COUNT(windows, Win_create,
               (void* base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* window),
               (base, bytes, unit, info, comm, window))
SORTLAST_COUNT(windows, Win_allocate,
               (MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window),
               (bytes, unit, info, comm, base, window))
SORTLAST_COUNT(windows, Win_allocate_shared,
               (MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window),
               (bytes, unit, info, comm, base, window))

extern "C" int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request* request) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  ++sortlast::testing::reductions;
  sortlast::testing::reduced_bytes += std::int64_t{bytes} * count;
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
SORTLAST_COUNT(collectives, Allreduce,
               (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (from, to, count, type, op, comm))
SORTLAST_COUNT(collectives, Barrier, (MPI_Comm comm), (comm))
SORTLAST_COUNT(collectives, Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request))
SORTLAST_COUNT(collectives, Bcast, (void* memory, int count, MPI_Datatype type, int root, MPI_Comm comm),
               (memory, count, type, root, comm))
SORTLAST_COUNT(collectives, Allgather,
               (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                MPI_Datatype to_type, MPI_Comm comm),
               (from, from_count, from_type, to, to_count, to_type, comm))
SORTLAST_COUNT(collectives, Iallgather,
               (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request),
               (from, from_count, from_type, to, to_count, to_type, comm, request))
SORTLAST_COUNT(collectives, Gather,
               (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                MPI_Datatype to_type, int root, MPI_Comm comm),
               (from, from_count, from_type, to, to_count, to_type, root, comm))
SORTLAST_COUNT(collectives, Gatherv,
               (const void* from, int from_count, MPI_Datatype from_type, void* to, const int* to_counts,
                const int* to_places, MPI_Datatype to_type, int root, MPI_Comm comm),
               (from, from_count, from_type, to, to_counts, to_places, to_type, root, comm))

// Stand before the C library's.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  ++sortlast::testing::blocks;
  return memalign(alignment, bytes);
}
extern "C" int madvise(void* begin, std::size_t bytes, int advice) noexcept {
  constexpr int collapse = 25;  // MADV_COLLAPSE, which older headers lack
  if (advice == collapse) ++sortlast::testing::huge_planes;
  return static_cast<int>(syscall(SYS_madvise, begin, bytes, advice));
}
extern "C" int memfd_create(const char* name, unsigned flags) noexcept {
  ++sortlast::testing::segments;
  return static_cast<int>(syscall(SYS_memfd_create, name, flags));
}
