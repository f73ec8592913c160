// Reduction: MPI's own reductions of images, with a blend operator that does not commute.
#include "bench/reduction.hpp"

#include <array>
#include <limits>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast::bench {
namespace {

constexpr int channels = 4;

// MPI hands no user pointer to an operator's function, so each kind of image has a function of its own.
// MPI: inout = in op inout, where `in` comes from the lower ranks, which lie in front.
template <Op op, Scalar scalar>
void join(void* in, void* inout, int* count, MPI_Datatype* /*pixel*/) {
  const std::array chain{Link{{static_cast<const std::byte*>(inout), nullptr}, scalar, Side::back},
                         Link{{static_cast<const std::byte*>(in), nullptr}, scalar, Side::front}};
  blend(op, channels, false, chain, {static_cast<std::byte*>(inout), nullptr}, scalar, *count);
}

template <Op op>
MPI_User_function* function_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::float16:
      return join<op, Scalar::float16>;
    case Scalar::uint8:
      return join<op, Scalar::uint8>;
    default:
      return join<op, Scalar::float32>;
  }
}

MPI_User_function* function_of(Op op, Scalar scalar) {
  switch (op) {
    case Op::over:
      return function_of<Op::over>(scalar);
    case Op::add:
      return function_of<Op::add>(scalar);
    case Op::max:
      return function_of<Op::max>(scalar);
    case Op::min:
      return function_of<Op::min>(scalar);
    default:
      throw ArgumentError(
          "closest reads two planes, which no element of an MPI reduction holds; use over, "
          "add, max or min");
  }
}

}  // namespace

Reduction::Reduction(MPI_Comm comm, Op op, Scalar scalar, std::int64_t n) : comm_(comm) {
  MPI_User_function* const function = function_of(op, scalar);
  if (n > std::numeric_limits<int>::max())
    throw ArgumentError(std::to_string(n) + " pixels are more than an MPI count holds; use a smaller image");

  // Divide the pixels among the ranks.
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  for (int rank = 0; rank <= size; ++rank) begins_.push_back(static_cast<int>(n * rank / size));
  for (int rank = 0; rank < size; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    counts_.push_back(begins_[at + 1] - begins_[at]);
  }

  // Make the element and its operator.
  const auto bytes = static_cast<int>(Format{scalar, channels, false}.colour_bytes());
  check_mpi(MPI_Type_contiguous(bytes, MPI_BYTE, &pixel_), "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&pixel_), "MPI_Type_commit");
  check_mpi(MPI_Op_create(function, 0, &op_), "MPI_Op_create");
}

Reduction::~Reduction() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  if (op_ != MPI_OP_NULL) MPI_Op_free(&op_);
  if (pixel_ != MPI_DATATYPE_NULL) MPI_Type_free(&pixel_);
}

void Reduction::reduce(const std::byte* image, std::byte* out, int root) {
  check_mpi(MPI_Reduce(image, out, begins_.back(), pixel_, op_, root, comm_), "MPI_Reduce");
}

void Reduction::allreduce(const std::byte* image, std::byte* out) {
  check_mpi(MPI_Allreduce(image, out, begins_.back(), pixel_, op_, comm_), "MPI_Allreduce");
}

void Reduction::reduce_scatter(const std::byte* image, std::byte* out) {
  if (begins_.back() % static_cast<int>(counts_.size()) == 0) {
    check_mpi(MPI_Reduce_scatter_block(image, out, counts_[0], pixel_, op_, comm_),
              "MPI_Reduce_scatter_block");
  } else {
    check_mpi(MPI_Reduce_scatter(image, out, counts_.data(), pixel_, op_, comm_), "MPI_Reduce_scatter");
  }
}

void Reduction::gather(const std::byte* piece, std::byte* out, int root) {
  check_mpi(MPI_Gatherv(piece, counts_[static_cast<std::size_t>(rank_)], pixel_, out, counts_.data(),
                        begins_.data(), pixel_, root, comm_),
            "MPI_Gatherv");
}

}  // namespace sortlast::bench
