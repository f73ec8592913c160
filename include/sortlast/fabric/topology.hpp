// Topology: hosts, switches, and the links between their ports, as one value whatever the source.
//
// Notation. A vertex is a host or a switch: host h is vertex h, switch s is vertex hosts() + s. Ports are
// numbered from 1, as in the field's tools; port 0 of a switch is the switch itself. A host is one port of an
// adapter, because routes lead to ports: an adapter with two cables is two hosts with the same `guid`. A
// channel is one direction of a link, named by the port that it leaves. Channels are numbered 0 .. channels()
// - 1: channel h leaves host h, and the channels of a switch are consecutive, by port. Ports without a cable
// also have a channel, which leads nowhere.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "sortlast/export.hpp"

namespace sortlast::fabric {

using Vertex = std::int32_t;
using Channel = std::int32_t;

struct Host {
  std::string name;             // as tools show it: "host00000 HCA-1"
  std::uint64_t guid = 0;       // of the adapter
  std::uint64_t port_guid = 0;  // of this port; 0: unknown
  std::int32_t port = 1;        // number of this port on the adapter
  std::int32_t lid = 0;         // local identifier; 0: none was assigned
  std::int32_t lmc = 0;         // the host answers to lid .. lid + 2^lmc - 1
  bool router = false;          // a port of a router between InfiniBand subnets
};

struct Switch {
  std::string name;
  std::uint64_t guid = 0;
  std::int32_t ports = 0;  // external ports, numbered 1 .. ports
  std::int32_t lid = 0;
  std::uint64_t system_guid = 0;  // of the chassis that contains it; 0: none
};

// One end of a link: a port of a switch, or a host with its adapter's port number.
struct End {
  Vertex vertex = -1;  // -1: no cable
  std::int32_t port = 0;

  bool connected() const { return vertex >= 0; }
  bool operator==(const End&) const = default;
};

// The form of an intact PGFT(h; m_1 .. m_h; w_1 .. w_h; p_1 .. p_h), after Zahavi, "D-Mod-K Routing Providing
// Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees" (2010): a vertex of level l (hosts are
// level 0) has m_l children and w_{l+1} parents, with p_{l+1} parallel links to each parent. Vertex number x
// of level l is W_l t + r, the r-th top (r < W_l = w_1 .. w_l) of the t-th subtree of height l. Its parent a
// has number W_{l+1} floor(t / m_{l+1}) + W_l a + r at level l + 1, where the vertex is child c = t mod
// m_{l+1}. Link b between them leaves by up-port a + w_{l+1} b and enters by down-port c + m_{l+1} b, each
// counted from 0 within its kind; the down-ports of a switch come first. k-ary n-trees, XGFTs and thin-trees
// also have this form.
struct TreeShape {
  std::vector<std::int32_t> m, w, p;  // element l - 1 belongs to level l

  bool operator==(const TreeShape&) const = default;
};

// The form of a slender-tree k:k',n (Navaridas et al., "Reducing Complexity in Tree-like Computer
// Interconnection Networks", section 2.3): k down-ports, `up` = k' up-ports, n levels.
struct SlenderShape {
  std::int32_t k = 0, up = 0, n = 0;

  bool operator==(const SlenderShape&) const = default;
};

// The form of an intact mesh or torus: one switch per coordinate, `hosts` hosts on each.
struct GridShape {
  std::vector<std::int32_t> size;  // switches along x, y, ...
  bool wraps = false;              // torus
  std::int32_t hosts = 1;

  bool operator==(const GridShape&) const = default;
};

// The forms of intact dragonflies, after Kim et al. (2008): p hosts and h global links per router, a routers
// per group, g groups; of dragonflies+, after Shpiner et al. (2017): p hosts per leaf, l leaves and s spines
// per group, h global links per spine, g groups; and of HyperX, after Ahn et al. (2009): one switch per
// coordinate.
struct DragonflyShape {
  std::int32_t p = 0, a = 0, h = 0, g = 0;

  bool operator==(const DragonflyShape&) const = default;
};
struct DragonflyPlusShape {
  std::int32_t p = 0, l = 0, s = 0, h = 0, g = 0;

  bool operator==(const DragonflyPlusShape&) const = default;
};
struct HyperXShape {
  std::vector<std::int32_t> size;  // switches along x, y, ...
  std::int32_t hosts = 1;          // on each

  bool operator==(const HyperXShape&) const = default;
};

using Shape = std::variant<std::monostate, TreeShape, SlenderShape, GridShape, DragonflyShape,
                           DragonflyPlusShape, HyperXShape>;

class SORTLAST_API Topology {
 public:
  // A description in one line: "12-ary 2-tree", or the file that it was read from.
  const std::string& name() const { return name_; }

  std::int32_t hosts() const { return static_cast<std::int32_t>(hosts_.size()); }
  std::int32_t switches() const { return static_cast<std::int32_t>(switches_.size()); }
  std::int32_t vertices() const { return hosts() + switches(); }
  const Host& host(std::int32_t h) const { return hosts_[static_cast<std::size_t>(h)]; }
  const Switch& switch_at(std::int32_t s) const { return switches_[static_cast<std::size_t>(s)]; }
  bool is_host(Vertex v) const { return v < hosts(); }
  Vertex vertex_of_switch(std::int32_t s) const { return hosts() + s; }
  std::int32_t switch_of(Vertex v) const { return v - hosts(); }  // v is a switch
  const std::string& vertex_name(Vertex v) const;
  // The name of a vertex, with its GUID (a host's port's) if another vertex has the same name. O(vertices).
  std::string label(Vertex v) const;

  Channel channels() const { return static_cast<Channel>(targets_.size()); }
  // The channel that leaves a switch by `port` (1 .. ports).
  Channel channel(std::int32_t s, std::int32_t port) const {
    return first_channel_[static_cast<std::size_t>(s)] + port - 1;
  }
  Channel channel_of_host(std::int32_t h) const { return h; }
  // The end that a channel leads to; not connected if its port has no cable.
  const End& target(Channel c) const { return targets_[static_cast<std::size_t>(c)]; }
  End source(Channel c) const;       // the port that it leaves
  Channel reverse(Channel c) const;  // the other direction of the same link; c must be connected
  // The switch and port that a host is connected to.
  const End& attachment(std::int32_t h) const { return target(h); }
  // Signalling rate of a channel's link in Gbit/s; 0: unknown.
  double gbps(Channel c) const { return gbps_[static_cast<std::size_t>(c)]; }
  std::int64_t links() const;  // cables, including host links

  // Level of a switch: 1 next to the hosts of a tree, and so on upward; 0 if it has none. The families of
  // trees set it; for a fabric from a file see rank_switches().
  std::int32_t level(std::int32_t s) const { return levels_[static_cast<std::size_t>(s)]; }
  std::int32_t levels() const;  // highest level, 0 for a fabric that is not a tree

  // The regular form that it was built in; monostate if it has none, or lost it through a missing link or
  // host.
  const Shape& shape() const { return shape_; }

 private:
  friend class TopologyBuilder;

  std::string name_;
  std::vector<Host> hosts_;
  std::vector<Switch> switches_;
  std::vector<Channel> first_channel_;
  std::vector<End> targets_;
  std::vector<double> gbps_;
  std::vector<std::int32_t> levels_;
  Shape shape_;
};

// Builds a Topology part by part. Each part is checked when it is added.
class SORTLAST_API TopologyBuilder {
 public:
  explicit TopologyBuilder(std::string name);

  std::int32_t add_host(Host host);                               // its number h
  std::int32_t add_switch(Switch added, std::int32_t level = 0);  // its number s

  // Lays a cable. Throws ArgumentError, with the names of both ends, if the host already has one, or if a
  // port does not exist or is taken.
  void connect_host(std::int32_t h, std::int32_t s, std::int32_t port, double gbps = 0);
  void connect(std::int32_t s, std::int32_t port, std::int32_t other, std::int32_t other_port,
               double gbps = 0);

  void set_levels(std::vector<std::int32_t> levels);  // one per switch
  void set_shape(Shape shape);

  // Throws ArgumentError if a host has no cable.
  Topology finish() &&;

 private:
  // `vertex` is the number of a host, or -1 - s for switch s, because hosts may still be added.
  struct Cable {
    End a, b;
    double gbps = 0;
  };
  void take_port(std::int32_t s, std::int32_t port);

  Topology made_;
  std::vector<Cable> cables_;
  std::vector<bool> host_used_;
  std::vector<std::vector<bool>> port_used_;  // by switch
};

// A topology without some of its parts: partial population, missing hosts, cut cables. The remaining parts
// keep their names, GUIDs, LIDs, ports and levels, and are renumbered without gaps in the same order. The
// regular shape is lost unless the list is empty. Throws ArgumentError for a number that does not exist.
SORTLAST_API Topology without_hosts(const Topology& topology, const std::vector<std::int32_t>& hosts);
// `channels`: one direction of each link to cut, or both. A host's link cannot be cut; remove the host
// instead.
SORTLAST_API Topology without_links(const Topology& topology, const std::vector<Channel>& channels);
// Also removes the hosts of these switches.
SORTLAST_API Topology without_switches(const Topology& topology, const std::vector<std::int32_t>& switches);
// Without the switches from which no compute host can be reached, and their other hosts: a spine that has
// lost all its links, with its aggregation node. The topology itself if there are none, or no compute hosts.
SORTLAST_API Topology without_stranded(const Topology& topology);
// The same topology with other levels of its switches, for example from rank_switches().
SORTLAST_API Topology with_levels(const Topology& topology, std::vector<std::int32_t> levels);

// The same topology with other names of its hosts and switches, by the GUID of the adapter, its port or the
// switch. Parts without an entry keep their names. See read_node_name_map().
using NodeNames = std::map<std::uint64_t, std::string>;
SORTLAST_API Topology with_names(const Topology& topology, const NodeNames& names);

// Levels of the switches of a tree from any source. `roots` are the switches of the highest level; if empty,
// they are found from the distance between most hosts and each switch. If the fabric is not a tree, all
// levels are 0 and `why` gives the reason. Throws ArgumentError for a root that does not exist.
struct Levels {
  std::vector<std::int32_t> level;  // by switch; 1 next to hosts
  std::vector<std::int32_t> roots;  // switches of the highest level
  std::string why;
};
SORTLAST_API Levels rank_switches(const Topology& topology, const std::vector<std::int32_t>& roots = {});
// The levels stored in the topology, or from rank_switches() if it has none.
SORTLAST_API Levels levels_of(const Topology& topology);

// Missing up-links of a regular fabric: pairs of a lower and an upper switch with fewer links than most pairs
// of the same group. A group is a set of switches on two neighbouring levels that are connected by links.
// Sorted by lower switch, then by upper switch. Throws ArgumentError, with the reason, if the fabric is not a
// tree.
struct MissingLinks {
  std::int32_t lower = 0, upper = 0;  // switches
  std::int32_t present = 0, expected = 0;
};
SORTLAST_API std::vector<MissingLinks> missing_links(const Topology& topology);

// Links that are slower than their neighbours. The neighbours of a link between switches are, at each of its
// ends, the links of that switch in the same direction (up or down a tree); those of a host's link are the
// host links of its switch. A link is slow if most of its neighbours at one end, or the faster ones of two
// equally common rates, are faster. Links of unknown rate are left out. Sorted by channel.
struct SlowLink {
  Channel channel = 0;            // the direction with the lower number
  double gbps = 0, expected = 0;  // signalling rates, of the link and of its neighbours [Gbit/s]
};
SORTLAST_API std::vector<SlowLink> slow_links(const Topology& topology);

}  // namespace sortlast::fabric
