#include "sortlast/fabric/topology.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

const std::string& Topology::vertex_name(Vertex v) const {
  return is_host(v) ? host(v).name : switch_at(switch_of(v)).name;
}

std::string Topology::label(Vertex v) const {
  const std::string& name = vertex_name(v);
  std::int32_t same = 0;
  for (Vertex each = 0; each < vertices(); ++each) same += vertex_name(each) == name ? 1 : 0;
  if (same < 2) return name;
  const std::uint64_t guid = is_host(v) ? host(v).port_guid : switch_at(switch_of(v)).guid;
  char text[19];
  std::snprintf(text, sizeof text, "0x%016" PRIx64, guid);
  return name + " (" + text + ")";
}

End Topology::source(Channel c) const {
  if (c < hosts()) return {c, host(c).port};
  const auto next = std::upper_bound(first_channel_.begin(), first_channel_.end(), c);
  const auto s = static_cast<std::int32_t>(next - first_channel_.begin()) - 1;
  return {vertex_of_switch(s), c - first_channel_[static_cast<std::size_t>(s)] + 1};
}

Channel Topology::reverse(Channel c) const {
  const End& end = target(c);
  return is_host(end.vertex) ? end.vertex : channel(switch_of(end.vertex), end.port);
}

std::int64_t Topology::links() const {
  return std::count_if(targets_.begin(), targets_.end(), [](const End& end) { return end.connected(); }) / 2;
}

std::int32_t Topology::levels() const {
  return levels_.empty() ? 0 : *std::max_element(levels_.begin(), levels_.end());
}

TopologyBuilder::TopologyBuilder(std::string name) { made_.name_ = std::move(name); }

namespace {

std::string port_of(const Switch& on, std::int32_t port) {
  return "port " + std::to_string(port) + " of switch '" + excerpt(on.name) + "'";
}

void check_port(const Switch& on, std::int32_t port) {
  if (port >= 1 && port <= on.ports) return;
  throw ArgumentError(port_of(on, port) + " does not exist: it has ports 1 to " + std::to_string(on.ports));
}

void check_number(const char* what, std::int32_t number, std::size_t count) {
  if (number >= 0 && static_cast<std::size_t>(number) < count) return;
  throw ArgumentError(std::string(what) + " " + std::to_string(number) + " does not exist: there are " +
                      std::to_string(count));
}

}  // namespace

std::int32_t TopologyBuilder::add_host(Host host) {
  made_.hosts_.push_back(std::move(host));
  host_used_.push_back(false);
  return made_.hosts() - 1;
}

std::int32_t TopologyBuilder::add_switch(Switch added, std::int32_t level) {
  if (added.ports < 0) {
    throw ArgumentError("switch '" + excerpt(added.name) + "' has " + std::to_string(added.ports) + " ports");
  }
  port_used_.emplace_back(static_cast<std::size_t>(added.ports), false);
  made_.switches_.push_back(std::move(added));
  made_.levels_.push_back(level);
  return made_.switches() - 1;
}

void TopologyBuilder::take_port(std::int32_t s, std::int32_t port) {
  check_number("switch", s, made_.switches_.size());
  const Switch& on = made_.switch_at(s);
  check_port(on, port);
  auto used = port_used_[static_cast<std::size_t>(s)].begin() + (port - 1);
  if (*used) throw ArgumentError(port_of(on, port) + " has a cable already");
  *used = true;
}

void TopologyBuilder::connect_host(std::int32_t h, std::int32_t s, std::int32_t port, double gbps) {
  check_number("host", h, made_.hosts_.size());
  if (host_used_[static_cast<std::size_t>(h)]) {
    throw ArgumentError("host '" + excerpt(made_.host(h).name) +
                        "' has a cable already; it cannot go to switch " + std::to_string(s) + " too");
  }
  take_port(s, port);
  host_used_[static_cast<std::size_t>(h)] = true;
  cables_.push_back({{h, made_.host(h).port}, {-1 - s, port}, gbps});
}

void TopologyBuilder::connect(std::int32_t s, std::int32_t port, std::int32_t other, std::int32_t other_port,
                              double gbps) {
  take_port(s, port);
  take_port(other, other_port);
  cables_.push_back({{-1 - s, port}, {-1 - other, other_port}, gbps});
}

void TopologyBuilder::set_levels(std::vector<std::int32_t> levels) {
  if (levels.size() != made_.switches_.size()) {
    throw ArgumentError(std::to_string(levels.size()) + " levels for " + std::to_string(made_.switches()) +
                        " switches");
  }
  made_.levels_ = std::move(levels);
}

void TopologyBuilder::set_shape(Shape shape) { made_.shape_ = std::move(shape); }

Topology TopologyBuilder::finish() && {
  // Number the channels: hosts first, then the ports of switch after switch.
  for (std::size_t h = 0; h < host_used_.size(); ++h) {
    if (!host_used_[h]) {
      throw ArgumentError("host '" + excerpt(made_.hosts_[h].name) +
                          "' has no cable; connect it or leave it out");
    }
  }
  Channel next = made_.hosts();
  for (const Switch& on : made_.switches_) {
    made_.first_channel_.push_back(next);
    next += on.ports;
  }
  made_.targets_.resize(static_cast<std::size_t>(next));
  made_.gbps_.resize(static_cast<std::size_t>(next));

  // Lay the cables.
  const auto final_end = [this](End end) {
    return End{end.vertex < 0 ? made_.vertex_of_switch(-1 - end.vertex) : end.vertex, end.port};
  };
  for (const Cable& cable : cables_) {
    const End a = final_end(cable.a), b = final_end(cable.b);
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      const Channel c =
          made_.is_host(from.vertex) ? from.vertex : made_.channel(made_.switch_of(from.vertex), from.port);
      made_.targets_[static_cast<std::size_t>(c)] = to;
      made_.gbps_[static_cast<std::size_t>(c)] = cable.gbps;
    }
  }
  return std::move(made_);
}

}  // namespace sortlast::fabric
