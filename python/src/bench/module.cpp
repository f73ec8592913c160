// sortlast._bench_<family>: what the benchmark compares the compositor with, over one family of MPI
// libraries.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bench/reduction.hpp"
#include "bench/shared_window.hpp"
#include "communicator.hpp"
#include "errors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::bench {
namespace {

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
          "image"_a, "out"_a, "root"_a, released, "The whole result to `out` at `root`.")
      .def(
          "allreduce",
          [](Reduction& self, const Source& image, const Target& out) {
            self.allreduce(bytes(image), bytes(out));
          },
          "image"_a, "out"_a, released, "The whole result to `out` on every rank.")
      .def(
          "reduce_scatter",
          [](Reduction& self, const Source& image, const Target& out) {
            self.reduce_scatter(bytes(image), bytes(out));
          },
          "image"_a, "out"_a, released, "This rank's piece of the result to `out`.")
      .def(
          "gather",
          [](Reduction& self, const Source& piece, const Target& out, int root) {
            self.gather(bytes(piece), bytes(out), root);
          },
          "piece"_a, "out"_a, "root"_a, released, "The pieces of reduce_scatter() to `out` at `root`.")
      .def("begin", &Reduction::begin, "rank"_a, "First pixel of a rank's piece; n for rank p.");
}

// A view of pixels of the window, which the array keeps alive.
nb::object view(const nb::object& owner, void* data, nb::dlpack::dtype dtype,
                const std::vector<std::size_t>& shape) {
  return nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, nullptr, dtype));
}

nb::tuple planes(const nb::object& owner, const Pixels& pixels, const Format& format, std::int64_t n) {
  const auto count = static_cast<std::size_t>(n);
  const auto channels = static_cast<std::size_t>(format.channels);
  return nb::make_tuple(
      view(owner, pixels.colour, python::dtype_of(format.scalar), {count, channels}),
      format.depth ? view(owner, pixels.depth, python::dtype_of(Scalar::float32), {count}) : nb::none());
}

void bind_shared_window(nb::module_& module) {
  const nb::call_guard<nb::gil_scoped_release> released;
  nb::class_<SharedWindow>(module, "SharedWindow",
                           "The images of all ranks of one node in a shared window, blended where they lie.")
      .def(
          "__init__",
          [](SharedWindow* self, std::uintptr_t comm, const std::string& op, const std::string& scalar,
             bool depth, std::int64_t width, std::int64_t height, bool whole, std::vector<Box> boxes) {
            new (self) SharedWindow(python::communicator(comm), op_from_name(op),
                                    Format{scalar_from_name(scalar), 4, depth}, {width, height}, whole,
                                    std::move(boxes));
          },
          "comm"_a, "op"_a, "scalar"_a, "depth"_a, "width"_a, "height"_a, "whole"_a, "boxes"_a)
      .def("frame", &SharedWindow::frame, released, "Barrier, blend this rank's piece, barrier.")
      .def(
          "image",
          [](const nb::object& self) {
            const auto& window = nb::cast<const SharedWindow&>(self);
            return planes(self, window.image(), window.format(), window.pixels());
          },
          "Colour (n, 4) and depth (n,) or None of this rank, to be written before frame().")
      .def(
          "result",
          [](const nb::object& self) {
            const auto& window = nb::cast<const SharedWindow&>(self);
            return planes(self, window.result(), window.format(), window.end() - window.begin());
          },
          "Colour and depth of the finished pixels from `begin` on.")
      .def_prop_ro("begin", &SharedWindow::begin, "First finished pixel of this rank.");
}

}  // namespace
}  // namespace sortlast::bench

NB_MODULE(SORTLAST_BENCH_MODULE, module) {
  module.doc() = "What the benchmark compares the compositor with, over one family of MPI libraries.";
  sortlast::python::register_errors();
  sortlast::bench::bind_reduction(module);
  sortlast::bench::bind_shared_window(module);
}
