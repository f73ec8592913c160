// Cost per rank of agreeing on a frame with a depth order of up to a million ranks: collecting and hashing
// the arguments without the reduction, and the reduction of the hash among the ranks of the job.
//
// mpiexec -n 2 bench_agreement 1000 10000 100000 1000000
//
// Times are minima over several runs, in milliseconds. They are preceded by the MPI calls needed to make a
// compositor without a machine profile: collective calls by kind, through MPI's profiling interface, and the
// bytes that this rank sends and receives in them.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/execute/mpi/rendezvous.hpp"

namespace {

using namespace sortlast;

struct Counts {
  int reductions = 0, gathers = 0, communicators = 0, others = 0;
  long long given = 0, got = 0;
};
Counts counts;

double milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

void start_up(bool first) {
  counts = {};
  const double begin = milliseconds();
  const Compositor compositor(MPI_COMM_WORLD, {.algorithm = "radix-k", .node_ranks = 1});
  const double end = milliseconds();
  if (!first) return;
  std::printf(
      "start-up: %.3f ms, %d reductions, %d gathers to all, %d communicators, %d other collectives; "
      "%lld bytes given, %lld got\n",
      end - begin, counts.reductions, counts.gathers, counts.communicators, counts.others, counts.given,
      counts.got);
}

void measure(std::size_t p, bool first) {
  constexpr int runs = 5;
  std::vector<std::int32_t> order(p);
  std::iota(order.rbegin(), order.rend(), 0);
  double least_hash = 1e9;
  double least_all = 1e9;
  const Communicator comm = duplicate(MPI_COMM_WORLD, 60, "bench_agreement");
  const Alarm alarm(comm, 60, {});
  for (int run = 0; run < runs; ++run) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = milliseconds();
    Arguments arguments("composite");
    arguments.add("order", order);
    const double hashed = milliseconds();
    agree(comm, alarm, arguments, "");
    least_hash = std::min(least_hash, hashed - begin);
    least_all = std::min(least_all, milliseconds() - begin);
  }
  if (first) std::printf("%8zu %12.3f %12.3f\n", p, least_hash, least_all);
}

}  // namespace

extern "C" int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request* request) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  ++counts.reductions;
  counts.given += 1LL * bytes * count;
  counts.got += 1LL * bytes * count;
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
extern "C" int MPI_Iallgather(const void* from, int from_count, MPI_Datatype from_type, void* to,
                              int to_count, MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request) {
  int bytes = 0;
  int ranks = 0;
  PMPI_Type_size(from_type, &bytes);
  PMPI_Comm_size(comm, &ranks);
  ++counts.gathers;
  counts.given += 1LL * bytes * from_count;
  counts.got += 1LL * bytes * from_count * ranks;
  return PMPI_Iallgather(from, from_count, from_type, to, to_count, to_type, comm, request);
}
extern "C" int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  ++counts.communicators;
  return PMPI_Comm_idup(comm, made, request);
}
extern "C" int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* made) {
  ++counts.communicators;
  return PMPI_Comm_split(comm, colour, key, made);
}
extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  ++counts.communicators;
  return PMPI_Comm_split_type(comm, type, key, info, made);
}
extern "C" int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  ++counts.others;
  return PMPI_Ibarrier(comm, request);
}
extern "C" int MPI_Ibcast(void* memory, int count, MPI_Datatype type, int root, MPI_Comm comm,
                          MPI_Request* request) {
  ++counts.others;
  return PMPI_Ibcast(memory, count, type, root, comm, request);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  start_up(rank == 0);
  if (rank == 0) std::printf("%8s %12s %12s\n", "ranks", "hash, ms", "agree, ms");
  for (int i = 1; i < argc; ++i)
    measure(static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)), rank == 0);
  MPI_Finalize();
  return 0;
}
