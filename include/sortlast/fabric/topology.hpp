// Topology: hosts, switches, and the links between their ports. One value, whatever it was built or read
// from.
//
// Notation. A vertex is a host or a switch: host h is vertex h, switch s is vertex hosts() + s. Ports are
// numbered from 1, as the tools of the field number them; port 0 of a switch is the switch itself. A host
// is one port of an adapter, because that is what a route leads to: an adapter with two cables is two hosts
// on one `guid`. A channel is one direction of a link, named by the port that it leaves: channels are
// numbered 0 .. channels() - 1, host h's own is channel h, and those of switch s follow each other by port.
// Ports without a cable have a channel too, which leads nowhere.
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
  std::string name;             // what tools show: "host00000 HCA-1"
  std::uint64_t guid = 0;       // of the adapter
  std::uint64_t port_guid = 0;  // of this port of it; 0: not known
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
  std::uint64_t system_guid = 0;  // of the chassis that it is a part of; 0: of its own
};

// One end of a link: a port of a switch, or a host (whose port is that of its adapter).
struct End {
  Vertex vertex = -1;  // -1: no cable
  std::int32_t port = 0;

  bool connected() const { return vertex >= 0; }
  bool operator==(const End&) const = default;
};

// The form of an intact PGFT(h; m_1 .. m_h; w_1 .. w_h; p_1 .. p_h), after Zahavi, "D-Mod-K Routing
// Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees" (2010): a vertex of level l
// (hosts are level 0) has m_l children, and w_{l+1} parents to each of which p_{l+1} parallel links lead.
// Number x of level l is W_l t + r, the r-th top (r < W_l = w_1 .. w_l) of the t-th subtree of height l. Its
// parent a is number W_{l+1} floor(t / m_{l+1}) + W_l a + r of level l + 1, and it is that one's child
// c = t mod m_{l+1}. Link b of those between them leaves by up-port a + w_{l+1} b and enters by down-port
// c + m_{l+1} b, each counted from 0 among its kind; a switch has its down-ports first. k-ary n-trees, XGFTs
// and thin-trees are of this form too.
struct TreeShape {
  std::vector<std::int32_t> m, w, p;  // element l - 1 is that of level l

  bool operator==(const TreeShape&) const = default;
};

// The form of a slender-tree k:k',n (Navaridas et al., "Reducing Complexity in Tree-like Computer
// Interconnection Networks", section 2.3): k down-ports, `up` = k' up-ports, n levels.
struct SlenderShape {
  std::int32_t k = 0, up = 0, n = 0;

  bool operator==(const SlenderShape&) const = default;
};

// The form of an intact mesh or torus: one switch a coordinate, `hosts` hosts on each.
struct GridShape {
  std::vector<std::int32_t> size;  // switches along x, y, ...
  bool wraps = false;              // torus
  std::int32_t hosts = 1;

  bool operator==(const GridShape&) const = default;
};

// The forms of intact dragonflies, after Kim et al. (2008): p hosts and h global links a router, a routers a
// group, g groups; of dragonflies+, after Shpiner et al. (2017): p hosts a leaf, l leaves and s spines a
// group, h global links a spine, g groups; and of HyperX, after Ahn et al. (2009): one switch a coordinate.
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
  // What it is, in one line: "12-ary 2-tree", or the file that it was read from.
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
  // Channel that leaves a switch by `port` (1 .. ports).
  Channel channel(std::int32_t s, std::int32_t port) const {
    return first_channel_[static_cast<std::size_t>(s)] + port - 1;
  }
  Channel channel_of_host(std::int32_t h) const { return h; }
  // Where a channel leads; not connected if its port has no cable.
  const End& target(Channel c) const { return targets_[static_cast<std::size_t>(c)]; }
  End source(Channel c) const;       // the port that it leaves
  Channel reverse(Channel c) const;  // the other direction of the same link; c must be connected
  // The switch and port that a host hangs on.
  const End& attachment(std::int32_t h) const { return target(h); }
  // Signalling rate of a channel's link in Gbit/s; 0: not known.
  double gbps(Channel c) const { return gbps_[static_cast<std::size_t>(c)]; }
  std::int64_t links() const;  // cables, those of hosts included

  // Level of a switch: 1 for those next to hosts in a tree, and so on upward; 0 if it has none. Families of
  // trees set it; for a fabric from a file see rank_switches().
  std::int32_t level(std::int32_t s) const { return levels_[static_cast<std::size_t>(s)]; }
  std::int32_t levels() const;  // highest level, 0 for a fabric that is no tree

  // The regular form it was built in; monostate if it has none, or has lost it (a missing link or host).
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

// Makes a Topology part by part. Everything that is added is checked at once.
class SORTLAST_API TopologyBuilder {
 public:
  explicit TopologyBuilder(std::string name);

  std::int32_t add_host(Host host);                               // its number h
  std::int32_t add_switch(Switch added, std::int32_t level = 0);  // its number s

  // Lay a cable. Throws ArgumentError, with the names of both ends, if a host has one already, a port does
  // not exist or is taken.
  void connect_host(std::int32_t h, std::int32_t s, std::int32_t port, double gbps = 0);
  void connect(std::int32_t s, std::int32_t port, std::int32_t other, std::int32_t other_port,
               double gbps = 0);

  void set_levels(std::vector<std::int32_t> levels);  // one a switch
  void set_shape(Shape shape);

  // Throws ArgumentError if a host has no cable.
  Topology finish() &&;

 private:
  // `vertex` is of a host its number, of a switch -1 - its number, because hosts may still be added.
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

// A topology without some of its parts: partial population, missing hosts, cut cables. The rest keeps its
// names, GUIDs, LIDs, ports and levels, and is renumbered without gaps in the same order; the regular shape
// is lost unless the list is empty. Throws ArgumentError for a number that does not exist.
SORTLAST_API Topology without_hosts(const Topology& topology, const std::vector<std::int32_t>& hosts);
// `channels`: one direction of each link to cut, or both. A host's link cannot be cut: leave the host out.
SORTLAST_API Topology without_links(const Topology& topology, const std::vector<Channel>& channels);
// The hosts of these switches go too.
SORTLAST_API Topology without_switches(const Topology& topology, const std::vector<std::int32_t>& switches);
// The same with other levels of its switches, for example those that rank_switches() finds.
SORTLAST_API Topology with_levels(const Topology& topology, std::vector<std::int32_t> levels);

// The same with other names of its hosts and switches, by the GUID of the adapter, its port or the switch;
// those without an entry keep theirs. See read_node_name_map().
using NodeNames = std::map<std::uint64_t, std::string>;
SORTLAST_API Topology with_names(const Topology& topology, const NodeNames& names);

// Levels of the switches of a tree from any source. `roots`: switches of the highest level; empty: found by
// how far most hosts are from each switch. All 0 if the fabric is no tree: `why` then says so. Throws
// ArgumentError for a root that does not exist.
struct Levels {
  std::vector<std::int32_t> level;  // by switch; 1 next to hosts
  std::vector<std::int32_t> roots;  // switches of the highest level
  std::string why;
};
SORTLAST_API Levels rank_switches(const Topology& topology, const std::vector<std::int32_t>& roots = {});
// The levels that the topology holds; those that are found if it holds none.
SORTLAST_API Levels levels_of(const Topology& topology);

// Up-links that the fabric's own regularity asks for and that are not there: pairs of a lower and an upper
// switch with fewer links than most pairs have of the same group, which are the switches of two neighbouring
// levels that links hold together. By number of the lower switch, then of the upper one. Throws
// ArgumentError, with the reason, if the fabric is no tree.
struct MissingLinks {
  std::int32_t lower = 0, upper = 0;  // switches
  std::int32_t present = 0, expected = 0;
};
SORTLAST_API std::vector<MissingLinks> missing_links(const Topology& topology);

}  // namespace sortlast::fabric
