// Families of topologies, built from their parameters.
//
// Hosts are named "host00000 HCA-1", "host00001 HCA-1", ... and have GUIDs 0x10000000 + 16 h. Switches of
// level l are named sw-Ll-0000, ...; in grids they are named by coordinates (sw-x-y-z), in dragonflies by
// group and place (sw-g-r). Their GUIDs are 0x20000000 + 2^20 l + index. The ports of a switch towards the
// hosts come first (1 .. m p), followed by the ports towards the roots. All functions throw ArgumentError
// with the parameter at fault and the reason. The limits are 2^24 hosts, 2^20 switches per level and 32
// levels.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

using Counts = std::vector<std::int32_t>;

// One switch with n hosts.
SORTLAST_API Topology crossbar(std::int32_t n);
// Petrini and Vanneschi (1997): k^n hosts, n levels of k^(n-1) switches.
SORTLAST_API Topology k_ary_n_tree(std::int32_t k, std::int32_t n);
// Zahavi, Johnson, Kerbyson, Lang (2010): arity k[l-1] at level l, as many ports up as down.
SORTLAST_API Topology var_ary_n_tree(const Counts& k);
// Oehring et al. (1995): GFT(h, m, w), with the same m and w at every level. A processor is an adapter with w
// ports, represented here by w hosts.
SORTLAST_API Topology gft(std::int32_t h, std::int32_t m, std::int32_t w);
// Oehring et al. (1995): XGFT(h; m; w).
SORTLAST_API Topology xgft(const Counts& m, const Counts& w);
// Zahavi (2010): PGFT(h; m; w; p).
SORTLAST_API Topology pgft(const Counts& m, const Counts& w, const Counts& p);
// Zahavi (2010): the largest Real Life Fat-Tree of `levels` levels with switches of `ports` ports. Every
// switch is fully used, the cross-bisectional bandwidth is constant, and each host has one cable.
SORTLAST_API Topology rlft(std::int32_t ports, std::int32_t levels);
// Why a PGFT is not an RLFT ("level 2 has 12 ports down and 8 up: ..."); empty if it is one. Zahavi (2010).
SORTLAST_API std::string why_no_rlft(const TreeShape& shape);
// Navaridas et al., sections 2.2 and 2.3. A fat-tree is thin_tree(k, k, n).
SORTLAST_API Topology thin_tree(std::int32_t k, std::int32_t up, std::int32_t n);
SORTLAST_API Topology slender_tree(std::int32_t k, std::int32_t up, std::int32_t n);
// A switch at every coordinate, x fastest, each with `hosts` hosts on its first ports; then the ports -x, +x,
// -y, +y, ...
SORTLAST_API Topology mesh(const Counts& size, std::int32_t hosts = 1);
SORTLAST_API Topology torus(const Counts& size, std::int32_t hosts = 1);
// Kim, Dally, Scott, Abts (2008): g groups of a fully connected routers, each router with p hosts and h
// global links. Every pair of groups has floor(a h / (g - 1)) links.
SORTLAST_API Topology dragonfly(std::int32_t p, std::int32_t a, std::int32_t h, std::int32_t g);
// Shpiner et al. (2017): g groups of l leaves with p hosts each, joined to s spines with h global links each.
SORTLAST_API Topology dragonfly_plus(std::int32_t p, std::int32_t l, std::int32_t s, std::int32_t h,
                                     std::int32_t g);
// Ahn et al. (2009): a switch with `hosts` hosts at every coordinate, connected to all switches that differ
// from it in one coordinate.
SORTLAST_API Topology hyperx(const Counts& size, std::int32_t hosts = 1);

// A family by name, for the command line: "pgft:18,12;1,9;1,2", "k-ary-n-tree:12,2", "torus:8,8,8".
struct Family {
  std::string name;     // "k-ary-n-tree"
  std::string usage;    // "k-ary-n-tree:K,N"
  std::string summary;  // one sentence
  std::function<Topology(const std::vector<Counts>& parameters)> make;
};
SORTLAST_API std::span<const Family> families();
// Throws ArgumentError, with the usage of all families, if the name is unknown.
SORTLAST_API Topology make_topology(std::string_view text);

}  // namespace sortlast::fabric
