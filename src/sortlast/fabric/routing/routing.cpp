#include "sortlast/fabric/routing.hpp"

#include <string>

#include "sortlast/error.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::uint8_t none_narrow = 0xFF;
constexpr std::uint16_t none_wide = 0xFFFF;
constexpr std::int32_t most_narrow_ports = 254;
constexpr std::int32_t most_ports = 65534;

}  // namespace

std::int32_t Forwarding::plane(std::int32_t /*source*/, std::int32_t /*destination*/) const { return 0; }

Tables::Tables(const Topology& topology, std::int32_t planes)
    : vertices_(topology.vertices()), switches_(topology.switches()), planes_(planes) {
  if (planes < 1)
    throw ArgumentError("routing tables of " + std::to_string(planes) + " planes; expected at least 1");
  std::int32_t ports = 0;
  for (std::int32_t s = 0; s < switches_; ++s) ports = std::max(ports, topology.switch_at(s).ports);
  if (ports > most_ports) {
    throw ArgumentError("a switch of " + std::to_string(ports) + " ports; tables hold at most " +
                        std::to_string(most_ports));
  }
  const auto entries = static_cast<std::size_t>(switches_) * static_cast<std::size_t>(vertices_) *
                       static_cast<std::size_t>(planes_);
  if (ports <= most_narrow_ports) {
    narrow_.assign(entries, none_narrow);
  } else {
    wide_.assign(entries, none_wide);
  }
}

// A plane is a table after the other, a switch a row of it.
std::size_t Tables::index(std::int32_t s, Vertex destination, std::int32_t plane) const {
  return (static_cast<std::size_t>(plane) * static_cast<std::size_t>(switches_) +
          static_cast<std::size_t>(s)) *
             static_cast<std::size_t>(vertices_) +
         static_cast<std::size_t>(destination);
}

std::int32_t Tables::port(std::int32_t s, Vertex destination, std::int32_t plane) const {
  const std::size_t at = index(s, destination, plane);
  if (!narrow_.empty()) return narrow_[at] == none_narrow ? unreachable : narrow_[at];
  return wide_[at] == none_wide ? unreachable : wide_[at];
}

std::int32_t Tables::plane(std::int32_t source, std::int32_t destination) const {
  return (source + destination) % planes_;
}

void Tables::set(std::int32_t s, Vertex destination, std::int32_t port, std::int32_t plane) {
  const std::size_t at = index(s, destination, plane);
  if (!narrow_.empty()) {
    narrow_[at] = port == unreachable ? none_narrow : static_cast<std::uint8_t>(port);
  } else {
    wide_[at] = port == unreachable ? none_wide : static_cast<std::uint16_t>(port);
  }
}

std::int64_t Tables::bytes() const { return static_cast<std::int64_t>(narrow_.size() + 2 * wide_.size()); }

}  // namespace sortlast::fabric
