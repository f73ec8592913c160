// minimal: shortest paths through the form of a dragonfly, dragonfly+ or HyperX, without tables.
//
// Dragonfly (Kim et al. 2008): across a link to the destination's group, from the router itself if it has
// one, else from another router of its group, and to the destination's router. This is not always the path
// with the fewest links: two global links through a third group may be shorter than local, global, local; but
// then two lanes would not keep it free of deadlock. A packet is on lane 0 until it has crossed a global
// link, and then on lane 1. Local links of lane 0 wait for global links, these for local links of lane 1, and
// the latter only for hosts.
//
// Dragonfly+ (Shpiner et al. 2017): up to a spine with a link to the destination's group, across it, and down
// to the destination's leaf; within a group by spine d mod s. One lane is enough: up waits for global, and
// global for down.
//
// HyperX (Ahn et al. 2009): one hop along each dimension in which the coordinates differ, in order of the
// dimensions. One lane is enough, because the dimensions are ordered.
//
// Among several equally near links between two groups a packet takes the first from number d mod m on, for
// destination d, as d-mod-k does on a tree. Names are as in topology/dragonfly.cpp.
#include <memory>
#include <variant>

#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/topology/group_links.hpp"

namespace sortlast::fabric::engine {

namespace {

class Dragonfly final : public Forwarding {
 public:
  Dragonfly(const Topology& topology, const DragonflyShape& shape)
      : shape_(shape), links_(shape.g, std::int64_t{shape.a} * shape.h), hosts_(topology.hosts()) {}

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t /*plane*/) const override {
    const auto [p, a, h, g] = shape_;
    const bool is_host = destination < hosts_;
    const std::int32_t t = is_host ? destination / p : destination - hosts_;
    if (s == t) return is_host ? 1 + destination % p : 0;
    const std::int32_t group = s / a, other = t / a, r = s % a;
    if (group == other) return local_port(r, t % a);
    for (std::int32_t copy = 0; copy < links_.copies(); ++copy) {
      const std::int32_t own = links_.port(group, other, (destination + copy) % links_.copies());
      if (own / h == r) return p + a + own % h;
    }
    return local_port(r, links_.port(group, other, destination % links_.copies()) / h);
  }
  std::int32_t lanes() const override { return shape_.g > 1 ? 2 : 1; }
  std::int32_t next_lane(std::int32_t /*s*/, std::int32_t port_in, std::int32_t /*port_out*/,
                         std::int32_t lane) const override {
    return port_in >= shape_.p + shape_.a ? 1 : lane;
  }

 private:
  std::int32_t local_port(std::int32_t r, std::int32_t to) const {
    return shape_.p + 1 + (to < r ? to : to - 1);
  }

  DragonflyShape shape_;
  GroupLinks links_;
  std::int32_t hosts_;
};

class DragonflyPlus final : public Forwarding {
 public:
  DragonflyPlus(const Topology& topology, const DragonflyPlusShape& shape)
      : shape_(shape), links_(shape.g, std::int64_t{shape.s} * shape.h), hosts_(topology.hosts()) {}

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t /*plane*/) const override {
    const std::int32_t t = destination < hosts_ ? leaf_of(destination) : destination - hosts_;
    if (s == t) return destination < hosts_ ? 1 + destination % shape_.p : 0;
    const std::int32_t size = shape_.l + shape_.s;
    const std::int32_t spine = next_spine(s / size, t, destination);
    if (s % size < shape_.l) return shape_.p + 1 + spine;

    // A spine forwards down to the destination's leaf, or to a leaf that can reach the right spine.
    const bool here = s / size == t / size;
    if (here && t % size < shape_.l) return 1 + t % size;
    if (here || s % size - shape_.l != spine) return 1 + destination % shape_.l;
    return shape_.l + 1 + link_to(s / size, t / size, destination) % shape_.h;
  }

 private:
  std::int32_t leaf_of(std::int32_t host) const {
    const std::int32_t leaf = host / shape_.p;
    return leaf / shape_.l * (shape_.l + shape_.s) + leaf % shape_.l;
  }
  std::int32_t link_to(std::int32_t group, std::int32_t other, Vertex destination) const {
    return links_.port(group, other, destination % links_.copies());
  }
  // The spine of a group through which switch t is reached.
  std::int32_t next_spine(std::int32_t group, std::int32_t t, Vertex destination) const {
    const std::int32_t size = shape_.l + shape_.s;
    if (group != t / size) return link_to(group, t / size, destination) / shape_.h;
    return t % size < shape_.l ? destination % shape_.s : t % size - shape_.l;
  }

  DragonflyPlusShape shape_;
  GroupLinks links_;
  std::int32_t hosts_;
};

class HyperX final : public Forwarding {
 public:
  HyperX(const Topology& topology, HyperXShape shape) : shape_(std::move(shape)), hosts_(topology.hosts()) {}

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t /*plane*/) const override {
    const bool is_host = destination < hosts_;
    std::int32_t from = s, to = is_host ? destination / shape_.hosts : destination - hosts_;
    if (from == to) return is_host ? 1 + destination % shape_.hosts : 0;
    std::int32_t first_port = shape_.hosts + 1;
    for (const std::int32_t extent : shape_.size) {
      const std::int32_t here = from % extent, there = to % extent;
      if (here != there) return first_port + (there < here ? there : there - 1);
      from /= extent;
      to /= extent;
      first_port += extent - 1;
    }
    return unreachable;
  }

 private:
  HyperXShape shape_;
  std::int32_t hosts_;
};

}  // namespace

Outcome minimal(const Topology& topology, const RouteOptions& options) {
  if (options.lmc > 0) return refuse("it gives each host one path, and no LMC above 0");
  if (const auto* shape = std::get_if<DragonflyShape>(&topology.shape())) {
    return {std::make_shared<Dragonfly>(topology, *shape), ""};
  }
  if (const auto* shape = std::get_if<DragonflyPlusShape>(&topology.shape())) {
    return {std::make_shared<DragonflyPlus>(topology, *shape), ""};
  }
  if (const auto* shape = std::get_if<HyperXShape>(&topology.shape())) {
    return {std::make_shared<HyperX>(topology, *shape), ""};
  }
  return refuse("it is no intact dragonfly, dragonfly+ or HyperX");
}

}  // namespace sortlast::fabric::engine
