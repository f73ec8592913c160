// DFSSSP lanes: breaks the circles of one virtual lane by moving paths to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sortlast::fabric {

// The lanes depend on the order of everything; see dfsssp.cpp.
class DfssspLanes {
 public:
  // The cables of a path, in order, by number from 0.
  using Way = std::vector<std::int32_t>;

  // `rank` of each cable: the order of cables in OpenSM's tree of them, without ties.
  DfssspLanes(std::vector<std::int32_t> rank, std::int32_t max_lanes);

  // Puts a path on lane 0 for `weight` pairs of LIDs. Paths are numbered 0, 1, ... as they are added.
  void add(Way way, std::uint32_t weight);
  // Moves paths until no lane has a circle. Returns the number of lanes needed; max_lanes + 1: a circle is
  // left on the last lane.
  std::int32_t separate();
  std::int32_t lane(std::size_t path) const { return paths_[path].lane; }

 private:
  struct Path {
    Way way;
    std::uint32_t weight = 0;
    std::int32_t lane = 0;
  };
  // Paths that arrive by one cable wait for another.
  struct Link {
    std::int32_t next = 0;      // cable
    std::uint32_t added = 0;    // pairs of LIDs that were put on the link ...
    std::uint32_t removed = 0;  // ... and that have left the lane since
    std::vector<std::uint32_t> paths;
  };
  enum class Mark : std::uint8_t { unknown, open, closed };
  struct Lane {
    std::vector<std::int32_t> cables;      // in use, in the order of their first use
    std::vector<bool> used;                // by cable
    std::vector<std::vector<Link>> links;  // by cable, in the order of their first use
  };
  // The state of a depth-first search over one lane, which goes on after each circle that it finds.
  struct Search {
    std::vector<Mark> marks;           // by cable
    std::vector<std::int32_t> before;  // by cable: the one from which the search came
    std::vector<std::int32_t> order;   // cables in which the search begins, the first first
    std::vector<std::size_t> place;    // by cable, in `order`
    std::size_t next = 0;              // in `order`: all before it are known
  };

  Lane empty_lane() const;
  void put(Lane& lane, std::uint32_t path) const;
  void take(Lane& lane, std::uint32_t path) const;
  bool break_circles(std::size_t number);
  Search begin_search(const Lane& lane) const;
  static std::int32_t find_circle(Lane& lane, Search& search, std::int32_t start);
  static std::int32_t unknown_cable(Search& search);
  static Link cut_weakest(Lane& lane, Search& search, std::int32_t circle);
  void move(const Link& link, std::size_t from);

  std::vector<std::int32_t> rank_;
  std::size_t max_lanes_;
  std::vector<Path> paths_;
  std::vector<Lane> lanes_;
};

}  // namespace sortlast::fabric
