// Lids.
#include "sortlast/fabric/read/lids.hpp"

#include <algorithm>
#include <utility>

namespace sortlast::fabric {

Lids::Lids(const Topology& topology)
    : lids_(static_cast<std::size_t>(topology.vertices())), known_(lids_.size()) {
  name_guids(topology);
  find_subnets(topology);
  for (Vertex v = 0; v < topology.vertices(); ++v) {
    const bool host = topology.is_host(v);
    const std::int32_t first = host ? topology.host(v).lid : topology.switch_at(topology.switch_of(v)).lid;
    const std::int32_t count = host ? std::int32_t{1} << std::clamp(topology.host(v).lmc, 0, 7) : 1;
    const auto at = static_cast<std::size_t>(v);
    known_[at] = first > 0;
    complete_ = complete_ && first > 0;
    for (std::int32_t plane = 0; first > 0 && plane < count; ++plane) {
      lids_[at].push_back(first + plane);
      enter(first + plane, {v, plane});
    }
  }
}

void Lids::find_subnets(const Topology& topology) {
  subnet_.assign(static_cast<std::size_t>(topology.vertices()), -1);
  std::vector<Vertex> open;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    open.push_back(topology.vertex_of_switch(s));
    while (!open.empty()) {
      const Vertex v = open.back();
      open.pop_back();
      std::int32_t& subnet = subnet_[static_cast<std::size_t>(v)];
      if (subnet >= 0) continue;
      subnet = s;
      if (topology.is_host(v)) continue;
      const std::int32_t on = topology.switch_of(v);
      for (std::int32_t port = 1; port <= topology.switch_at(on).ports; ++port) {
        const End& to = topology.target(topology.channel(on, port));
        if (to.connected()) open.push_back(to.vertex);
      }
    }
  }
}

void Lids::enter(std::int32_t lid, Target target) {
  targets_.emplace(key(lid, target.vertex), target);
  const auto [at, added] = anywhere_.emplace(lid, target);
  if (!added && at->second.vertex != target.vertex) at->second.vertex = -1;
}

// Known GUIDs first, then the GUIDs that ibsim and simple adapters give their ports.
void Lids::name_guids(const Topology& topology) {
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (topology.host(h).port_guid != 0) guids_.emplace(topology.host(h).port_guid, h);
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    guids_.emplace(topology.switch_at(s).guid, topology.vertex_of_switch(s));
  }
  for (const bool counted : {true, false}) {
    for (std::int32_t h = 0; h < topology.hosts(); ++h) {
      const Host& host = topology.host(h);
      if (host.port_guid != 0) continue;
      guids_.emplace(host.guid + (counted ? static_cast<std::uint64_t>(host.port) : 0), h);
    }
  }
}

void Lids::learn(std::int32_t lid, std::uint64_t port_guid) {
  const Vertex v = find_guid(port_guid);
  if (v < 0 || known_[static_cast<std::size_t>(v)]) return;
  auto& own = lids_[static_cast<std::size_t>(v)];
  const auto at = std::lower_bound(own.begin(), own.end(), lid);
  constexpr std::size_t most_planes = 128;
  if ((at != own.end() && *at == lid) || own.size() == most_planes) return;
  own.insert(at, lid);
  for (std::size_t plane = 0; plane < own.size(); ++plane) {
    const Target target{v, static_cast<std::int32_t>(plane)};
    targets_[key(own[plane], v)] = target;
    const auto [at_all, added] = anywhere_.emplace(own[plane], target);
    if (!added) at_all->second = at_all->second.vertex == v ? target : Target{};
  }
}

Lids::Target Lids::find(std::int32_t lid, Vertex near) const {
  const auto found = targets_.find(key(lid, near));
  return found == targets_.end() ? Target{} : found->second;
}

Lids::Target Lids::find(std::int32_t lid) const {
  const auto found = anywhere_.find(lid);
  return found == anywhere_.end() ? Target{} : found->second;
}

Vertex Lids::find_guid(std::uint64_t port_guid) const {
  const auto found = guids_.find(port_guid);
  return found == guids_.end() ? -1 : found->second;
}

std::int32_t Lids::planes() const {
  std::size_t most = 1;
  for (const auto& own : lids_) most = std::max(most, own.size());
  return static_cast<std::int32_t>(most);
}

}  // namespace sortlast::fabric
