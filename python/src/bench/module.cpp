// sortlast._bench_<family>: the programs with which the benchmark compares the compositor, over one family of
// MPI libraries: MPI's own reductions with a blend operator that does not commute, and the shared window.
#include <mpi.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "communicator.hpp"
#include "errors.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/blend.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::bench {

void bind_shared_window(nb::module_& module);

namespace {

// MPI's reductions over one communicator and one kind of image: RGBA without depth, n pixels per rank, rank 0
// in front. MPI selects the algorithm, treats a pixel as one element and blends with sortlast::blend(), so
// that only the algorithm differs from the compositor's. Calls are collective and throw MpiError.
class Reduction {
 public:
  // Throws ArgumentError if MPI has no reduction for such images: `closest`, which needs two planes, or
  // more than 2^31 - 1 pixels.
  Reduction(MPI_Comm comm, Op op, Scalar scalar, std::int64_t n);
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;
  ~Reduction();

  // Write the whole result to `out` at `root` (n pixels; not read elsewhere).
  void reduce(const std::byte* image, std::byte* out, int root);
  // Write the whole result to `out` on every rank.
  void allreduce(const std::byte* image, std::byte* out);
  // Write pixels [begin(rank), begin(rank + 1)) of the result to `out`, with MPI_Reduce_scatter_block if the
  // number of ranks divides n, otherwise with MPI_Reduce_scatter.
  void reduce_scatter(const std::byte* image, std::byte* out);
  // Write the pieces of reduce_scatter() to `out` at `root`.
  void gather(const std::byte* piece, std::byte* out, int root);

  std::int64_t begin(int rank) const { return begins_[static_cast<std::size_t>(rank)]; }

 private:
  MPI_Comm comm_;
  MPI_Datatype pixel_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  int rank_ = 0;
  std::vector<int> counts_;  // pixels of each rank's piece
  std::vector<int> begins_;  // first pixels of the pieces; n at the end
};

constexpr int channels = 4;

// MPI passes no user pointer to an operator's function, so each kind of image has its own function. MPI
// computes inout = in op inout, where `in` comes from the lower ranks, which are in front.
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

using Source = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Target = nb::ndarray<nb::c_contig, nb::device::cpu>;

const std::byte* bytes(const Source& array) { return static_cast<const std::byte*>(array.data()); }
std::byte* bytes(const Target& array) { return static_cast<std::byte*>(array.data()); }

void bind_reduction(nb::module_& module) {
  const nb::call_guard<nb::gil_scoped_release> released;
  nb::class_<Reduction>(module, "Reduction",
                        "MPI's reductions of RGBA images with a blend operator that does not commute. Arrays "
                        "are contiguous and hold n pixels, or those of this rank's piece.")
      .def(
          "__init__",
          [](Reduction* self, std::uintptr_t comm, const std::string& op, const std::string& scalar,
             std::int64_t n) {
            new (self) Reduction(python::communicator(comm), op_from_name(op), scalar_from_name(scalar), n);
          },
          "comm"_a, "op"_a, "scalar"_a, "n"_a)
      .def(
          "reduce",
          [](Reduction& self, const Source& image, const Target& out, int root) {
            self.reduce(bytes(image), bytes(out), root);
          },
          "image"_a, "out"_a, "root"_a, released, "Write the whole result to `out` at `root`.")
      .def(
          "allreduce",
          [](Reduction& self, const Source& image, const Target& out) {
            self.allreduce(bytes(image), bytes(out));
          },
          "image"_a, "out"_a, released, "Write the whole result to `out` on every rank.")
      .def(
          "reduce_scatter",
          [](Reduction& self, const Source& image, const Target& out) {
            self.reduce_scatter(bytes(image), bytes(out));
          },
          "image"_a, "out"_a, released, "Write this rank's piece of the result to `out`.")
      .def(
          "gather",
          [](Reduction& self, const Source& piece, const Target& out, int root) {
            self.gather(bytes(piece), bytes(out), root);
          },
          "piece"_a, "out"_a, "root"_a, released, "Write the pieces of reduce_scatter() to `out` at `root`.")
      .def("begin", &Reduction::begin, "rank"_a, "First pixel of a rank's piece; n for rank p.");
}

}  // namespace

}  // namespace sortlast::bench

NB_MODULE(SORTLAST_BENCH_MODULE, module) {
  module.doc() =
      "The programs with which the benchmark compares the compositor, over one family of MPI libraries.";
  sortlast::python::register_errors();
  sortlast::bench::bind_reduction(module);
  sortlast::bench::bind_shared_window(module);
}
