// Mod-K routing of intact PGFTs in closed form: a few operations a port, and no tables.
//
// Notation. As in topology/pgft.cpp: level l has W_l = w_1 .. w_l tops a subtree, and up-port q of a switch
// of level l, counted from 0, is copy floor(q / w_{l+1}) of the link to its parent q mod w_{l+1}. The key is
// the number that chooses among up-ports: the destination in D-mod-K, the source in S-mod-K. Then
//
//     q_l = floor(key / W_l) mod (w_{l+1} p_{l+1})
//
// is the up-port at level l, and on its way down a flow takes the copy of the link that q_{l-1} names.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// What both engines know of a tree: where its switches are. Hosts are numbered as in topology/pgft.cpp.
class ModK : public Forwarding {
 protected:
  explicit ModK(const TreeShape& shape);

  // Port of switch s towards host d for a given key.
  std::int32_t towards_host(std::int32_t s, std::uint32_t d, std::uint32_t key) const {
    const Place& place = places_[static_cast<std::size_t>(s)];
    const Level& level = levels_[place.level];
    const std::uint32_t below = d - place.first_host;  // wraps to a large number for lower hosts
    if (below >= level.hosts) {
      return static_cast<std::int32_t>(level.down_ports + (key / level.tops) % level.up_ports) + 1;
    }
    std::uint32_t port = below / level.child_hosts;
    if (level.copies > 1) {
      port += level.children * (key / level.child_tops % (level.parents * level.copies) / level.parents);
    }
    return static_cast<std::int32_t>(port) + 1;
  }
  // Port of switch s towards switch t by up*/down*: 0 if they are the same, `unreachable` if no such path
  // leads there (from a top of a subtree to another of its tops).
  std::int32_t towards_switch(std::int32_t s, std::int32_t t) const;

  std::int32_t hosts() const { return static_cast<std::int32_t>(levels_.back().hosts); }

 private:
  struct Level {
    std::uint32_t hosts = 1;            // below a switch of this level: m_1 .. m_l
    std::uint32_t child_hosts = 1;      // below each of its children
    std::uint32_t children = 1;         // m_l
    std::uint32_t parents = 1;          // w_l: of each of its children
    std::uint32_t copies = 1;           // p_l
    std::uint32_t down_ports = 0;       // m_l p_l
    std::uint32_t up_ports = 1;         // w_{l+1} p_{l+1}
    std::uint32_t tops = 1;             // W_l
    std::uint32_t child_tops = 1;       // W_{l-1}
    std::uint32_t further_parents = 1;  // w_{l+1}
  };
  struct Place {
    std::uint32_t first_host = 0;  // of those below it
    std::uint32_t level = 0;
    std::uint32_t top = 0;  // r: which of the tops of its subtree
  };
  std::vector<Level> levels_;  // level 0 is that of the hosts
  std::vector<Place> places_;  // by switch
};

}  // namespace sortlast::fabric
