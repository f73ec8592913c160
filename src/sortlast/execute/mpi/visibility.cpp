// Visibility order over MPI: every rank gathers all boxes and sorts them by itself.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/mpi/rendezvous.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/visibility/order.hpp"

namespace sortlast {
namespace {

// A rank's message to all others.
struct View {
  std::array<double, 3> position{};
  double parallel = 0;
  double wrong = 0;  // nonzero: this rank has a problem to report
  std::int64_t boxes = 0;
  std::int64_t split = 0;
  std::uint64_t tree = 0;  // a hash
};

std::string text(const View& view) {
  // The shortest text of each coordinate that no other number has.
  std::string values(view.parallel != 0 ? "direction" : "eye");
  const char* separator = " (";
  for (const double value : view.position) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    values.append(std::exchange(separator, ", ")).append(digits.data(), end);
  }
  return values + ")";
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

// Collective: the duplicate that an earlier call has attached to the user's communicator, or a new one.
Communicator& kept_duplicate(MPI_Comm comm, const std::string& call, double timeout,
                             const std::function<void()>& interrupt) {
  if (comm != MPI_COMM_NULL) {
    void* value = nullptr;
    int found = 0;
    check_mpi(MPI_Comm_get_attr(comm, duplicate_key(), &value, &found), "MPI_Comm_get_attr");
    if (found != 0) return *static_cast<Communicator*>(value);
  }
  auto made = std::make_unique<Communicator>(duplicate(comm, timeout, call.c_str(), interrupt));
  check_mpi(MPI_Comm_set_attr(comm, duplicate_key(), made.get()), "MPI_Comm_set_attr");
  return *made.release();
}

// The arguments of a call that all its ranks share.
struct Question {
  std::string call;
  Viewpoint viewpoint;
  bool split = false;
  std::span<const SplitNode> tree;
};

std::uint64_t hash_of(std::span<const SplitNode> tree) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211U; };
  for (const SplitNode& node : tree) {
    add(node.axes);
    for (const double position : node.position) add(std::bit_cast<std::uint64_t>(position));
    for (const std::int32_t child : node.children) add(static_cast<std::uint32_t>(child));
  }
  return hash;
}

// Throws, on every rank, the error in the views.
void check_views(const std::vector<View>& all) {
  const auto disagree = [&](const char* what, const auto& value, std::size_t rank) {
    throw MismatchError(std::string("ranks disagree: ") + what + ": " + value(all[0]) + " on rank 0; " +
                        value(all[rank]) + " on rank " + std::to_string(rank));
  };
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (!is_finite(all[rank])) {
      throw ArgumentError("viewpoint: " + text(all[rank]) + " on rank " + std::to_string(rank) +
                          "; expected finite coordinates");
    }
    if (!same_viewpoint(all[rank], all[0])) disagree("viewpoint", text, rank);
    if (all[rank].split != all[0].split)
      disagree(
          "split", [](const View& view) { return std::string(view.split != 0 ? "true" : "false"); }, rank);
    if (all[rank].tree != all[0].tree)
      disagree(
          "tree", [](const View& view) { return "one with the hash " + std::to_string(view.tree); }, rank);
  }
}

// The boxes of all ranks, rank by rank; rank r has the boxes from first[r] on.
struct AllBoxes {
  std::vector<Box> boxes;
  std::vector<std::int32_t> first;
};

AllBoxes exchange_boxes(const Communicator& own, const Alarm& alarm, const std::string& call,
                        const std::vector<View>& views, std::span<const Box> mine) {
  AllBoxes all{{}, {0}};
  std::int64_t count = 0;
  for (const View& view : views) {
    count += view.boxes;
    if (count > INT32_MAX / 64) {
      throw SettledError<ArgumentError>(call + ": there are more than " + std::to_string(INT32_MAX / 64) +
                                        " boxes; expected fewer");
    }
    all.first.push_back(static_cast<std::int32_t>(count));
  }
  all.boxes.resize(static_cast<std::size_t>(count));
  const std::vector<std::byte> bytes =
      detail::gather_bytes(own, alarm, all_ranks_to_call(call), std::as_bytes(mine));
  if (!bytes.empty()) std::memcpy(all.boxes.data(), bytes.data(), bytes.size());
  if (count > 0)
    detail::broadcast(own, alarm, all_ranks_to_call(call), all.boxes.data(), all.boxes.size() * sizeof(Box),
                      0);
  return all;
}

// Collective: the boxes of all ranks, or their problems as an error. If it is abandoned, so is the duplicate.
AllBoxes ask(MPI_Comm comm, const Question& question, std::span<const Box> boxes, double timeout,
             std::string problem, const std::function<void()>& interrupt) {
  const bool limited = timeout > 0;
  if (problem.empty() && !limited)
    problem = "timeout is " + std::to_string(timeout) + " s; expected more than 0";
  const double limit = limited ? timeout : Options{}.timeout;
  const View mine{question.viewpoint.position, question.viewpoint.parallel ? 1.0 : 0.0,
                  problem.empty() ? 0.0 : 1.0, static_cast<std::int64_t>(boxes.size()),
                  question.split ? 1 : 0,      hash_of(question.tree)};
  Communicator& own = kept_duplicate(comm, question.call, limit, interrupt);
  const Alarm alarm(own, limit, interrupt);
  try {
    alarm.join_if_raised([] { return std::string("nobody, it was late"); });
    const std::vector<View> views = all_gather(own, alarm, all_ranks_to_call(question.call), mine);
    if (std::any_of(views.begin(), views.end(), [](const View& view) { return view.wrong != 0; }))
      agree(own, alarm, Arguments(question.call), problem);
    settled([&] { check_views(views); });
    return exchange_boxes(own, alarm, question.call, views, boxes);
  } catch (...) {
    if (give_up(own, alarm)) MPI_Comm_delete_attr(comm, duplicate_key());
    throw;
  }
}

// The place in the order of each of the boxes first[rank] to first[rank + 1].
BoxPositions positions_of_boxes(const AllBoxes& all, const std::vector<std::int32_t>& order,
                                std::size_t rank) {
  BoxPositions result;
  const auto first = static_cast<std::size_t>(all.first[rank]);
  const std::size_t count = static_cast<std::size_t>(all.first[rank + 1]) - first;
  result.positions.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    result.boxes.push_back(all.boxes[first + i]);
    result.sources.push_back(static_cast<std::int32_t>(i));
  }
  for (std::size_t position = 0; position < order.size(); ++position) {
    const std::size_t box = static_cast<std::size_t>(order[position]) - first;  // large for lower ranks
    if (box < count) result.positions[box] = static_cast<std::int64_t>(position);
  }
  return result;
}

BoxPositions positions_of_parts(const AllBoxes& all, const std::vector<BoxPart>& parts, std::size_t rank) {
  std::vector<std::size_t> own;
  for (std::size_t position = 0; position < parts.size(); ++position) {
    if (all.first[rank] <= parts[position].source && parts[position].source < all.first[rank + 1])
      own.push_back(position);
  }
  std::stable_sort(own.begin(), own.end(),
                   [&](std::size_t a, std::size_t b) { return parts[a].source < parts[b].source; });
  BoxPositions result;
  for (const std::size_t position : own) {
    result.positions.push_back(static_cast<std::int64_t>(position));
    result.boxes.push_back(parts[position].box);
    result.sources.push_back(parts[position].source - all.first[rank]);
  }
  return result;
}

}  // namespace

std::vector<std::int32_t> visibility_order(MPI_Comm comm, const Box& box, const Viewpoint& viewpoint,
                                           double timeout) {
  return detail::CompositorAccess::visibility_order(comm, box, viewpoint, timeout, "", {});
}

std::vector<std::int32_t> detail::CompositorAccess::visibility_order(MPI_Comm comm, const Box& box,
                                                                     const Viewpoint& viewpoint,
                                                                     double timeout,
                                                                     const std::string& problem,
                                                                     const std::function<void()>& interrupt) {
  check_mpi_is_there("visibility_order");
  const AllBoxes all =
      ask(comm, {"visibility_order", viewpoint, false, {}}, {&box, 1}, timeout, problem, interrupt);
  return sortlast::visibility_order(all.boxes, viewpoint);
}

BoxPositions visibility_positions(MPI_Comm comm, std::span<const Box> boxes, const Viewpoint& viewpoint,
                                  const PositionOptions& options) {
  return detail::CompositorAccess::visibility_positions(comm, boxes, viewpoint, options, "", {});
}

BoxPositions detail::CompositorAccess::visibility_positions(MPI_Comm comm, std::span<const Box> boxes,
                                                            const Viewpoint& viewpoint,
                                                            const PositionOptions& options,
                                                            const std::string& found,
                                                            const std::function<void()>& interrupt) {
  check_mpi_is_there("visibility_positions");
  const bool both = options.split && !options.tree.empty();
  const std::string problem = found.empty() && both
                                  ? "both split and tree; expected one, as the boxes of a tree have an order"
                                  : found;
  const AllBoxes all = ask(comm, {"visibility_positions", viewpoint, options.split, options.tree}, boxes,
                           options.timeout, problem, interrupt);
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  const auto own = static_cast<std::size_t>(rank);
  const BoxNames names(all.first);
  if (options.split) return positions_of_parts(all, order_parts(all.boxes, viewpoint, names), own);
  const std::vector<std::int32_t> order = options.tree.empty()
                                              ? order_boxes(all.boxes, viewpoint, Ties::planes, names)
                                              : order_by_tree(all.boxes, options.tree, viewpoint, names);
  return positions_of_boxes(all, order, own);
}

}  // namespace sortlast
