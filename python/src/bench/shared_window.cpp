// SharedWindow: the minimum work of compositing on one node, a floor for every algorithm.
#include <mpi.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "communicator.hpp"
#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/tile.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::bench {

namespace {

// {x0, y0, x1, y1}: the pixels of columns [x0, x1) and rows [y0, y1).
using Box = std::array<std::int64_t, 4>;

bool covers(const Box& box, std::int64_t x, std::int64_t y) {
  return box[0] <= x && x < box[2] && box[1] <= y && y < box[3];
}

// Cut columns [begin, end) of row y at the edges of the boxes.
void cut_row(std::span<const Box> boxes, std::int64_t y, std::int64_t begin, std::int64_t end,
             std::vector<std::int64_t>& cuts) {
  cuts.assign({begin, end});
  for (const Box& box : boxes) {
    if (y < box[1] || box[3] <= y) continue;
    cuts.push_back(std::clamp(box[0], begin, end));
    cuts.push_back(std::clamp(box[2], begin, end));
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
}

// Write pixels `range`, in row-major order, of the composite of images `width` pixels wide, from front to
// back, to `out`, where pixel 0 is pixel range.begin. Image i is empty (see active.hpp) outside boxes[i].
// Empty pixels must not change the result of `op`: over or closest.
void blend_boxes(Op op, const Format& format, std::span<const ConstPixels> images, std::span<const Box> boxes,
                 std::int64_t width, Range range, Pixels out) {
  std::vector<std::int64_t> cuts;
  std::vector<Link> chain;
  for (std::int64_t begin = range.begin; begin < range.end;) {
    const std::int64_t y = begin / width;
    const std::int64_t row = y * width;
    const std::int64_t end = std::min(range.end, row + width);
    cut_row(boxes, y, begin - row, end - row, cuts);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const std::int64_t x = cuts[i];
      const std::int64_t count = cuts[i + 1] - x;
      const Pixels place = advance(out, format, row + x - range.begin);

      // Blend the images with boxes that contain this interval.
      chain.clear();
      for (std::size_t k = 0; k < images.size(); ++k) {
        if (!covers(boxes[k], x, y)) continue;
        Link link;
        link.pixels = advance(images[k], format, row + x);
        link.scalar = format.scalar;
        chain.push_back(link);
      }
      if (chain.empty()) {
        fill_absent(op, format, false, place, count);
      } else {
        blend(op, format.channels, format.depth, chain, place, format.scalar, count);
      }
    }
    begin = end;
  }
}

// The images of all ranks of one node in an MPI-3 shared window. Each rank blends its piece, [n r / p, n (r +
// 1) / p), of all images from front (rank 0) to back in one pass: no message, no copy, one barrier before and
// one after. If boxes of active pixels are given, nothing outside them is read. All calls except the
// accessors are collective; they throw MpiError.
class SharedWindow {
 public:
  // `whole`: write all pieces to one frame at rank 0, which is also in a window; otherwise each to its rank's
  // own memory. `boxes`: for over and closest, the box of each rank's active pixels; empty if unknown. Throws
  // ArgumentError if check_format() does. All ranks of `comm` must be on one node.
  SharedWindow(MPI_Comm comm, Op op, const Format& format, Size size, bool whole, std::vector<Box> boxes);
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;
  ~SharedWindow();

  // Memory of this rank's image, to be written before frame().
  Pixels image() const { return images_[static_cast<std::size_t>(rank_)]; }
  void frame();
  std::int64_t pixels() const { return n_; }  // of an image

  // This rank's part of the result: pixels [begin(), end()). If `whole`, the root has the whole frame and the
  // other ranks nothing.
  std::int64_t begin() const { return whole_ ? 0 : begin_; }
  std::int64_t end() const { return whole_ ? (rank_ == 0 ? n_ : 0) : end_; }
  Pixels result() const { return result_; }
  const Format& format() const { return format_; }

 private:
  void close();
  std::vector<Pixels> allocate(std::int64_t pixels);
  void synchronize();

  MPI_Comm comm_;
  Op op_;
  Format format_;
  std::int64_t width_;
  std::int64_t n_;
  bool whole_;
  std::vector<Box> boxes_;  // of all ranks, or empty
  int rank_ = 0;
  int size_ = 0;
  std::int64_t begin_ = 0;  // of this rank's piece
  std::int64_t end_ = 0;
  std::vector<MPI_Win> windows_;
  std::vector<Pixels> images_;  // of all ranks
  Pixels result_;               // the whole frame, or this rank's piece
  std::vector<std::byte> own_;  // memory of the piece
};

// Pixels in memory that starts at `memory`: n colours, then their depths if the format has them.
Pixels lay_out(std::byte* memory, const Format& format, std::int64_t n) {
  if (!format.depth) return {memory, nullptr};
  const std::size_t colour = static_cast<std::size_t>(n) * format.colour_bytes();
  return {memory, reinterpret_cast<float*>(memory + colour)};
}

std::size_t bytes_of(const Format& format, std::int64_t n) {
  return static_cast<std::size_t>(n) * format.pixel_bytes();
}

SharedWindow::SharedWindow(MPI_Comm comm, Op op, const Format& format, Size size, bool whole,
                           std::vector<Box> boxes)
    : comm_(comm),
      op_(op),
      format_(format),
      width_(size.width),
      n_(size.pixels()),
      whole_(whole),
      boxes_(std::move(boxes)) {
  check_format(format, op);
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
  begin_ = n_ * rank_ / size_;
  end_ = n_ * (rank_ + 1) / size_;

  try {
    images_ = allocate(n_);
    if (whole) {
      result_ = allocate(rank_ == 0 ? n_ : 0)[0];
    } else {
      own_.resize(bytes_of(format, end_ - begin_));
      result_ = lay_out(own_.data(), format, end_ - begin_);
    }
  } catch (...) {
    close();
    throw;
  }
}

SharedWindow::~SharedWindow() { close(); }

void SharedWindow::close() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  for (MPI_Win& window : windows_) {
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
  windows_.clear();
}

// Allocate a window with `pixels` pixels of this rank. Returns the addresses of all ranks' pixels.
std::vector<Pixels> SharedWindow::allocate(std::int64_t pixels) {
  MPI_Win window = MPI_WIN_NULL;
  void* memory = nullptr;
  check_mpi(MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes_of(format_, pixels)), 1, MPI_INFO_NULL, comm_,
                                    static_cast<void*>(&memory), &window),
            "MPI_Win_allocate_shared");
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window), "MPI_Win_lock_all");
  windows_.push_back(window);

  std::vector<Pixels> views;
  for (int rank = 0; rank < size_; ++rank) {
    MPI_Aint bytes = 0;
    int unit = 0;
    check_mpi(MPI_Win_shared_query(window, rank, &bytes, &unit, static_cast<void*>(&memory)),
              "MPI_Win_shared_query");
    const auto held = static_cast<std::int64_t>(static_cast<std::size_t>(bytes) / format_.pixel_bytes());
    views.push_back(lay_out(static_cast<std::byte*>(memory), format_, held));
  }
  return views;
}

// Make the writes of all ranks before this call visible to all ranks after it.
void SharedWindow::synchronize() {
  for (const MPI_Win window : windows_) check_mpi(MPI_Win_sync(window), "MPI_Win_sync");
  check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
  for (const MPI_Win window : windows_) check_mpi(MPI_Win_sync(window), "MPI_Win_sync");
}

void SharedWindow::frame() {
  synchronize();
  const Pixels out = whole_ ? advance(result_, format_, begin_) : result_;
  if (boxes_.empty()) {
    std::vector<Link> chain;
    for (const Pixels& image : images_) {
      Link link;
      link.pixels = advance(ConstPixels(image), format_, begin_);
      link.scalar = format_.scalar;
      chain.push_back(link);
    }
    blend(op_, format_.channels, format_.depth, chain, out, format_.scalar, end_ - begin_);
  } else {
    const std::vector<ConstPixels> images(images_.begin(), images_.end());
    blend_boxes(op_, format_, images, boxes_, width_, {begin_, end_}, out);
  }
  synchronize();
}

// A view of pixels of the window; the array keeps the window alive.
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

}  // namespace

void bind_shared_window(nb::module_& module) {
  const nb::call_guard<nb::gil_scoped_release> released;
  nb::class_<SharedWindow>(module, "SharedWindow",
                           "The images of all ranks of one node in a shared window, blended in place.")
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

}  // namespace sortlast::bench
