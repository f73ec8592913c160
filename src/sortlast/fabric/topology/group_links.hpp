// Group links: which global port of a group leads to which other group, in dragonflies and dragonflies+.
//
// Notation. There are g groups. The global ports of a group are counted from 0 over its switches, h on each.
// Every pair of groups is joined by m links, as many as the ports of a group allow: copy c of the links from
// group i to group j leaves by port c (g - 1) + (j if j < i, else j - 1) of group i. The copies of a pair
// are on different switches if there are enough, all pairs have the same number of links, and the remaining
// ports have no cable. With m = 1 this is the "absolute" arrangement, as in BookSim2.
#pragma once

#include <cstdint>

namespace sortlast::fabric {

class GroupLinks {
 public:
  // `ports`: global ports of a group, at least groups - 1.
  GroupLinks(std::int32_t groups, std::int64_t ports)
      : others_(groups - 1), copies_(groups > 1 ? static_cast<std::int32_t>(ports / (groups - 1)) : 0) {}

  // m, the number of links between each pair of groups; 0 if there is one group.
  std::int32_t copies() const { return copies_; }
  // Number of global ports of a group with a cable: 0 .. used() - 1.
  std::int32_t used() const { return copies_ * others_; }
  // Port by which link number `copy` from `group` to the group `other` leaves.
  std::int32_t port(std::int32_t group, std::int32_t other, std::int32_t copy) const {
    return copy * others_ + (other < group ? other : other - 1);
  }
  // The group that a port of `group` leads to.
  std::int32_t other(std::int32_t group, std::int32_t port) const {
    const std::int32_t place = port % others_;
    return place < group ? place : place + 1;
  }
  std::int32_t copy(std::int32_t port) const { return port / others_; }

 private:
  std::int32_t others_, copies_;
};

}  // namespace sortlast::fabric
