// All shifts on a SimGrid platform: prints hosts, the maximum flows on a link, and the mean share of a flow.
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdio>
#include <unordered_map>
#include <vector>

namespace sg4 = simgrid::s4u;

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  std::vector<sg4::Host*> hosts = engine.get_all_hosts();
  std::sort(hosts.begin(), hosts.end(), [](const sg4::Host* a, const sg4::Host* b) {
    const auto number = [](const sg4::Host* h) { return std::stoi(h->get_name().substr(4)); };
    return number(a) < number(b);
  });
  const std::size_t p = hosts.size();
  int most = 0;
  double shares = 0;
  for (std::size_t shift = 1; shift < p; ++shift) {
    std::vector<std::vector<sg4::Link*>> paths(p);
    std::unordered_map<sg4::Link*, int> loads;
    for (std::size_t i = 0; i < p; ++i) {
      double latency = 0;
      hosts[i]->route_to(hosts[(i + shift) % p], paths[i], &latency);
      for (sg4::Link* link : paths[i]) ++loads[link];
    }
    for (const auto& path : paths) {
      int fullest = 0;
      for (sg4::Link* link : path) fullest = std::max(fullest, loads[link]);
      most = std::max(most, fullest);
      shares += 1.0 / fullest;
    }
  }
  std::printf("%zu %d %.6f\n", p, most, shares / static_cast<double>(p * (p - 1)));
}
