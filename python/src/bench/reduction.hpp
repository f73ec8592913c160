// Reduction: MPI's own reductions of images, with a blend operator that does not commute.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sortlast/image.hpp"

namespace sortlast::bench {

// MPI's reductions over one communicator and one kind of image: RGBA without depth, n pixels a rank, rank 0
// in front. MPI chooses the algorithm, sees a pixel as one element and blends with sortlast::blend(), so
// that only the algorithm differs from the compositor's. Calls are collective; they throw MpiError.
class Reduction {
 public:
  // Throws ArgumentError if MPI has no reduction for such images: `closest`, which needs two planes, or
  // more than 2^31 - 1 pixels.
  Reduction(MPI_Comm comm, Op op, Scalar scalar, std::int64_t n);
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;
  ~Reduction();

  // The whole result to `out` at `root` (n pixels; not read elsewhere).
  void reduce(const std::byte* image, std::byte* out, int root);
  // The whole result to `out` on every rank.
  void allreduce(const std::byte* image, std::byte* out);
  // Pixels [begin(rank), begin(rank + 1)) of the result to `out`. With MPI_Reduce_scatter_block where the
  // ranks divide n, else with MPI_Reduce_scatter.
  void reduce_scatter(const std::byte* image, std::byte* out);
  // The pieces of reduce_scatter() to `out` at `root`.
  void gather(const std::byte* piece, std::byte* out, int root);

  std::int64_t begin(int rank) const { return begins_[static_cast<std::size_t>(rank)]; }

 private:
  MPI_Comm comm_;
  MPI_Datatype pixel_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  int rank_ = 0;
  std::vector<int> counts_;  // pixels of each rank's piece
  std::vector<int> begins_;  // and where they begin; n at the end
};

}  // namespace sortlast::bench
