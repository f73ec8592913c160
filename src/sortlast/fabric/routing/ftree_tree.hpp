// The tree that OpenSM's ftree sees in a fabric: ranks, groups of parallel links, indices, leaves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// A link seen from one of its switches; the counters are of routes over it.
struct FtreeLink {
  std::int32_t port = 0, remote_port = 0;
  std::int32_t routes_up = 0;    // towards this switch, from the remote one below
  std::int32_t routes_down = 0;  // towards this switch, from the remote one above
};

// All links between two switches, seen from one of them.
struct FtreeGroup {
  std::int32_t remote = 0;                      // switch
  std::int32_t routes_up = 0, routes_down = 0;  // of all its links
  std::int32_t position = 0;                    // rank of the remote switch by index
};

// Groups are identified by their number in FtreeTree::groups, so that their order can change.
struct FtreeSwitch {
  static constexpr std::uint32_t unranked = 0xFFFFFFFF;
  static constexpr std::uint64_t no_index = ~std::uint64_t{0};

  std::uint32_t rank = unranked;  // 0: root
  // OpenSM's tuple, rank first, as one number with the same order: eight digits of a byte, 0xFF if unused.
  std::uint64_t index = no_index;
  bool leaf = false;                         // has compute nodes
  std::vector<std::int32_t> hosts;           // by port
  std::vector<std::int32_t> down, same, up;  // groups, by port or sorted
  bool down_changed = false;  // the routes of a group in `down` have changed since it was sorted
};

struct FtreeTree {
  std::vector<FtreeSwitch> switches;
  std::vector<FtreeGroup> groups;
  std::vector<std::vector<FtreeLink>> links;  // by group, then by port
  std::vector<std::int32_t>
      switch_order;                      // in which OpenSM visits switches; those without a rank are left out
  std::vector<std::int32_t> host_order;  // the same for hosts
  std::vector<bool> compute;             // by host
  std::uint32_t leaf_rank = 0;
  std::vector<std::int32_t>
      leaves;                     // switches of leaf rank in order of index, from the first leaf to the last
  std::int32_t most_compute = 0;  // maximum number of compute nodes on a leaf
  std::string refusal;            // why ftree refuses the fabric; empty: it does not

  FtreeSwitch& at(std::int32_t s) { return switches[static_cast<std::size_t>(s)]; }
  const FtreeSwitch& at(std::int32_t s) const { return switches[static_cast<std::size_t>(s)]; }
  FtreeGroup& group(std::int32_t g) { return groups[static_cast<std::size_t>(g)]; }
  const FtreeGroup& group(std::int32_t g) const { return groups[static_cast<std::size_t>(g)]; }
  std::vector<FtreeLink>& links_of(std::int32_t g) { return links[static_cast<std::size_t>(g)]; }
  const std::vector<FtreeLink>& links_of(std::int32_t g) const { return links[static_cast<std::size_t>(g)]; }
  std::uint64_t remote_index(std::int32_t g) const { return at(group(g).remote).index; }
};

FtreeTree make_ftree_tree(const Topology& topology, const RouteOptions& options);

}  // namespace sortlast::fabric
