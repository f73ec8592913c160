// Visibility order over MPI: every rank learns all boxes and sorts them by itself.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/agreement.hpp"
#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/mpi/wait.hpp"

namespace sortlast {
namespace {

// What each rank tells the others.
struct View {
  Box box;
  std::array<double, 3> position{};
  double parallel = 0;
  double wrong = 0;  // this rank has a problem to tell
};

std::string text(const View& view) {
  std::ostringstream values;
  values.precision(9);
  values << (view.parallel != 0 ? "direction" : "eye");
  const char* separator = " (";
  for (const double value : view.position) values << std::exchange(separator, ", ") << value;
  values << ")";
  return values.str();
}

bool same_viewpoint(const View& a, const View& b) {
  return a.parallel == b.parallel && a.position == b.position;
}

bool is_finite(const View& view) {
  return std::all_of(view.position.begin(), view.position.end(), [](double x) { return std::isfinite(x); });
}

// The attribute that holds a communicator's duplicate is a Communicator, freed with it.
int free_duplicate(MPI_Comm, int, void* duplicate, void*) {
  delete static_cast<Communicator*>(duplicate);
  return MPI_SUCCESS;
}

int duplicate_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_duplicate, &made, nullptr),
              "MPI_Comm_create_keyval");
    return made;
  }();
  return key;
}

// Collective: the duplicate that an earlier call has left with the user's communicator, or a new one.
Communicator& kept_duplicate(MPI_Comm comm, double timeout, const std::function<void()>& interrupt) {
  if (comm != MPI_COMM_NULL) {
    void* value = nullptr;
    int found = 0;
    check_mpi(MPI_Comm_get_attr(comm, duplicate_key(), &value, &found), "MPI_Comm_get_attr");
    if (found != 0) return *static_cast<Communicator*>(value);
  }
  auto made = std::make_unique<Communicator>(duplicate(comm, timeout, "visibility_order", interrupt));
  check_mpi(MPI_Comm_set_attr(comm, duplicate_key(), made.get()), "MPI_Comm_set_attr");
  return *made.release();
}

// Collective: what all ranks tell, or their problems as an error. If that is given up, the duplicate is too.
std::vector<View> exchange_views(MPI_Comm comm, const View& mine, double timeout, const std::string& problem,
                                 const std::function<void()>& interrupt) {
  Communicator& own = kept_duplicate(comm, timeout, interrupt);
  const Alarm alarm(own, timeout, interrupt);
  try {
    alarm.join_if_raised([] { return std::string("nobody, it came late"); });
    std::vector<View> all = all_gather(own, alarm, all_ranks_to_call("visibility_order"), mine);
    if (std::any_of(all.begin(), all.end(), [](const View& view) { return view.wrong != 0; }))
      agree(own, alarm, Arguments("visibility_order"), problem,
            compare_by_reduction(own, alarm, "visibility_order"));
    return all;
  } catch (...) {
    if (!alarm.every_rank_throws()) {
      give_up(own, alarm);
      MPI_Comm_delete_attr(comm, duplicate_key());
    }
    throw;
  }
}

}  // namespace

std::vector<std::int32_t> visibility_order(MPI_Comm comm, const Box& box, const Viewpoint& viewpoint,
                                           double timeout) {
  return detail::CompositorAccess::visibility_order(comm, box, viewpoint, timeout, "", {});
}

std::vector<std::int32_t> detail::CompositorAccess::visibility_order(MPI_Comm comm, const Box& box,
                                                                     const Viewpoint& viewpoint,
                                                                     double timeout, const std::string& found,
                                                                     const std::function<void()>& interrupt) {
  check_mpi_is_there("visibility_order");
  const bool limited = timeout > 0;
  const std::string problem = found.empty() && !limited
                                  ? "timeout is " + std::to_string(timeout) + " s; expected more than 0"
                                  : found;
  const View mine{box, viewpoint.position, viewpoint.parallel ? 1.0 : 0.0, problem.empty() ? 0.0 : 1.0};
  const std::vector<View> all =
      exchange_views(comm, mine, limited ? timeout : Options{}.timeout, problem, interrupt);
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
  return sortlast::visibility_order(boxes, viewpoint);
}

}  // namespace sortlast
