// Rates of links by their width and speed: nominal Gbit/s a lane, as ibstat and OpenSM show them.
#include <array>
#include <charconv>

#include "sortlast/fabric/read/net.hpp"

namespace sortlast::fabric {

namespace {

struct Speed {
  std::string_view name;
  double lane;
};

// FDR10 comes after QDR, whose rate it shares: a rate is named after the first.
constexpr std::array speeds{Speed{"SDR", 2.5},  Speed{"DDR", 5},   Speed{"QDR", 10},
                            Speed{"FDR10", 10}, Speed{"FDR", 14},  Speed{"EDR", 25},
                            Speed{"HDR", 50},   Speed{"NDR", 100}, Speed{"XDR", 200}};
// The most common first: a rate is named by it.
constexpr std::array widths{4, 1, 2, 8, 12};

int lanes_of(std::string_view width) {
  for (const int lanes : widths) {
    if (width == std::to_string(lanes) + "x") return lanes;
  }
  return 0;
}

}  // namespace

double rate_of(std::string_view width, double lane_gbps) { return lanes_of(width) * lane_gbps; }

double rate_of(std::string_view width_and_speed) {
  const std::size_t x = width_and_speed.find('x');
  if (x == std::string_view::npos) return 0;
  for (const Speed& speed : speeds) {
    if (width_and_speed.substr(x + 1) == speed.name) {
      return rate_of(width_and_speed.substr(0, x + 1), speed.lane);
    }
  }
  return 0;
}

std::string name_of_rate(double gbps) {
  for (const int lanes : widths) {
    for (const Speed& speed : speeds) {
      if (gbps == lanes * speed.lane) return std::to_string(lanes) + "x" + std::string(speed.name);
    }
  }
  return {};
}

}  // namespace sortlast::fabric
