// SharedWindow: the least that compositing on one node can do, a floor for every algorithm.
#include "bench/shared_window.hpp"

#include <utility>

#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/tile.hpp"

namespace sortlast::bench {
namespace {

// Pixels in memory that starts at `memory`: n of colour, then their depths if the format has them.
Pixels lay_out(std::byte* memory, const Format& format, std::int64_t n) {
  if (!format.depth) return {memory, nullptr};
  const std::size_t colour = static_cast<std::size_t>(n) * format.colour_bytes();
  return {memory, reinterpret_cast<float*>(memory + colour)};
}

std::size_t bytes_of(const Format& format, std::int64_t n) {
  return static_cast<std::size_t>(n) * format.pixel_bytes();
}

}  // namespace

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

// A new window that holds `pixels` pixels of this rank; where those of all ranks lie.
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

// What any rank wrote before, every rank reads after.
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

}  // namespace sortlast::bench
