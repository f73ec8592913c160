// The packet simulator: its arguments, its networks, and the histogram of delays.
#include "sortlast/simulate/packet.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/simulate/packet/engine_decide.hpp"
#include "sortlast/simulate/packet/engine_run.hpp"
#include "sortlast/simulate/packet/routers.hpp"

namespace sortlast::simulate {
namespace {

void check_range(const char* what, double value, double least, double most) {
  if (value >= least && value <= most) return;
  throw ArgumentError(std::string(what) + " is " + std::to_string(value) + "; expected " +
                      std::to_string(least) + " to " + std::to_string(most));
}

void check_options(const PacketOptions& options) {
  check_range("packet_bytes", options.packet_bytes, 1, 1 << 30);
  check_range("packet_phits", options.packet_phits, 1, 1 << 16);
  check_range("buffer_packets", options.buffer_packets, 1, Buffers::most_packets);
  check_range("injection_packets", options.injection_packets, 1, 1 << 12);
  check_range("link_bytes_per_second", options.link_bytes_per_second, 1, 1e15);
  if (options.sample_cycles < 0) throw ArgumentError("sample_cycles is negative; 0 takes no samples");
}

void check_placement(const fabric::Topology& topology, const Traffic& traffic,
                     const fabric::Placement& placement) {
  if (placement.size() != static_cast<std::size_t>(traffic.tasks)) {
    throw ArgumentError("the placement has " + std::to_string(placement.size()) + " hosts for " +
                        std::to_string(traffic.tasks) + " tasks");
  }
  std::vector<bool> taken(static_cast<std::size_t>(topology.hosts()));
  for (std::size_t i = 0; i < placement.size(); ++i) {
    const std::int32_t host = placement[i];
    const std::string task = "task " + std::to_string(i) + " is placed on host " + std::to_string(host);
    if (host < 0 || host >= topology.hosts()) {
      throw ArgumentError(task + ", which does not exist: there are " + std::to_string(topology.hosts()));
    }
    if (taken[static_cast<std::size_t>(host)]) throw ArgumentError(task + ", which has a task already");
    taken[static_cast<std::size_t>(host)] = true;
  }
}

void check_all(const fabric::Topology& topology, const Traffic& traffic, const fabric::Placement& placement,
               const PacketOptions& options) {
  check(traffic);
  check_options(options);
  check_placement(topology, traffic, placement);
}

// Calls `check` for the hosts of every message.
template <class Check>
void for_flows(const Traffic& traffic, const fabric::Placement& placement, const Check& check) {
  const std::vector<std::int32_t> source = sources(traffic);
  for (std::size_t m = 0; m < source.size(); ++m) {
    if (source[m] == traffic.destination[m]) continue;
    check(placement[static_cast<std::size_t>(source[m])],
          placement[static_cast<std::size_t>(traffic.destination[m])]);
  }
}

}  // namespace

PacketResult simulate_packets(const fabric::Topology& topology, const Traffic& traffic,
                              const fabric::Placement& placement, const PacketOptions& options) {
  check_all(topology, traffic, placement, options);
  if (const auto tree = tree_network(topology)) {
    return Engine(topology, tree->network, tree->router, traffic, placement, options).run();
  }
  const DistanceNetwork any = distance_network(topology);
  for_flows(traffic, placement, [&](std::int32_t source, std::int32_t destination) {
    if (any.router.reaches(source, destination)) return;
    throw ArgumentError("no path leads from host '" + topology.host(source).name + "' to host '" +
                        topology.host(destination).name + "'");
  });
  return Engine(topology, any.network, any.router, traffic, placement, options).run();
}

PacketResult simulate_packets(const fabric::Routes& routes, const Traffic& traffic,
                              const fabric::Placement& placement, const PacketOptions& options) {
  check_all(*routes.topology, traffic, placement, options);
  // Tables that lead in a circle would never end.
  for_flows(traffic, placement, [&](std::int32_t source, std::int32_t destination) {
    (void)fabric::walk(routes, source, destination);
  });
  const TableNetwork table = table_network(routes);
  return Engine(*routes.topology, table.network, table.router, traffic, placement, options).run();
}

fabric::Placement consecutive_hosts(const fabric::Topology& topology, std::int32_t tasks,
                                    std::int32_t first_host) {
  if (first_host < 0 || tasks > topology.hosts() - first_host) {
    throw ArgumentError(std::to_string(tasks) + " tasks from host " + std::to_string(first_host) +
                        " on do not fit: there are " + std::to_string(topology.hosts()) + " hosts");
  }
  fabric::Placement placement(static_cast<std::size_t>(tasks));
  std::iota(placement.begin(), placement.end(), first_host);
  return placement;
}

double Histogram::mean() const {
  return count_ > 0 ? static_cast<double>(sum_) / static_cast<double>(count_) : 0;
}

double Histogram::standard_deviation() const {
  if (count_ == 0) return 0;
  return std::sqrt(std::max(0.0, squares_ / static_cast<double>(count_) - mean() * mean()));
}

std::int64_t Histogram::last_of(std::size_t bin) {
  const auto b = static_cast<std::int64_t>(bin);
  if (b < 2 * sub_bins) return b;
  const std::int64_t shift = b / sub_bins - 1;
  return ((b - shift * sub_bins + 1) << shift) - 1;
}

std::int64_t Histogram::percentile(double part) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(part * static_cast<double>(count_)));
  std::int64_t seen = 0;
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    seen += bins_[b];
    if (seen >= wanted && seen > 0) return std::min(last_of(b), max_);
  }
  return max_;
}

std::vector<Histogram::Bin> Histogram::bins() const {
  std::vector<Bin> made;
  if (count_ == 0) return made;
  const std::size_t begin = bin_of(min_), end = bin_of(max_) + 1;
  for (std::size_t b = begin; b < end; ++b) {
    made.push_back({b > 0 ? last_of(b - 1) + 1 : 0, last_of(b), bins_[b]});
  }
  return made;
}

}  // namespace sortlast::simulate
