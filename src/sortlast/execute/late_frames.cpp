// Late frames: the differences of frames that leave late ranks out.
//
// A frame is composited by a smaller set of ranks: its schedule is made for these alone, numbered without the
// others. So every piece of the image has an owner that takes part, and the result is bit-identical to that
// of a compositor of these ranks alone. Late ranks have not made the same frames as the others, so no
// decision that must be the same on all ranks may depend on earlier frames.
#include "sortlast/execute/compositor_impl.hpp"

namespace sortlast {
namespace {

// The ranks of a list that are in a frame, renumbered by their position in the frame.
std::vector<std::int32_t> numbered(const std::vector<std::int32_t>& list, const std::vector<int>& ranks) {
  std::vector<std::int32_t> numbers;
  for (const std::int32_t rank : list) {
    const auto found = std::lower_bound(ranks.begin(), ranks.end(), rank);
    if (found != ranks.end() && *found == rank)
      numbers.push_back(static_cast<std::int32_t>(found - ranks.begin()));
  }
  return numbers;
}

// The nodes of a frame's ranks, numbered from 0 without gaps in the order of their lowest ranks.
std::vector<std::int32_t> nodes_of(const std::vector<int>& ranks, const std::vector<std::int32_t>& nodes) {
  std::vector<std::int32_t> numbers(nodes.size(), -1);
  std::vector<std::int32_t> of;
  std::int32_t next = 0;
  for (const int rank : ranks) {
    std::int32_t& number = numbers[static_cast<std::size_t>(nodes[static_cast<std::size_t>(rank)])];
    if (number < 0) number = next++;
    of.push_back(number);
  }
  return of;
}

}  // namespace

void Compositor::Impl::refuse_if_leaving_out(const char* what) const {
  if (!leaves_out()) return;
  throw SettledError<ArgumentError>(
      std::string(what) +
      ": a compositor that leaves late ranks out composites one image a rank; expected one "
      "that waits for all");
}

void Compositor::Impl::take_attendance(const CallArrival& arrival) {
  attendees_.attendance = arrival.attendance();
  attendees_.left_out.clear();
  for (std::int32_t rank = 0; rank < session_.size; ++rank)
    if (!std::binary_search(attendees_.attendance.ranks.begin(), attendees_.attendance.ranks.end(), rank))
      attendees_.left_out.push_back(rank);
}

void Compositor::Impl::meet_to_gather(const Arguments& arguments, const std::string& problem,
                                      const detail::TileData& tile) {
  const bool ours = tile.maker == session_.maker;
  agree_among(session_.comm, session_.alarm,
              ours && !tile.ranks.empty() ? tile.ranks : attendees_.attendance.ranks, arguments, problem);
}

Setting Compositor::Impl::setting_without_late(Setting of_all) const {
  Setting setting = std::move(of_all);
  setting.p = static_cast<std::int32_t>(attendees_.attendance.ranks.size());
  if (setting.p == session_.size) return setting;
  if (!setting.nodes.empty()) setting.nodes = nodes_of(attendees_.attendance.ranks, setting.nodes);
  setting.order = normalised(numbered(setting.order, attendees_.attendance.ranks), setting.p);
  setting.ring = normalised(numbered(setting.ring, attendees_.attendance.ranks), setting.p);
  return setting;
}

std::int32_t Compositor::Impl::participant() const {
  if (!leaves_out()) return session_.rank;
  const std::vector<int>& ranks = attendees_.attendance.ranks;
  return static_cast<std::int32_t>(std::lower_bound(ranks.begin(), ranks.end(), session_.rank) -
                                   ranks.begin());
}

std::string Compositor::Impl::fitting_algorithm(const std::string& name, const Setting& wanted) const {
  if (attendees_.left_out.empty()) return name;
  try {
    make_schedule(name, wanted);
    return name;
  } catch (const ArgumentError&) {
    return "direct-send";
  }
}

}  // namespace sortlast
