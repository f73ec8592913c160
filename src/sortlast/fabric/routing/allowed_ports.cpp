#include "sortlast/fabric/routing/allowed_ports.hpp"

#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/routing/up_down_tree.hpp"

namespace sortlast::fabric {

AllowedPorts::AllowedPorts(std::shared_ptr<const Topology> topology) : topology_(std::move(topology)) {
  std::vector<std::size_t> number(static_cast<std::size_t>(topology_->switches()), SIZE_MAX);
  for (std::int32_t h = 0; h < topology_->hosts(); ++h) {
    const std::int32_t s = topology_->switch_of(topology_->attachment(h).vertex);
    std::size_t& leaf = number[static_cast<std::size_t>(s)];
    if (leaf == SIZE_MAX) {
      leaf = leaves_.size();
      leaves_.push_back(s);
    }
    leaf_of_host_.push_back(leaf);
  }
}

void AllowedPorts::add(std::span<const std::int32_t> ports) {
  ports_.insert(ports_.end(), ports.begin(), ports.end());
  first_.push_back(ports_.size());
}

namespace {

std::shared_ptr<const AllowedPorts> all_of(const std::shared_ptr<const Topology>& topology,
                                           const SwitchGraph& graph, const PortsTowards& towards) {
  auto allowed = std::make_shared<AllowedPorts>(topology);
  PortSets sets(graph);
  std::vector<std::int32_t> ports;
  for (const std::int32_t leaf : allowed->leaves()) {
    towards(leaf, sets);
    for (std::int32_t s = 0; s < topology->switches(); ++s) {
      ports.clear();
      if (s != leaf) sets.visit(s, [&](std::int32_t port) { ports.push_back(port); });
      allowed->add(ports);
    }
  }
  return allowed;
}

}  // namespace

std::shared_ptr<const AllowedPorts> shortest_ports(const std::shared_ptr<const Topology>& topology) {
  const SwitchGraph graph(*topology);
  return all_of(topology, graph, [&graph](std::int32_t destination, PortSets& ports) {
    least_hop_ports(graph, destination, ports);
  });
}

std::shared_ptr<const AllowedPorts> ar_updn(const std::shared_ptr<const Topology>& topology,
                                            const RouteOptions& options) {
  const SwitchGraph graph(*topology);
  const PortsTowards towards = updn_ports(*topology, graph, options);
  if (!towards) {
    throw ArgumentError("ar-updn: no roots are given for " + topology->name() +
                        ", and none can be found; name its root switches");
  }
  return all_of(topology, graph, towards);
}

std::shared_ptr<const AllowedPorts> ar_ftree(const std::shared_ptr<const Topology>& topology,
                                             const RouteOptions& options) {
  // Given roots, or levels that have to be found, are stored in a copy of the fabric that has levels.
  const Levels found = options.roots.empty() ? levels_of(*topology) : rank_switches(*topology, options.roots);
  if (!found.why.empty()) throw ArgumentError("ar-ftree: " + topology->name() + " is no tree: " + found.why);
  const Topology levelled = with_levels(*topology, found.level);
  UpDownTree tree(levelled);
  auto allowed = std::make_shared<AllowedPorts>(topology);
  std::vector<std::int32_t> ports;
  for (const std::int32_t leaf : allowed->leaves()) {
    tree.aim(leaf);
    for (std::int32_t s = 0; s < topology->switches(); ++s) {
      ports.clear();
      if (s != leaf) {
        for (const SwitchCable& cable : tree.ways(s)) ports.push_back(cable.port);
      }
      allowed->add(ports);
    }
  }
  return allowed;
}

}  // namespace sortlast::fabric
