// The fabric of the samples: four nodes, each with two adapters on two switches. See tests/fabric/data/.
#pragma once

#include <string>
#include <utility>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fuzz {

inline fabric::Topology rails() {
  fabric::TopologyBuilder builder("rails");
  for (std::int32_t rail = 0; rail < 2; ++rail) {
    builder.add_switch({.name = "leaf-" + std::to_string(rail + 1),
                        .guid = 0xa0000000U + 0x100U * static_cast<std::uint64_t>(rail),
                        .ports = 9,
                        .lid = rail + 1});
  }
  for (std::int32_t node = 0; node < 4; ++node) {
    for (std::int32_t rail = 0; rail < 2; ++rail) {
      const std::uint64_t guid =
          0xc0000000U + 0x1000U * static_cast<std::uint64_t>(node) + 0x10U * static_cast<std::uint64_t>(rail);
      const std::int32_t h =
          builder.add_host({.name = "gpu0" + std::to_string(node + 1) + " mlx5_" + std::to_string(rail),
                            .guid = guid,
                            .port_guid = guid,
                            .lid = 7 + 4 * node + rail});
      builder.connect_host(h, rail, node + 1);
    }
  }
  builder.connect(0, 5, 1, 5);
  return std::move(builder).finish();
}

}  // namespace sortlast::fuzz
