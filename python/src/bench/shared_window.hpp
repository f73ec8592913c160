// SharedWindow: the least that compositing on one node can do, a floor for every algorithm.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/boxed_blend.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/tile.hpp"

namespace sortlast::bench {

// The images of all ranks of one node in an MPI-3 shared window. Each rank blends its piece, [n r / p,
// n (r + 1) / p), of all images from front (rank 0) to back in one pass: no message, no copy, one barrier
// before and one after. Where boxes of active pixels are given, nothing outside them is read. All calls but
// the accessors are collective; they throw MpiError.
class SharedWindow {
 public:
  // `whole`: pieces go to one frame at rank 0, in a window too; else each to its rank's own memory. `boxes`:
  // for over and closest the box of each rank's active pixels; empty if they are not known.
  // Throws ArgumentError if check_format() does; all ranks of `comm` must be on one node.
  SharedWindow(MPI_Comm comm, Op op, const Format& format, Size size, bool whole, std::vector<Box> boxes);
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;
  ~SharedWindow();

  // Where this rank's image lies: to be written before frame().
  Pixels image() const { return images_[static_cast<std::size_t>(rank_)]; }
  void frame();
  std::int64_t pixels() const { return n_; }  // of an image

  // The result that this rank can answer for: pixels [begin(), end()), the whole frame at the root of a
  // `whole` one and nothing elsewhere.
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

}  // namespace sortlast::bench
