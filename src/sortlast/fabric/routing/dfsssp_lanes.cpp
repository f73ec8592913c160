#include "sortlast/fabric/routing/dfsssp_lanes.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sortlast::fabric {

namespace {

constexpr std::int32_t none = -1;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

DfssspLanes::DfssspLanes(std::vector<std::int32_t> rank, std::int32_t max_lanes)
    : rank_(std::move(rank)), max_lanes_(at(max_lanes)), lanes_{empty_lane()} {}

DfssspLanes::Lane DfssspLanes::empty_lane() const {
  return {{}, std::vector<bool>(rank_.size()), std::vector<std::vector<Link>>(rank_.size())};
}

void DfssspLanes::add(Way way, std::uint32_t weight) {
  paths_.push_back({std::move(way), weight, 0});
  put(lanes_.front(), static_cast<std::uint32_t>(paths_.size() - 1));
}

void DfssspLanes::put(Lane& lane, std::uint32_t path) const {
  const Way& way = paths_[path].way;
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (!lane.used[at(way[i])]) {
      lane.used[at(way[i])] = true;
      lane.cables.push_back(way[i]);
    }
    if (i == 0) continue;
    std::vector<Link>& links = lane.links[at(way[i - 1])];
    auto link = std::find_if(links.begin(), links.end(), [&](const Link& to) { return to.next == way[i]; });
    if (link == links.end()) link = links.insert(link, {.next = way[i], .paths = {}});
    link->added += paths_[path].weight;
    link->paths.push_back(path);
  }
}

void DfssspLanes::take(Lane& lane, std::uint32_t path) const {
  const Way& way = paths_[path].way;
  for (std::size_t i = 1; i < way.size(); ++i) {
    for (Link& link : lane.links[at(way[i - 1])]) {
      if (link.next == way[i]) link.removed += paths_[path].weight;
    }
  }
}

std::int32_t DfssspLanes::separate() {
  std::size_t needed = 1;
  for (std::size_t number = 0; number < lanes_.size() && number < max_lanes_; ++number) {
    if (break_circles(number)) needed = number + 2;
  }
  return static_cast<std::int32_t>(needed);
}

// Returns whether the lane has circles. The last lane keeps its circles.
bool DfssspLanes::break_circles(std::size_t number) {
  if (lanes_[number].cables.empty()) return false;
  Search search = begin_search(lanes_[number]);
  bool has_circles = false;
  std::int32_t start = lanes_[number].cables.front();
  while ((start = find_circle(lanes_[number], search, start)) != none) {
    has_circles = true;
    if (number + 1 == max_lanes_) break;
    move(cut_weakest(lanes_[number], search, start), number);
  }
  return has_circles;
}

// Moves the paths of a link that are still on its lane to the next lane.
void DfssspLanes::move(const Link& link, std::size_t from) {
  if (lanes_.size() == from + 1) lanes_.push_back(empty_lane());
  for (const std::uint32_t path : link.paths) {
    if (at(paths_[path].lane) != from) continue;
    take(lanes_[from], path);
    put(lanes_[from + 1], path);
    paths_[path].lane = static_cast<std::int32_t>(from) + 1;
  }
}

// OpenSM keeps the cables of a lane in a binary tree by rank, without balancing it, and begins in its
// preorder. In such a tree, of the cables between two neighbouring ancestors the first that was inserted is
// above all others, so one pass by rank with a stack of the rightmost branch builds it.
DfssspLanes::Search DfssspLanes::begin_search(const Lane& lane) const {
  Search search{std::vector<Mark>(rank_.size()), std::vector<std::int32_t>(rank_.size(), none), {}, {}, 0};
  const std::size_t count = lane.cables.size();
  std::vector<std::size_t> by_rank(count);
  for (std::size_t i = 0; i < count; ++i) by_rank[i] = i;
  std::sort(by_rank.begin(), by_rank.end(), [&](std::size_t a, std::size_t b) {
    return rank_[at(lane.cables[a])] < rank_[at(lane.cables[b])];
  });

  constexpr std::size_t leaf = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> left(count, leaf), right(count, leaf), branch;
  for (const std::size_t i : by_rank) {
    while (!branch.empty() && branch.back() > i) {
      left[i] = branch.back();
      branch.pop_back();
    }
    if (!branch.empty()) right[branch.back()] = i;
    branch.push_back(i);
  }

  search.place.resize(rank_.size());
  std::vector<std::size_t> stack = {branch.front()};
  while (!stack.empty()) {
    const std::size_t i = stack.back();
    stack.pop_back();
    search.place[at(lane.cables[i])] = search.order.size();
    search.order.push_back(lane.cables[i]);
    if (right[i] != leaf) stack.push_back(right[i]);
    if (left[i] != leaf) stack.push_back(left[i]);
  }
  return search;
}

// Searches on from a cable until a circle closes. Returns the cable that closes it, or none.
std::int32_t DfssspLanes::find_circle(Lane& lane, Search& search, std::int32_t start) {
  for (std::int32_t cable = start; cable != none;) {
    search.marks[at(cable)] = Mark::open;
    std::int32_t onward = none;
    for (const Link& link : lane.links[at(cable)]) {
      if (search.marks[at(link.next)] == Mark::open) return link.next;
      if (search.marks[at(link.next)] == Mark::unknown) {
        onward = link.next;
        break;
      }
    }
    if (onward != none) {
      search.before[at(onward)] = cable;
      cable = onward;
      continue;
    }

    // Nothing behind this cable leads back. OpenSM also forgets its paths here.
    search.marks[at(cable)] = Mark::closed;
    for (Link& link : lane.links[at(cable)]) link = {.next = link.next, .paths = {}};
    cable = std::exchange(search.before[at(cable)], none);
    if (cable == none) cable = unknown_cable(search);
  }
  return none;
}

std::int32_t DfssspLanes::unknown_cable(Search& search) {
  for (; search.next < search.order.size(); ++search.next) {
    if (search.marks[at(search.order[search.next])] == Mark::unknown) return search.order[search.next];
  }
  return none;
}

// Takes the link with the fewest pairs out of a circle, and lets the search forget the cables of the circle.
DfssspLanes::Link DfssspLanes::cut_weakest(Lane& lane, Search& search, std::int32_t circle) {
  std::int32_t weakest_cable = none;
  std::size_t weakest = 0;
  std::uint32_t least = 0;
  std::int32_t cable = circle;
  do {
    // Follow the first link to an open cable; the circle itself stays open until its end.
    const std::vector<Link>& links = lane.links[at(cable)];
    const auto link = std::find_if(links.begin(), links.end(),
                                   [&](const Link& to) { return search.marks[at(to.next)] == Mark::open; });
    const std::uint32_t pairs = link->added - link->removed;
    if (weakest_cable == none || pairs < least) {
      weakest_cable = cable;
      weakest = static_cast<std::size_t>(link - links.begin());
      least = pairs;
    }
    cable = link->next;
    search.marks[at(cable)] = Mark::unknown;
    search.next = std::min(search.next, search.place[at(cable)]);
  } while (cable != circle);

  std::vector<Link>& links = lane.links[at(weakest_cable)];
  Link cut = std::move(links[weakest]);
  links.erase(links.begin() + static_cast<std::ptrdiff_t>(weakest));
  return cut;
}

}  // namespace sortlast::fabric
