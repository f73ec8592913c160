// Real Life Fat-Trees: the PGFTs that are bought (Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for
// Shift Permutations on Real Life Fat Trees", 2010).
//
// A PGFT is an RLFT if hosts have one cable, all switches have the same number 2 K of ports and use them all,
// and cross-bisectional bandwidth is constant: a switch of level l < h has m_l p_l = w_{l+1} p_{l+1} = K
// ports down and up, and one of level h has m_h p_h = 2 K down. The one of most hosts has no parallel links:
// 2 K^h hosts.
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/topology/family_parts.hpp"
#include "sortlast/fabric/topology/pgft.hpp"

namespace sortlast::fabric {

Topology rlft(std::int32_t ports, std::int32_t levels) {
  const std::string name =
      "RLFT of " + std::to_string(ports) + "-port switches in " + std::to_string(levels) + " levels";
  check_levels(name, "levels", levels);
  check_parameter(name, "ports", ports, 2);
  if (ports % 2 != 0) {
    throw ArgumentError(name + ": " + std::to_string(ports) +
                        " ports cannot be halved between up and down; expected an even number");
  }
  const auto h = static_cast<std::size_t>(levels);
  const std::int32_t half = ports / 2;
  Counts m(h, half), w(h, half);
  m.back() = ports;
  w.front() = 1;
  return build_pgft(name, {m, w, Counts(h, 1)});
}

namespace {

std::string ports_of_level(std::size_t l, std::int64_t down, std::int64_t up) {
  return "switches of level " + std::to_string(l) + " have " + std::to_string(down) + " ports down and " +
         std::to_string(up) + " up";
}

}  // namespace

std::string why_no_rlft(const TreeShape& shape) {
  const std::size_t h = shape.m.size();
  if (h == 0) return "it has no levels";
  if (shape.w.size() != h || shape.p.size() != h) return "m, w and p differ in their number of levels";
  const auto ports = [&](const Counts& counts, std::size_t l) {
    return std::int64_t{counts[l - 1]} * shape.p[l - 1];
  };
  if (ports(shape.w, 1) != 1) {
    return "hosts have " + std::to_string(ports(shape.w, 1)) + " cables; an RLFT has one a host";
  }
  const std::int64_t top = ports(shape.m, h);
  for (std::size_t l = 1; l < h; ++l) {
    const std::int64_t down = ports(shape.m, l), up = ports(shape.w, l + 1);
    if (down != up) {
      return ports_of_level(l, down, up) + "; constant cross-bisectional bandwidth needs as many up as down";
    }
    if (down + up != top) {
      return ports_of_level(l, down, up) + ", those of level " + std::to_string(h) + " have " +
             std::to_string(top) + " down; all switches of an RLFT use the same number of ports";
    }
  }
  return {};
}

}  // namespace sortlast::fabric
