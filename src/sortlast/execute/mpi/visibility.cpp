// Visibility order over MPI: every rank learns all boxes and sorts them by itself.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/communicator.hpp"

namespace sortlast {
namespace {

// What each rank tells the others.
struct View {
  Box box;
  std::array<double, 3> position{};
  double parallel = 0;
};
constexpr int view_doubles = 10;
static_assert(sizeof(View) == view_doubles * sizeof(double));

std::string text(const View& view) {
  std::string values;
  for (const double value : view.position) values += (values.empty() ? "" : ", ") + std::to_string(value);
  return (view.parallel != 0 ? "direction (" : "position (") + values + ")";
}

bool same_viewpoint(const View& a, const View& b) {
  return a.parallel == b.parallel && a.position == b.position;
}

bool is_finite(const View& view) {
  return std::all_of(view.position.begin(), view.position.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

std::vector<std::int32_t> visibility_order(MPI_Comm comm, const Box& box, const Viewpoint& viewpoint) {
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  const View mine{box, viewpoint.position, viewpoint.parallel ? 1.0 : 0.0};
  std::vector<View> all(static_cast<std::size_t>(size));
  check_mpi(MPI_Allgather(&mine, view_doubles, MPI_DOUBLE, all.data(), view_doubles, MPI_DOUBLE, comm),
            "MPI_Allgather");
  std::vector<Box> boxes;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (!is_finite(all[rank])) {
      throw ArgumentError("viewpoint: " + text(all[rank]) + " on rank " + std::to_string(rank) +
                          "; expected finite coordinates");
    }
    if (!same_viewpoint(all[rank], all[0])) {
      throw MismatchError("ranks disagree: viewpoint: " + text(all[0]) + " on rank 0; " + text(all[rank]) +
                          " on rank " + std::to_string(rank));
    }
    boxes.push_back(all[rank].box);
  }
  return visibility_order(boxes, viewpoint);
}

}  // namespace sortlast
