// Builders of dragonflies, dragonflies+ and HyperX: networks with few hops between switches with many ports.
//
// Dragonfly: Kim, Dally, Scott, Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology" (2008), with
// its symbols: p hosts and h global links per router, a routers per group, g groups. The routers of a group
// are fully connected. Router r of group i is switch a i + r, "sw-i-r". Its ports are 1 .. p to hosts, then a
// - 1 to the other routers of the group in order, then h global ones. A balanced dragonfly has a = 2 p = 2 h,
// the largest has g = a h + 1.
//
// Dragonfly+: Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, "Dragonfly+: Low Cost Topology for Scaling
// Datacenters" (2017). A group is a tree of two levels: l leaves with p hosts each, s spines with h global
// links each, and every leaf joined to every spine. Leaf x of group i is switch (l + s) i + x, "sw-i-leaf-x":
// ports 1 .. p to hosts, then s up. Spine y follows the leaves, "sw-i-spine-y": ports 1 .. l down, then h
// global ones.
//
// HyperX: Ahn, Binkert, Davis, McLaren, Schreiber, "HyperX: Topology, Routing, and Packaging of Efficient
// Large-Scale Networks" (2009), with all K = 1. Switches have coordinates, x fastest, and are joined to all
// switches that differ in one coordinate. Ports: 1 .. hosts, then for every dimension the other switches
// along it in order.
//
// group_links.hpp defines which global port leads where. None of the three has levels, because they are not
// trees.
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/topology/family_parts.hpp"
#include "sortlast/fabric/topology/group_links.hpp"

namespace sortlast::fabric {

namespace {

// Checks that every group can be joined to every other, and the overall sizes.
void check_groups(const std::string& name, std::int64_t global_ports, std::int32_t groups) {
  if (global_ports >= std::int64_t{groups} - 1) return;
  throw ArgumentError(name + ": a group has " + std::to_string(global_ports) + " global links for " +
                      std::to_string(groups - 1) + " other groups; expected at least one to each");
}

void check_sizes(const std::string& name, std::int64_t group_switches, std::int64_t group_hosts,
                 std::int64_t ports, std::int64_t groups) {
  const std::int64_t switches =
      bounded_product(name, "switches", group_switches, groups, most_level_switches);
  bounded_product(name, "hosts", group_hosts, groups, most_family_hosts);
  bounded_product(name, "ports", switches, ports, most_family_channels);
}

// Adds `count` hosts to switch s, on its first ports.
void add_hosts(TopologyBuilder& builder, std::int32_t s, std::int32_t count, std::int64_t& next_host) {
  for (std::int32_t i = 0; i < count; ++i) {
    builder.connect_host(builder.add_host(family_host(next_host++)), s, 1 + i);
  }
}

// Lays the cables between groups; `end` returns the switch and port of a group's global port.
template <typename GlobalEnd>
void join_groups(TopologyBuilder& builder, std::int32_t groups, const GroupLinks& links,
                 const GlobalEnd& end) {
  for (std::int32_t i = 0; i < groups; ++i) {
    for (std::int32_t port = 0; port < links.used(); ++port) {
      const std::int32_t j = links.other(i, port);
      if (j < i) continue;
      const auto [s, at] = end(i, port);
      const auto [other, other_at] = end(j, links.port(j, i, links.copy(port)));
      builder.connect(s, at, other, other_at);
    }
  }
}

}  // namespace

Topology dragonfly(std::int32_t p, std::int32_t a, std::int32_t h, std::int32_t g) {
  const std::string name = "dragonfly";
  check_parameter(name, "p", p, 0);
  check_parameter(name, "a", a);
  check_parameter(name, "h", h, 0);
  check_parameter(name, "g", g);
  check_sizes(name, a, bounded_product(name, "hosts", a, p, most_family_hosts), std::int64_t{p} + a - 1 + h,
              g);
  check_groups(name, std::int64_t{a} * h, g);
  TopologyBuilder builder("dragonfly(p=" + std::to_string(p) + ", a=" + std::to_string(a) +
                          ", h=" + std::to_string(h) + ", g=" + std::to_string(g) + ")");

  // Add the routers with their hosts, and join the routers of each group.
  std::int64_t next_host = 0;
  for (std::int32_t i = 0; i < g; ++i) {
    for (std::int32_t r = 0; r < a; ++r) {
      Switch added = family_switch(0, std::int64_t{a} * i + r, p + a - 1 + h);
      added.name = "sw-" + join({i, r}, "-");
      add_hosts(builder, builder.add_switch(std::move(added)), p, next_host);
    }
    for (std::int32_t r = 0; r < a; ++r) {
      for (std::int32_t t = r + 1; t < a; ++t) builder.connect(a * i + r, p + t, a * i + t, p + 1 + r);
    }
  }

  // Join the groups.
  join_groups(builder, g, GroupLinks(g, std::int64_t{a} * h), [&](std::int32_t i, std::int32_t port) {
    return std::pair(a * i + port / h, p + a + port % h);
  });
  builder.set_shape(DragonflyShape{p, a, h, g});
  return std::move(builder).finish();
}

Topology dragonfly_plus(std::int32_t p, std::int32_t l, std::int32_t s, std::int32_t h, std::int32_t g) {
  const std::string name = "dragonfly+";
  check_parameter(name, "p", p, 0);
  check_parameter(name, "l", l);
  check_parameter(name, "s", s);
  check_parameter(name, "h", h, 0);
  check_parameter(name, "g", g);
  check_sizes(name, std::int64_t{l} + s, bounded_product(name, "hosts", l, p, most_family_hosts),
              std::int64_t{p} + s + l + h, g);
  check_groups(name, std::int64_t{s} * h, g);
  TopologyBuilder builder("dragonfly+(p=" + std::to_string(p) + ", l=" + std::to_string(l) + ", s=" +
                          std::to_string(s) + ", h=" + std::to_string(h) + ", g=" + std::to_string(g) + ")");

  // Add the leaves with their hosts and the spines, and join them within each group.
  std::int64_t next_host = 0;
  for (std::int32_t i = 0; i < g; ++i) {
    for (std::int32_t x = 0; x < l; ++x) {
      Switch added = family_switch(0, std::int64_t{l} * i + x, p + s);
      added.name = "sw-" + std::to_string(i) + "-leaf-" + std::to_string(x);
      add_hosts(builder, builder.add_switch(std::move(added)), p, next_host);
    }
    for (std::int32_t y = 0; y < s; ++y) {
      Switch added = family_switch(1, std::int64_t{s} * i + y, l + h);
      added.name = "sw-" + std::to_string(i) + "-spine-" + std::to_string(y);
      const std::int32_t spine = builder.add_switch(std::move(added));
      for (std::int32_t x = 0; x < l; ++x) builder.connect((l + s) * i + x, p + 1 + y, spine, 1 + x);
    }
  }

  // Join the groups.
  join_groups(builder, g, GroupLinks(g, std::int64_t{s} * h), [&](std::int32_t i, std::int32_t port) {
    return std::pair((l + s) * i + l + port / h, l + 1 + port % h);
  });
  builder.set_shape(DragonflyPlusShape{p, l, s, h, g});
  return std::move(builder).finish();
}

Topology hyperx(const Counts& size, std::int32_t hosts) {
  const std::string name = "hyperx";
  if (size.empty()) throw ArgumentError(name + ": it has no dimensions; expected a size along x, y, ...");
  std::int64_t switches = 1, ports = hosts;
  for (std::size_t i = 0; i < size.size(); ++i) {
    check_parameter(name, "size along dimension " + std::to_string(i + 1), size[i]);
    switches = bounded_product(name, "switches", switches, size[i], most_level_switches);
    ports += size[i] - 1;
  }
  check_parameter(name, "hosts a switch", hosts, 0);
  check_sizes(name, switches, bounded_product(name, "hosts", switches, hosts, most_family_hosts), ports, 1);
  TopologyBuilder builder(join(size, "x") + " HyperX");

  // Add the switches with their hosts.
  std::int64_t next_host = 0;
  for (std::int32_t s = 0; s < switches; ++s) {
    Switch added = family_switch(0, s, static_cast<std::int32_t>(ports));
    Counts at;
    std::int32_t rest = s;
    for (const std::int32_t extent : size) {
      at.push_back(rest % extent);
      rest /= extent;
    }
    added.name = "sw-" + join(at, "-");
    add_hosts(builder, builder.add_switch(std::move(added)), hosts, next_host);
  }

  // Join switches that differ in one coordinate.
  for (std::int32_t s = 0; s < switches; ++s) {
    std::int32_t step = 1, first_port = hosts + 1;
    for (const std::int32_t extent : size) {
      const std::int32_t here = s / step % extent;
      for (std::int32_t there = here + 1; there < extent; ++there) {
        builder.connect(s, first_port + there - 1, s + (there - here) * step, first_port + here);
      }
      step *= extent;
      first_port += extent - 1;
    }
  }
  builder.set_shape(HyperXShape{size, hosts});
  return std::move(builder).finish();
}

}  // namespace sortlast::fabric
